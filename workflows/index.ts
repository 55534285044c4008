export { bulkRepair } from './bulk-repair';
export { erasePersonalData, maintenance, sumReports } from './maintenance';
export { order } from './order/order';
export { partnerStockPoll } from './partner-stock-poll';
export { preflight } from './preflight';
export { procurementOrder } from './procurement-order';
export { reconcile } from './reconcile';
export { cancelShippingOrder, replaceLabel, shippingOrder, takeBackShipment } from './shipping-order';
export { trackingSweep } from './tracking-sweep';
