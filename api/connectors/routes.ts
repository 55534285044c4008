import { z } from 'zod';
import type { ClientSettings } from '../../src/accounts/client-settings';
import {
  type Connector,
  changeConnector,
  connectorById,
  listConnectors,
} from '../../src/accounts/connectors';
import {
  type ApiKeyEntry,
  createAccount,
  issueKey,
  keysOf,
  revokeKey,
  rotateKeys,
} from '../../src/accounts/store';
import { Refusal } from '../../src/platform/errors';
import { isUuid, uuidv7 } from '../../src/platform/ids';
import { inTransaction } from '../../src/platform/postgres';
import type { ApiDeps } from '../deps';
import { type Route, route } from '../http/route';
import {
  connector,
  connectorChange,
  connectorPage,
  connectorPath,
  createdConnector,
  keyPath,
  keyRotation,
  newConnector,
  pageQuery,
  rotatedKey,
} from './schemas';

const common = {
  tag: 'Connectors',
  access: { credentials: 'key', roles: ['operator'] },
  errors: 'coded',
} as const;

/**
 * Setting clients up: a connector is a client account with its three addresses (interface "Conventions") and
 * its keys.
 */
export function connectorRoutes({ sql, publicUrl }: Pick<ApiDeps, 'sql' | 'publicUrl'>): Route[] {
  const shown = ({ id, name, createdAt, settings }: Connector) => ({
    id,
    name,
    ...shownSettings(settings),
    submitOrderUrl: `${publicUrl}/v1/orders`,
    getOrderUrl: `${publicUrl}/v1/orders`,
    updateShipmentUrl: `${publicUrl}/v1/orders/{order_id}/shipment`,
    createdAt: createdAt.toISOString(),
  });

  const found = async (id: string): Promise<Connector> => {
    const present = isUuid(id) ? await connectorById(sql, id) : undefined;
    if (present === undefined) throw new Refusal('NOT_FOUND', { message: 'There is no such connector.' });
    return present;
  };

  const withKeys = async (connectors: readonly Connector[]) => {
    const keys = await keysOf(
      sql,
      connectors.map(({ id }) => id),
    );
    return connectors.map((one) => ({ ...shown(one), keys: (keys.get(one.id) ?? []).map(shownKey) }));
  };

  return [
    route({
      ...common,
      method: 'post',
      path: '/v1/connectors',
      operationId: 'createConnector',
      summary: 'Set a client up',
      description: 'Answers the client’s addresses and its key and secret, which are shown this once.',
      idempotent: true,
      answersSecret: true,
      body: newConnector,
      response: createdConnector,
      handler: ({ body, idempotency }) =>
        inTransaction(sql, async (tx) => {
          const settings = stored(body);
          const account = await createAccount(tx, { role: 'client', name: body.name, settings });
          if (account === undefined) {
            throw new Refusal('CONFLICT', { message: 'There is a connector with this name already.' });
          }
          const { keyId, apiKey, apiSecret } = await issueKey(tx, account.id);
          const answer = { ...shown({ ...account, settings }), keyId, apiKey, apiSecret };
          await idempotency.complete(tx, answer);
          return answer;
        }),
    }),
    route({
      ...common,
      method: 'get',
      path: '/v1/connectors',
      operationId: 'listConnectors',
      summary: 'List clients, newest first',
      query: pageQuery,
      response: connectorPage,
      handler: async ({ query }) => {
        if (query.cursor !== undefined && !isUuid(query.cursor)) {
          throw new Refusal('VALIDATION_ERROR', {
            errors: [
              { code: 'VALIDATION_ERROR', message: 'Not a cursor of this list.', reference: 'cursor' },
            ],
          });
        }
        const rows = await listConnectors(sql, { limit: query.limit + 1, after: query.cursor });
        const page = rows.slice(0, query.limit);
        const nextCursor = rows.length > query.limit ? page.at(-1)!.id : null;
        return { connectors: await withKeys(page), nextCursor };
      },
    }),
    route({
      ...common,
      method: 'get',
      path: '/v1/connectors/{connectorId}',
      operationId: 'getConnector',
      summary: 'Read a client and its keys',
      params: connectorPath,
      response: connector,
      handler: async ({ params }) => (await withKeys([await found(params.connectorId)]))[0]!,
    }),
    route({
      ...common,
      method: 'patch',
      path: '/v1/connectors/{connectorId}',
      operationId: 'changeConnector',
      summary: 'Change a client’s billing entity, return address or IOSS number',
      params: connectorPath,
      body: connectorChange,
      response: connector,
      handler: async ({ params, body }) => {
        const { id } = await found(params.connectorId);
        return (await withKeys([(await changeConnector(sql, id, stored(body)))!]))[0]!;
      },
    }),
    route({
      ...common,
      method: 'post',
      path: '/v1/connectors/{connectorId}/keys',
      operationId: 'rotateConnectorKey',
      summary: 'Issue a new key',
      description: 'The present keys go on working through the overlap, and end after it.',
      idempotent: true,
      answersSecret: true,
      params: connectorPath,
      body: keyRotation,
      response: rotatedKey,
      handler: async ({ params, body, idempotency }) => {
        const { id } = await found(params.connectorId);
        return await inTransaction(sql, async (tx) => {
          const fresh = await rotateKeys(tx, id, body.overlapSeconds);
          const answer = {
            keyId: fresh.keyId,
            apiKey: fresh.apiKey,
            apiSecret: fresh.apiSecret,
            createdAt: fresh.createdAt.toISOString(),
            previousKeysExpireAt: fresh.previousKeysExpireAt.toISOString(),
          };
          await idempotency.complete(tx, answer);
          return answer;
        });
      },
    }),
    route({
      ...common,
      method: 'delete',
      path: '/v1/connectors/{connectorId}/keys/{keyId}',
      operationId: 'revokeConnectorKey',
      summary: 'End a key',
      description: 'Refused everywhere within a second.',
      params: keyPath,
      response: z.object({ id: z.string(), revoked: z.literal(true) }),
      handler: async ({ params: { connectorId, keyId } }) => {
        const { id } = await found(connectorId);
        const revoked = isUuid(keyId) && (await revokeKey(sql, id, keyId));
        if (!revoked) throw new Refusal('NOT_FOUND', { message: 'This connector has no such key.' });
        return { id: keyId, revoked: true as const };
      },
    }),
  ];
}

/** Settings as they are kept: an address is known by an id of its own. */
function stored({ billingEntity, returnAddress, iossNumber }: ClientSettings): ClientSettings {
  return {
    ...(billingEntity === undefined ? {} : { billingEntity }),
    ...(returnAddress === undefined
      ? {}
      : { returnAddress: returnAddress && { id: uuidv7(), ...returnAddress } }),
    ...(iossNumber === undefined ? {} : { iossNumber }),
  };
}

type ShownSettings = Pick<z.output<typeof connector>, 'billingEntity' | 'returnAddress' | 'iossNumber'>;

function shownSettings({ billingEntity, returnAddress, iossNumber }: ClientSettings): ShownSettings {
  return {
    billingEntity: (billingEntity ?? null) as ShownSettings['billingEntity'],
    returnAddress: (returnAddress ?? null) as ShownSettings['returnAddress'],
    iossNumber: iossNumber ?? null,
  };
}

function shownKey({ id, hint, createdAt, expiresAt, revokedAt }: ApiKeyEntry) {
  return {
    id,
    hint,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
    revokedAt: revokedAt?.toISOString() ?? null,
  };
}
