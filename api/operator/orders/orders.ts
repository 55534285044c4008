import type { ApiDeps } from '../../deps';
import type { Route } from '../../http/route';
import { bulkRepairRoutes } from './bulk-repairs';
import { documentListRoutes } from './documents';
import { orderDetailRoute } from './order-detail';
import { fileRequestRoute, orderPaymentRoute, orderReprintRoute } from './order-payment';
import { orderRepairRoute } from './order-repair';
import { operatorOrderSearchRoute } from './order-search';
import { noteRoutes, orderTimelineRoute, sentPrintOrderRoute } from './order-timeline';

/** Routes with which operators read and repair orders. */
export function operatorOrderRoutes(deps: ApiDeps): Route[] {
  return [
    operatorOrderSearchRoute(deps),
    orderDetailRoute(deps),
    orderTimelineRoute(deps),
    orderRepairRoute(deps),
    orderReprintRoute(deps),
    orderPaymentRoute(deps),
    fileRequestRoute(deps),
    sentPrintOrderRoute(deps),
    ...documentListRoutes(deps),
    ...noteRoutes(deps),
    ...bulkRepairRoutes(deps),
  ];
}
