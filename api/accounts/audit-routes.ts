import { z } from 'zod';
import { AUDIT_ACTION_NAMES } from '../../src/accounts/audit-actions';
import { type AuditEntry, type AuditFilter, auditEntrySchema, listAuditEntries } from '../../src/accounts/audit-log';
import type { ApiDeps } from '../deps';
import { requireOperatorRole } from '../http/authentication';
import { csvResponse, formatQuery } from '../http/lists/csv';
import { cursorField, decodeCursor, encodeCursor, limitField, pageOf } from '../http/lists/cursor';
import { instant } from '../http/lists/search-filters';
import { operatorsOnly, type RawResponse, type Route, route } from '../http/route';

type Deps = Pick<ApiDeps, 'sql'>;

const isRowId = (id: string) => /^\d{1,18}$/.test(id);

function exported(sql: ApiDeps['sql'], filter: AuditFilter): RawResponse {
  return csvResponse<AuditEntry>({
    name: 'audit',
    columns: {
      id: ({ id }) => id,
      at: ({ at }) => at.toISOString(),
      actorId: ({ actor }) => actor.id,
      actorName: ({ actor }) => actor.name,
      actorRole: ({ actor }) => actor.role,
      action: ({ action }) => action,
      objectType: ({ object }) => object.type,
      objectId: ({ object }) => object.id,
      before: ({ before }) => (before === null ? null : JSON.stringify(before)),
      after: ({ after }) => (after === null ? null : JSON.stringify(after)),
      requestId: ({ requestId }) => requestId,
      address: ({ address }) => address,
    },
    read: ({ limit, after }) =>
      listAuditEntries(sql, filter, {
        limit,
        after: after === null ? null : { time: after.position, id: after.id },
      }),
  });
}

/** The route with which operators read the audit log and admins export it. */
export function auditRoutes({ sql }: Deps): Route[] {
  return [
    route({
      method: 'get',
      path: '/v1/operator/audit',
      operationId: 'listAuditLog',
      summary: 'List the audit log, newest first',
      description:
        'Every action of operators, clients and partners that changes keys, partners, clients, endpoints, catalog, stock set-up or ' +
        'rates, and repairs, cancellations, shipping changes and payments of orders. `format=csv` exports every row that matches ' +
        'and is for admins.',
      tag: 'Operators',
      access: operatorsOnly('viewer'),
      errors: 'coded',
      query: z.object({
        actor: z.string().max(100).optional().describe('Id or name of the actor.'),
        action: z.enum(AUDIT_ACTION_NAMES).optional(),
        object: z.string().max(300).optional().describe('A type, an id, or both: `partner`, `partner:<id>`.'),
        from: instant.describe('Inclusive, ISO 8601.'),
        to: instant.describe('Exclusive, ISO 8601.'),
        limit: limitField,
        cursor: cursorField.optional(),
        format: formatQuery,
      }),
      response: z
        .object({ entries: z.array(auditEntrySchema), nextCursor: z.string().nullable() })
        .meta({ id: 'AuditPage' }),
      handler: async ({ account, query: { limit, cursor, format, ...filter } }) => {
        if (format === 'csv') {
          requireOperatorRole(account, 'admin');
          return exported(sql, filter);
        }
        const after = cursor === undefined ? null : decodeCursor(cursor, isRowId);
        const rows = await listAuditEntries(sql, filter, { limit: limit + 1, after });
        const { page, nextCursor } = pageOf(rows, limit, ({ position, id }) => encodeCursor({ time: position, id }));
        return { entries: page.map(({ position: _, ...entry }) => entry), nextCursor };
      },
    }),
  ];
}
