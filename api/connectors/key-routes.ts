import { z } from 'zod';
import { revokeKey, rotateKeys } from '../../src/accounts/store';
import { Refusal } from '../../src/platform/errors';
import { isUuid } from '../../src/platform/ids';
import { inTransaction } from '../../src/platform/postgres';
import type { ApiDeps } from '../deps';
import { type Route, route } from '../http/route';
import { connectorPath, keyPath, keyRotation, rotatedKey } from './schemas';
import { requireConnector } from './views';

const common = {
  tag: 'Connectors',
  access: { credentials: 'key', roles: ['operator'] },
  errors: 'coded',
} as const;

/** Routes that rotate and revoke the keys of clients. */
export function connectorKeyRoutes({ sql }: Pick<ApiDeps, 'sql'>): Route[] {
  return [
    route({
      ...common,
      method: 'post',
      path: '/v1/connectors/{connectorId}/keys',
      operationId: 'rotateConnectorKey',
      summary: 'Issue a new key',
      description: 'The existing keys keep working during the overlap and expire after it.',
      idempotent: true,
      answersSecret: true,
      params: connectorPath,
      body: keyRotation,
      response: rotatedKey,
      handler: async ({ params, body, idempotency }) => {
        const { id } = await requireConnector(sql, params.connectorId);
        return await inTransaction(sql, async (tx) => {
          const issued = await rotateKeys(tx, id, body.overlapSeconds);
          const answer = {
            keyId: issued.keyId,
            apiKey: issued.apiKey,
            apiSecret: issued.apiSecret,
            createdAt: issued.createdAt.toISOString(),
            previousKeysExpireAt: issued.previousKeysExpireAt.toISOString(),
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
      summary: 'Revoke a key',
      description: 'Every process refuses the key within one second.',
      params: keyPath,
      response: z.object({ id: z.string(), revoked: z.literal(true) }),
      handler: async ({ params: { connectorId, keyId } }) => {
        const { id } = await requireConnector(sql, connectorId);
        const revoked = isUuid(keyId) && (await revokeKey(sql, id, keyId));
        if (!revoked) throw new Refusal('NOT_FOUND', { message: 'This connector has no such key.' });
        return { id: keyId, revoked: true as const };
      },
    }),
  ];
}
