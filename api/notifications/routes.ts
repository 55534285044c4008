import { z } from 'zod';
import { endpointsWithHealth } from '../../src/notifications/delivery-log';
import { endpointHealthSchema } from '../../src/notifications/webhook-schemas';
import { requireClient } from '../clients/views';
import type { ApiDeps } from '../deps';
import { type Route, route } from '../http/route';
import { CLIENTS, OPERATORS, OPERATORS_FOR_CLIENTS } from './audience';
import { deliveryRoutes } from './delivery-routes';
import { orderDeliveryRoutes } from './order-delivery-routes';
import { webhookRoutes } from './webhook-routes';

export function notificationRoutes(deps: Pick<ApiDeps, 'sql' | 'config' | 'secretBox'>): Route[] {
  return [
    ...[CLIENTS, OPERATORS].flatMap((audience) => [
      ...webhookRoutes(deps, audience),
      ...deliveryRoutes(deps, audience),
    ]),
    ...orderDeliveryRoutes(deps),
    clientEndpointsRoute(deps),
    ...deliveryRoutes(deps, OPERATORS_FOR_CLIENTS),
  ];
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
    handler: async ({ params: { connectorId } }) => ({
      webhooks: await endpointsWithHealth(sql, (await requireClient(sql, connectorId)).id),
    }),
  });
}
