import type { ApiDeps } from '../deps';
import type { Route } from '../http/route';
import { quoteRoute } from './quotes';
import {
  cancelShippingOrderRoute,
  createShippingOrderRoute,
  getShippingOrderRoute,
  searchShippingOrdersRoute,
} from './shipping-orders';
import { carrierEventsRoute, trackingPageRoute, trackingRoute } from './tracking';

/** Routes of the shipping group (docs/shipping.md), and the carrier webhook. */
export function shippingRoutes(deps: ApiDeps): Route[] {
  return [
    createShippingOrderRoute(deps),
    searchShippingOrdersRoute(deps),
    getShippingOrderRoute(deps),
    cancelShippingOrderRoute(deps),
    quoteRoute(deps),
    trackingRoute(deps),
    trackingPageRoute(deps),
    carrierEventsRoute(deps),
  ];
}
