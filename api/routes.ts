import { connectorRoutes } from './connectors/routes';
import type { ApiDeps } from './deps';
import type { Route } from './http/route';

/** Every route of the API but the system's own; each area brings its list. */
export function allRoutes(deps: ApiDeps): Route[] {
  return [...connectorRoutes(deps)];
}
