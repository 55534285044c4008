import type { ApiDeps } from '../deps';
import type { Route } from '../http/route';
import { attributeRoutes } from './attribute-routes';
import { customerProductRoutes } from './customer-product-routes';
import { productModelRoutes } from './product-model-routes';
import { productRoutes } from './product-routes';

/** All routes of the catalog (docs/catalog.md). */
export function catalogRoutes(deps: ApiDeps): Route[] {
  return [
    ...customerProductRoutes(deps),
    ...attributeRoutes(deps),
    ...productModelRoutes(deps),
    ...productRoutes(deps),
  ];
}
