import { z } from 'zod';
import { endpointsWithHealth } from '../../src/notifications/delivery-log';
import { changeEndpoint } from '../../src/notifications/endpoints';
import { endpointHealthSchema } from '../../src/notifications/webhook-schemas';
import { inTransaction } from '../../src/platform/postgres';
import { requireClient } from '../clients/views';
import type { ApiDeps } from '../deps';
import { type Route, route } from '../http/route';
import { ADMINS_FOR_CLIENTS, CLIENTS, OPERATORS, OPERATORS_FOR_CLIENTS, shownTo } from './audience';
import { deliveryRoutes, orderDeliveryRoutes } from './delivery-routes';
import { createEndpointRoute, foundEndpoint, webhookRoutes } from './webhook-routes';

export function notificationRoutes(deps: Pick<ApiDeps, 'sql' | 'config' | 'secretBox'>): Route[] {
  return [
    ...[CLIENTS, OPERATORS].flatMap((audience) => [
      ...webhookRoutes(deps, audience),
      ...deliveryRoutes(deps, audience),
    ]),
    ...orderDeliveryRoutes(deps),
    clientEndpointsRoute(deps),
    createEndpointRoute(deps, ADMINS_FOR_CLIENTS, async (_account, connectorId = '') => ({
      id: (await requireClient(deps.sql, connectorId)).id,
      role: 'client',
    })),
    enableEndpointRoute(deps),
    ...deliveryRoutes(deps, OPERATORS_FOR_CLIENTS),
  ];
}

/** The route with which operators enable and disable an endpoint of a client. Its address and events are the client's. */
function enableEndpointRoute({ sql }: Pick<ApiDeps, 'sql'>): Route {
  const { access, endpoint, path, tag } = OPERATORS_FOR_CLIENTS;
  return route({
    tag,
    method: 'patch',
    access: access.write,
    path: `${path}/{webhookId}`,
    operationId: 'changeClientWebhook',
    summary: 'Enable or disable an endpoint of a client',
    description: 'A delivery that is due while the endpoint is disabled becomes a dead letter.',
    audits: ['endpoint.change'],
    params: z.object({ connectorId: z.string(), webhookId: z.string() }),
    body: z.strictObject({ enabled: z.boolean() }),
    response: endpoint,
    handler: ({ params: { connectorId, webhookId }, body, audit }) =>
      inTransaction(sql, async (tx) => {
        const before = await foundEndpoint(tx, connectorId, webhookId);
        const after = (await changeEndpoint(tx, connectorId, webhookId, body))!;
        await audit(tx, { action: 'endpoint.change', objectId: webhookId, before, after });
        return after;
      }),
  });
}

/** The route with which operators read the endpoints of a client. */
function clientEndpointsRoute({ sql }: Pick<ApiDeps, 'sql'>): Route {
  const { access, endpoint, path, tag } = OPERATORS_FOR_CLIENTS;
  return route({
    tag,
    method: 'get',
    access: access.read,
    path,
    operationId: 'listClientWebhooks',
    summary: 'List the endpoints of a client with their health',
    params: z.object({ connectorId: z.string() }),
    response: z.object({
      webhooks: z.array(endpoint.extend({ health: endpointHealthSchema }).meta({ id: 'ClientWebhook' })),
    }),
    handler: async ({ account, params: { connectorId } }) => {
      const endpoints = await endpointsWithHealth(sql, (await requireClient(sql, connectorId)).id);
      return { webhooks: endpoints.map((found) => shownTo(account, found)) };
    },
  });
}
