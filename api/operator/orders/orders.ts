import type { ApiDeps } from '../../deps';
import type { Route } from '../../http/route';
import { bulkRepairRoutes } from './bulk-repairs';
import { documentListRoutes } from './documents';
import { fileRequestRoute } from './file-request';
import { noteRoutes } from './notes';
import { orderDetailRoute } from './order-detail';
import { orderPaymentRoute } from './order-payment';
import { orderRepairRoute } from './order-repair';
import { orderReprintRoute } from './order-reprint';
import { operatorOrderSearchRoute } from './order-search';
import { orderTimelineRoute } from './order-timeline';
import { sentPrintOrderRoute } from './print-orders';

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
