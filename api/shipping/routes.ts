import { createCarriers } from '../../src/carriers/carriers';
import type { ApiDeps } from '../deps';
import type { Route } from '../http/route';
import { carrierEventsRoute } from './carrier-events';
import { quoteRoute } from './quotes';
import { shippingOrderRoute } from './shipping-orders';
import { trackingRoute } from './tracking';

/** The shipping group of the interface, and where carriers report to. */
export function shippingRoutes(deps: ApiDeps): Route[] {
  const carriers = createCarriers(deps.sql);
  return [
    shippingOrderRoute(deps, carriers),
    quoteRoute(carriers),
    trackingRoute(deps),
    carrierEventsRoute(deps),
  ];
}
