import { connectorRoutes } from './connectors/routes';
import type { ApiDeps } from './deps';
import { documentRoutes } from './documents/routes';
import type { Route } from './http/route';
import { operatorPartnerRoutes } from './operator/partners';
import { stockStatusRoutes } from './partner/stock-status';
import { subscribeRoutes } from './partner/subscribe';

/** Every route of the API but the system's own; each area brings its list. */
export function allRoutes(deps: ApiDeps): Route[] {
  return [
    ...subscribeRoutes(deps),
    ...stockStatusRoutes(deps),
    ...documentRoutes(deps),
    ...connectorRoutes(deps),
    ...operatorPartnerRoutes(deps),
  ];
}
