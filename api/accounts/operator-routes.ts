import { z } from 'zod';
import { createAccount, issueKey, keyExpiry, keyName } from '../../src/accounts/accounts-and-keys';
import {
  changeOperatorRole,
  listOperators,
  type Operator,
  operatorById,
  operatorSchema,
  revokeOperator,
  operatorRole as role,
} from '../../src/accounts/operators';
import { timestamp } from '../../src/platform/domain/fields';
import { Refusal } from '../../src/platform/errors';
import { foundById } from '../../src/platform/ids';
import { inTransaction, type Queryable } from '../../src/platform/postgres';
import type { ApiDeps } from '../deps';
import { exportedList, formatQuery, PAGES } from '../http/exported-list';
import { forOperators, type Route, route } from '../http/route';
import { type KeyOwners, keyRoutes } from './key-routes';

const params = z.object({ operatorId: z.string().max(100) });

const lastAdmin = () =>
  new Refusal('CONFLICT', { message: 'This is the last admin. Make another operator an admin first.' });

/** Returns an operator, revoked or not. @throws Refusal `NOT_FOUND` when there is none with this id */
async function requireOperator(sql: Queryable, id: string): Promise<Operator> {
  return await foundById(id, () => operatorById(sql, id), 'There is no such operator.');
}

const OPERATORS: KeyOwners = {
  noun: 'Operator',
  objectType: 'operator',
  tag: 'Operators',
  path: '/v1/operators/{operatorId}',
  maxOverlapSeconds: 30 * 86_400,
  find: async (sql, id) => (await requireOperator(sql, id)).id,
};

export function operatorRoutes(deps: Pick<ApiDeps, 'sql' | 'keyUses'>): Route[] {
  const { sql } = deps;
  return [
    route('POST /v1/operators', {
      ...forOperators('Operators', 'admin'),
      operationId: 'createOperator',
      refuses: ['CONFLICT'],
      summary: 'Create an operator',
      description: 'The response contains the key, which is shown only here. Names are unique and are not used again.',
      audits: ['operator.create'],
      idempotent: true,
      returnsSecret: true,
      body: z
        .object({
          name: z.string().trim().min(1).max(100),
          role,
          keyName: keyName.nullish().describe('Where the first key is used.'),
          keyExpiresAt: keyExpiry,
        })
        .meta({ id: 'NewOperator', examples: [{ name: 'ada', role: 'operator' }] }),
      response: z
        .object({
          id: z.string(),
          name: z.string(),
          role,
          createdAt: timestamp,
          keyId: z.string(),
          apiKey: z.string().describe('Shown only in this response.'),
        })
        .meta({ id: 'CreatedOperator' }),
      handler: ({ body, account: { name: by }, log, idempotency, audit }) =>
        inTransaction(sql, async (tx) => {
          const created = await createAccount(tx, { role: 'operator', name: body.name, operatorRole: body.role });
          if (created === undefined) {
            throw new Refusal('CONFLICT', { message: 'An operator with this name exists already.' });
          }
          const { keyId, apiKey, hint } = await issueKey(tx, created.id, {
            name: body.keyName,
            expiresAt: body.keyExpiresAt,
          });
          const { id, name, createdAt } = created;
          const response = { id, name, role: body.role, createdAt, keyId, apiKey };
          await idempotency.complete(tx, response);
          const after = { name, role: body.role, keyId, hint, keyExpiresAt: body.keyExpiresAt ?? null };
          await audit(tx, { action: 'operator.create', objectId: id, before: null, after });
          log.info({ operator: name, role: body.role, by }, 'operator created');
          return response;
        }),
    }),
    exportedList('GET /v1/operators', {
      csv: { name: 'operators', rows: 'operators', pages: PAGES.single },
      ...forOperators('Operators', 'viewer'),
      operationId: 'listOperators',
      summary: 'List operators, oldest first',
      query: z.object({ format: formatQuery }),
      response: z.object({ operators: z.array(operatorSchema) }),
      handler: async () => ({ operators: await listOperators(sql) }),
    }),
    route('PATCH /v1/operators/{operatorId}', {
      ...forOperators('Operators', 'admin'),
      operationId: 'changeOperator',
      refuses: ['CONFLICT'],
      summary: 'Change the role of an operator',
      description:
        'Applies from the operator’s next request, and ends the operator’s sessions. 409: no other admin would be left.',
      audits: ['operator.change_role'],
      params,
      body: z.object({ role }).meta({ id: 'OperatorChange' }),
      response: operatorSchema,
      handler: ({ params: { operatorId }, body, account: { name: by }, log, audit }) =>
        inTransaction(sql, async (tx) => {
          const { id, name, role } = await requireOperator(tx, operatorId);
          if ((await changeOperatorRole(tx, id, body.role)) === 'last-admin') throw lastAdmin();
          const change = { before: { role }, after: { role: body.role } };
          await audit(tx, { action: 'operator.change_role', objectId: id, ...change });
          log.info({ operator: name, role: body.role, by }, 'operator role changed');
          return await requireOperator(tx, id);
        }),
    }),
    route('POST /v1/operators/{operatorId}/revoke', {
      ...forOperators('Operators', 'admin'),
      operationId: 'revokeOperator',
      refuses: ['CONFLICT'],
      summary: 'Revoke an operator with all keys',
      description:
        'Cannot be undone. The operator’s next request is refused. Revoking again changes nothing. 409: the operator is the ' +
        'last admin.',
      audits: ['operator.revoke'],
      params,
      response: operatorSchema,
      handler: ({ params: { operatorId }, account: { name: by }, log, audit }) =>
        inTransaction(sql, async (tx) => {
          const before = await requireOperator(tx, operatorId);
          const { id, name } = before;
          if ((await revokeOperator(tx, id)) === 'last-admin') throw lastAdmin();
          const after = await requireOperator(tx, id);
          await audit(tx, { action: 'operator.revoke', objectId: id, before, after });
          log.info({ operator: name, by }, 'operator revoked');
          return after;
        }),
    }),
    ...keyRoutes(deps, OPERATORS),
  ];
}
