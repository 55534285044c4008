import { z } from 'zod';
import {
  accountKeySchema,
  credentialFields,
  isRevokedAccount,
  keyExpiry,
  keyName,
  keysOf,
  revokeKey,
  rotateKeys,
} from '../../src/accounts/accounts-and-keys';
import { keyUsesFields, usesOfKey } from '../../src/accounts/key-uses';
import { isLastAdminKey } from '../../src/accounts/operators';
import { NOTIFICATION_EVENTS, OPERATOR_EVENTS } from '../../src/notifications/domain/event-schemas';
import { disableEndpointsOfKey, endpointsOfKey } from '../../src/notifications/endpoints';
import { endpointSchema } from '../../src/notifications/webhook-schemas';
import { timestamp } from '../../src/platform/domain/fields';
import { Refusal } from '../../src/platform/errors';
import { inTransaction, type Queryable } from '../../src/platform/postgres';
import type { ApiDeps } from '../deps';
import { forOperators, pathParameters, type Route, route } from '../http/route';
import { shownTo } from '../notifications/audience';

const rotatedKey = z
  .object({ ...credentialFields, createdAt: timestamp, previousKeysExpireAt: timestamp })
  .meta({ id: 'RotatedKey' });

const keyUsesSchema = z
  .object({
    key: accountKeySchema,
    ...keyUsesFields,
    endpoints: z.array(endpointSchema([...NOTIFICATION_EVENTS, ...OPERATOR_EVENTS], 'EndpointOfKey')),
  })
  .meta({ id: 'KeyUses' });

/** The accounts of one role, as their key routes need them. */
export interface KeyOwners {
  /** Begins the names of the operations: `rotateClientKey`. */
  readonly noun: 'Operator' | 'Client' | 'Partner';
  readonly objectType: 'operator' | 'client' | 'partner';
  readonly tag: string;
  /** Path of one account, such as `/v1/connectors/{connectorId}`. */
  readonly path: string;
  readonly maxOverlapSeconds: number;
  /** Returns the id of an account. @throws Refusal `NOT_FOUND` */
  find(sql: Queryable, id: string): Promise<string>;
}

export function keyRoutes({ sql, keyUses }: Pick<ApiDeps, 'sql' | 'keyUses'>, owners: KeyOwners): Route[] {
  const parameter = pathParameters(owners.path)[0]!;
  const ownerPath = z.object({ [parameter]: z.string().max(100) });
  const ownerIdOf = (params: Readonly<Record<string, unknown>>) => params[parameter] as string;
  const isOperator = owners.noun === 'Operator';
  const days = owners.maxOverlapSeconds / 86_400;
  const keyPath = ownerPath.extend({ keyId: z.string().max(100) });
  const disableRoute = route(`POST ${owners.path}/keys/{keyId}/disable-endpoints`, {
    ...forOperators(owners.tag, 'admin'),
    operationId: `disable${owners.noun}KeyEndpoints`,
    refuses: ['CONFLICT'],
    summary: 'Disable the endpoints of a revoked key',
    description:
      'Disables every endpoint for notifications that the key created or gave its address. The client can enable them again. 409: the ' +
      'key is not revoked.',
    audits: ['client.disable_endpoints'],
    params: keyPath,
    body: z.strictObject({}),
    response: z.object({ disabled: z.array(z.string()).describe('Ids of the endpoints that were enabled.') }),
    handler: ({ params, audit, log, account }) =>
      inTransaction(sql, async (tx) => {
        const { keyId } = params as { keyId: string };
        const id = await owners.find(tx, ownerIdOf(params));
        if ((await keyOf(tx, id, keyId)).revokedAt === null) {
          throw new Refusal('CONFLICT', { message: 'The key is not revoked.' });
        }
        const disabled = await disableEndpointsOfKey(tx, keyId);
        await audit(tx, { action: 'client.disable_endpoints', objectId: id, before: null, after: { keyId, disabled } });
        log.info({ owner: id, keyId, disabled, by: account.name }, 'endpoints of a key disabled');
        return { disabled };
      }),
  });
  return [
    route(`GET ${owners.path}/keys`, {
      ...forOperators(owners.tag, 'viewer'),
      operationId: `list${owners.noun}Keys`,
      summary: 'List the keys, newest first',
      params: ownerPath,
      response: z.object({ keys: z.array(accountKeySchema) }),
      handler: async ({ params }) => {
        const id = await owners.find(sql, ownerIdOf(params));
        return { keys: (await keysOf(sql, [id])).get(id)! };
      },
    }),
    route(`POST ${owners.path}/keys`, {
      ...forOperators(owners.tag, 'admin'),
      operationId: `rotate${owners.noun}Key`,
      refuses: ['CONFLICT'],
      summary: 'Issue a new key',
      description:
        'The existing keys keep working during the overlap and expire after it. With an overlap of 0 they expire at once' +
        (isOperator ? ', and every session of the operator ends.' : '.'),
      audits: [`${owners.objectType}.rotate_key`],
      idempotent: true,
      returnsSecret: true,
      params: ownerPath,
      body: z
        .object({
          overlapSeconds: z
            .int()
            .min(0)
            .max(owners.maxOverlapSeconds)
            .default(86_400)
            .describe(`Time for which the existing keys keep working: at most ${days} days.`),
          name: keyName.nullish().describe('Where the key is used.'),
          expiresAt: keyExpiry,
        })
        .meta({ id: `${owners.noun}KeyRotation` }),
      response: rotatedKey,
      handler: ({ params, body, account, log, idempotency, audit }) =>
        inTransaction(sql, async (tx) => {
          const id = await owners.find(tx, ownerIdOf(params));
          if (await isRevokedAccount(tx, id)) {
            throw new Refusal('CONFLICT', { message: 'This account is revoked and gets no more keys.' });
          }
          const { name = null, expiresAt = null } = body;
          const { hint, ...response } = await rotateKeys(tx, id, body.overlapSeconds, { name, expiresAt });
          await idempotency.complete(tx, response);
          const { apiKey: _apiKey, apiSecret: _apiSecret, ...shown } = response;
          const after = { ...shown, name, hint, expiresAt };
          await audit(tx, { action: `${owners.objectType}.rotate_key`, objectId: id, before: null, after });
          log.info({ owner: id, by: account.name }, 'key rotated');
          return response;
        }),
    }),
    route(`GET ${owners.path}/keys/{keyId}/uses`, {
      ...forOperators(owners.tag, 'viewer'),
      operationId: `get${owners.noun}KeyUses`,
      summary: 'Get what a key was used for',
      description:
        'Its calls by operation, its addresses, and the endpoints for notifications that it created or gave their address. The counts are ' +
        'at most ten seconds old. `key` of operation `listAuditLog` lists its changes.',
      params: keyPath,
      response: keyUsesSchema,
      handler: async ({ params, account }) => {
        const { keyId } = params as { keyId: string };
        const { keyId: _, ...key } = await keyOf(sql, await owners.find(sql, ownerIdOf(params)), keyId);
        await keyUses.flush();
        const endpoints = (await endpointsOfKey(sql, keyId)).map((endpoint) => shownTo(account, endpoint));
        return { key, ...(await usesOfKey(sql, keyId)), endpoints };
      },
    }),
    ...(owners.noun === 'Client' ? [disableRoute] : []),
    route(`DELETE ${owners.path}/keys/{keyId}`, {
      ...forOperators(owners.tag, 'admin'),
      operationId: `revoke${owners.noun}Key`,
      refuses: isOperator ? ['CONFLICT'] : [],
      summary: 'Revoke a key',
      description: isOperator
        ? 'The next request with the key is refused. 409: no admin would be left with a working key.'
        : 'Every process refuses the key within one second.',
      audits: [`${owners.objectType}.revoke_key`],
      params: keyPath,
      response: z.object({ id: z.string(), revoked: z.literal(true) }),
      handler: ({ params, account, log, audit }) =>
        inTransaction(sql, async (tx) => {
          const { keyId } = params as { keyId: string };
          const id = await owners.find(tx, ownerIdOf(params));
          if (isOperator && (await isLastAdminKey(tx, keyId))) {
            throw new Refusal('CONFLICT', { message: 'This is the only working key of an admin.' });
          }
          const before = await keyOf(tx, id, keyId);
          await revokeKey(tx, id, keyId);
          const after = await keyOf(tx, id, keyId);
          await audit(tx, { action: `${owners.objectType}.revoke_key`, objectId: id, before, after });
          log.info({ owner: id, keyId, by: account.name }, 'key revoked');
          return { id: keyId, revoked: true as const };
        }),
    }),
  ];
}

/** Returns a key as lists show it. @throws Refusal `NOT_FOUND` when the account has no such key */
async function keyOf(sql: Queryable, accountId: string, keyId: string) {
  const keys = (await keysOf(sql, [accountId])).get(accountId)!;
  const key = keys.find(({ id }) => id === keyId);
  if (key === undefined) throw new Refusal('NOT_FOUND', { message: 'This account has no such key.' });
  return { keyId, ...key };
}
