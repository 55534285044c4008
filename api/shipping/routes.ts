import type { ApiDeps } from '../deps';
import type { Route } from '../http/route';
import { carrierEventsRoute } from './carrier-events';
import { quoteRoute } from './quotes';
import { searchShippingOrdersRoute } from './shipping-order-search';
import { cancelShippingOrderRoute, createShippingOrderRoute, getShippingOrderRoute } from './shipping-orders';
import { trackingRoute } from './tracking';
import { trackingPageRoute } from './tracking-page';

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
