import { createCarriers } from '../../src/carriers/carriers';
import type { ApiDeps } from '../deps';
import type { Route } from '../http/route';
import { quoteRoute } from './quotes';
import { shippingOrderRoute } from './shipping-orders';

/** The shipping group of the interface. */
export function shippingRoutes(deps: ApiDeps): Route[] {
  const carriers = createCarriers(deps.sql);
  return [shippingOrderRoute(deps, carriers), quoteRoute(carriers)];
}
