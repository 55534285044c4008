import type { ApiDeps } from '../deps';
import type { Route } from '../http/route';
import { attributeRoutes } from './attribute-routes';
import { customerProductRoutes } from './customer-product-routes';
import { productModelRoutes } from './product-model-routes';

/** The catalog's routes (interface "Catalog", and what DESIGN adds). */
export function catalogRoutes(deps: ApiDeps): Route[] {
  return [...customerProductRoutes(deps), ...attributeRoutes(deps), ...productModelRoutes(deps)];
}
