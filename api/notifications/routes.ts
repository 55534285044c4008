import type { ApiDeps } from '../deps';
import type { Route } from '../http/route';
import { CLIENTS, OPERATORS } from './audience';
import { clientWebhookRoutes } from './client-webhook-routes';
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
    ...clientWebhookRoutes(deps),
  ];
}
