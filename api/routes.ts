import { auditRoute } from './accounts/audit-route';
import { oidcRoutes } from './accounts/oidc-routes';
import { operatorRoutes } from './accounts/operator-routes';
import { sessionRoutes } from './accounts/session-routes';
import { createSignInGuard } from './accounts/sign-in-guard';
import { attributeRoutes } from './catalog/attribute-routes';
import { customerProductRoutes } from './catalog/customer-product-routes';
import { productModelRoutes } from './catalog/product-model-routes';
import { productRoutes } from './catalog/product-routes';
import { channelRoutes } from './channels/channels';
import { clientRoutes } from './clients';
import type { ApiDeps } from './deps';
import { documentRoutes } from './documents';
import type { Route } from './http/route';
import { notificationRoutes } from './notifications/webhook-routes';
import { alarmRoute } from './operator/alarms';
import { codecRoutes } from './operator/codec';
import { bulkRepairRoutes } from './operator/orders/bulk-repairs';
import { documentListRoutes } from './operator/orders/documents';
import { orderAgainRoute } from './operator/orders/order-again';
import {
  fileRequestRoute,
  fileUploadRoute,
  orderPaymentRoute,
  orderReprintRoute,
  refundPreviewRoute,
} from './operator/orders/order-changes';
import { orderDetailRoute } from './operator/orders/order-detail';
import { orderRepairRoute, orderReviveRoute } from './operator/orders/order-repair';
import { operatorOrderSearchRoute } from './operator/orders/order-search';
import { noteRoutes, orderTimelineRoute, sentPrintOrderRoute } from './operator/orders/order-timeline';
import { outboxRoutes } from './operator/outbox';
import { operatorPartnerRoutes } from './operator/partners/partners';
import { personalDataRoutes } from './operator/personal-data';
import { reportRoute } from './operator/reports';
import { operatorShipmentRoutes } from './operator/shipments';
import { streamRoutes } from './operator/stream';
import { createLiveCounts, summaryRoutes } from './operator/summary';
import { jobRoutes, systemInfoRoutes } from './operator/system';
import { claimRoutes } from './orders/claims';
import { draftRoutes } from './orders/drafts';
import { orderSearchRoutes } from './orders/order-search';
import { orderRoutes } from './orders/orders';
import { preflightRoutes } from './orders/preflight';
import { orderQuoteRoutes } from './orders/quote';
import { receiptRoutes } from './orders/receipts';
import { replaceFileRoute } from './orders/replace-file';
import { dispatchRoute } from './partner/dispatch';
import { messageSchemaRoute, schemaIndexRoute } from './partner/message-schemas';
import { postbackRoute, printOrderRoutes } from './partner/print-orders';
import { stockStatusRoute } from './partner/stock-status';
import { subscribeRoute } from './partner/subscribe';
import { procurementOrderRoutes } from './procurement/procurement-order-routes';
import { exchangeRateRoutes, taxRateRoutes } from './procurement/rates';
import { procurementRoutes } from './procurement/routes';
import { stockRoutes } from './procurement/stock-routes';
import { sandboxRoutes } from './sandbox';
import { quoteRoute } from './shipping/quotes';
import {
  cancelShippingOrderRoute,
  createShippingOrderRoute,
  getShippingOrderRoute,
  searchShippingOrdersRoute,
} from './shipping/shipping-orders';
import { carrierEventsRoute, trackingPageRoute, trackingRoute } from './shipping/tracking';

/** Every route of the API but the system's own; each area brings its list. */
export function allRoutes(deps: ApiDeps): Route[] {
  const counts = createLiveCounts(deps);
  const guard = createSignInGuard(deps.sql);
  return [
    ...catalogRoutes(deps),
    ...orderRoutes(deps),
    replaceFileRoute(deps),
    ...claimRoutes(deps),
    ...preflightRoutes(deps),
    ...draftRoutes(deps),
    ...orderSearchRoutes(deps),
    ...orderQuoteRoutes(deps),
    ...receiptRoutes(deps),
    ...taxRateRoutes(deps),
    subscribeRoute(deps),
    postbackRoute(deps),
    ...printOrderRoutes(deps),
    dispatchRoute(deps),
    schemaIndexRoute(deps.publicUrl),
    messageSchemaRoute(deps.publicUrl),
    ...shippingRoutes(deps),
    stockStatusRoute(deps),
    ...documentRoutes(deps),
    ...notificationRoutes(deps),
    ...operatorRoutes(deps),
    auditRoute(deps),
    ...sessionRoutes(deps, guard),
    ...oidcRoutes(deps, guard),
    ...clientRoutes(deps),
    ...channelRoutes(deps),
    ...operatorPartnerRoutes(deps),
    ...operatorOrderRoutes(deps),
    ...operatorShipmentRoutes(deps),
    reportRoute(deps),
    ...outboxRoutes(deps),
    ...summaryRoutes(deps, counts),
    alarmRoute(deps),
    ...streamRoutes(deps, counts),
    ...jobRoutes(deps),
    ...systemInfoRoutes(deps),
    ...sandboxRoutes(deps),
    ...personalDataRoutes(deps),
    ...codecRoutes(deps),
    ...procurementRoutes(deps),
    ...procurementOrderRoutes(deps),
    ...stockRoutes(deps),
    ...exchangeRateRoutes(deps),
  ];
}

export function catalogRoutes(deps: ApiDeps): Route[] {
  return [
    ...customerProductRoutes(deps),
    ...attributeRoutes(deps),
    ...productModelRoutes(deps),
    ...productRoutes(deps),
  ];
}

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

export function operatorOrderRoutes(deps: ApiDeps): Route[] {
  return [
    operatorOrderSearchRoute(deps),
    orderDetailRoute(deps),
    orderTimelineRoute(deps),
    orderRepairRoute(deps),
    orderReviveRoute(deps),
    orderReprintRoute(deps),
    orderAgainRoute(deps),
    refundPreviewRoute(deps),
    fileUploadRoute(deps),
    orderPaymentRoute(deps),
    fileRequestRoute(deps),
    sentPrintOrderRoute(deps),
    ...documentListRoutes(deps),
    ...noteRoutes(deps),
    ...bulkRepairRoutes(deps),
  ];
}
