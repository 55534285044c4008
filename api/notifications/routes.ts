import type { ApiDeps } from '../deps';
import type { Route } from '../http/route';
import { deliveryRoutes } from './delivery-routes';
import { webhookRoutes } from './webhook-routes';

export function notificationRoutes(deps: Pick<ApiDeps, 'sql' | 'config' | 'secretBox'>): Route[] {
  return [...webhookRoutes(deps), ...deliveryRoutes(deps)];
}
