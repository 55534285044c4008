import { z } from 'zod';
import { accountNames } from '../../src/accounts/accounts-and-keys';
import { AUDIT_ACTION_NAMES } from '../../src/accounts/audit-actions';
import { type AuditEntry, auditEntrySchema, listAuditEntries } from '../../src/accounts/audit-log';
import { auditedOrders } from '../../src/orders/reading/audited-orders';
import { changeOutcomeSchema } from '../../src/orders/reading/operator-order-schemas';
import { auditedBulkRepairs } from '../../src/orders/upkeep/bulk-repair-rows';
import { instant } from '../../src/platform/domain/fields';
import { withoutTokens } from '../../src/platform/http/outbound-addresses';
import { isUuid } from '../../src/platform/ids';
import type { ApiDeps } from '../deps';
import { requireOperatorRole } from '../http/authentication';
import { exportedList, formatQuery, PAGES } from '../http/exported-list';
import { cursorField, limitField, pageByTime } from '../http/list-query';
import { forOperators, type Route } from '../http/route';

/** Types of objects that are accounts. */
const ACCOUNTS = ['client', 'partner', 'operator'];

const isRowId = (id: string) => /^\d{1,18}$/.test(id);

const entrySchema = auditEntrySchema
  .extend({
    object: auditEntrySchema.shape.object.extend({
      name: z.string().nullable().describe('Reference of an order, or name of an account.'),
    }),
    reason: z
      .string()
      .nullable()
      .describe(
        'Why an order was changed, from its event log, or a bulk repair started. Null after the erasure of the order’s personal data.',
      ),
    outcome: changeOutcomeSchema
      .nullable()
      .describe('What came of the change of an order, or of a bulk repair. Null for other changes.'),
  })
  .meta({ id: 'AuditEntry' });

type State = AuditEntry['before'];

/** Replaces what could be a token in the addresses of endpoints and partners. */
function addressesWithoutTokens(state: State): State {
  if (state === null) return null;
  const shown = (value: unknown) => (typeof value === 'string' ? withoutTokens(value) : value);
  return Object.fromEntries(Object.entries(state).map(([name, value]) => [name, shown(value)]));
}

export function auditRoute({ sql }: Pick<ApiDeps, 'sql'>): Route {
  return exportedList('GET /v1/operator/audit', {
    csv: { name: 'audit', rows: 'entries', pages: PAGES.byCursor },
    ...forOperators('Operators', 'viewer'),
    operationId: 'listAuditLog',
    onStandby: true,
    summary: 'List the audit log, newest first',
    description:
      'Every action of operators, clients and partners that changes keys, partners, clients, endpoints, catalog, stock set-up or ' +
      'rates, and repairs, cancellations, shipping changes and payments of orders. `format=csv` exports every row that matches ' +
      'and is for admins.',
    query: z.object({
      actor: z.string().max(100).optional().describe('Id or name of the actor.'),
      action: z.enum(AUDIT_ACTION_NAMES).optional(),
      object: z.string().max(300).optional().describe('A type, an id, or both: `partner`, `partner:<id>`.'),
      key: z.uuid().optional().describe('Id of the API key of the call.'),
      from: instant.describe('Inclusive, ISO 8601.'),
      to: instant.describe('Exclusive, ISO 8601.'),
      limit: limitField,
      cursor: cursorField.optional(),
      format: formatQuery,
    }),
    response: z.object({ entries: z.array(entrySchema), nextCursor: z.string().nullable() }).meta({ id: 'AuditPage' }),
    handler: async ({ account, query }) => {
      const { format, ...filter } = query;
      if (format === 'csv') requireOperatorRole(account, 'admin');
      const { page, nextCursor } = await pageByTime(query, (page) => listAuditEntries(sql, filter, page), isRowId);
      const idsOf = (types: readonly string[]) =>
        page.flatMap(({ object: { type, id } }) => (types.includes(type) && isUuid(id) ? [id] : []));
      const orders = await auditedOrders(sql, idsOf(['order']));
      const bulkRepairs = await auditedBulkRepairs(sql, idsOf(['bulk_repair']));
      const names = await accountNames(sql, idsOf(ACCOUNTS));
      const shown = account.operatorRole === 'viewer' ? addressesWithoutTokens : (state: State) => state;
      const entries = page.map(({ position: _, before, after, ...entry }) => {
        const order = orders.get(entry.object.id);
        const started = entry.action === 'bulk_repair.start' ? bulkRepairs.get(entry.object.id) : undefined;
        const { reason = null, outcome = null } = order?.changeOf(entry) ?? started ?? {};
        const object = { ...entry.object, name: order?.reference ?? names.get(entry.object.id) ?? null };
        return { ...entry, before: shown(before), after: shown(after), object, reason, outcome };
      });
      return { entries, nextCursor };
    },
  });
}
