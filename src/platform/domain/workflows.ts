/**
 * Workflow types, workflow ids with their inverses, and the messages that Postgres sends through the outbox.
 *
 * Every type, id and name here is stored in Temporal and in outbox rows. Changing one breaks running workflows: add a
 * new name and keep the old one.
 */

/** Type names of all workflows, as the worker registers them. */
export const WORKFLOW_TYPES = {
  order: 'order',
  procurementOrder: 'procurementOrder',
  shippingOrder: 'shippingOrder',
  takeBackShipment: 'takeBackShipment',
  cancelShippingOrder: 'cancelShippingOrder',
  partnerStockPoll: 'partnerStockPoll',
  trackingSweep: 'trackingSweep',
  reconcile: 'reconcile',
  maintenance: 'maintenance',
  erasePersonalData: 'erasePersonalData',
  bulkRepair: 'bulkRepair',
} as const;

/** Signals of the order workflow. */
export const ORDER_SIGNALS = { postback: 'postback', tracking: 'tracking' } as const;

/** Prefix of the workflow ids of order runs. SQL builds an id as this prefix followed by the order id. */
export const ORDER_WORKFLOW_PREFIX = 'order-';

/** Returns the workflow id of an order's run. */
export function orderWorkflowId(orderId: string): string {
  return `${ORDER_WORKFLOW_PREFIX}${orderId}`;
}

/** Returns the order id of an order run's workflow id, or null for the id of any other workflow. */
export function orderIdOfWorkflow(workflowId: string): string | null {
  return workflowId.startsWith(ORDER_WORKFLOW_PREFIX) ? workflowId.slice(ORDER_WORKFLOW_PREFIX.length) : null;
}

/** Returns the workflow id of a procurement order's run. */
export function procurementWorkflowId(orderId: number): string {
  return `procurement-order-${orderId}`;
}

/** Returns the workflow id of the workflow that buys the labels of a shipping order. */
export function shippingOrderWorkflowId(shippingOrderId: string): string {
  return `shipping-order-${shippingOrderId}`;
}

/** Returns the workflow id of the cancellation of a shipping order. */
export function cancelShippingOrderWorkflowId(shippingOrderId: string): string {
  return `cancel-shipping-order-${shippingOrderId}`;
}

/** Returns the workflow id under which the purchase of a failed shipping order is voided: a child of that order's workflow. */
export function takeBackShippingOrderWorkflowId(shippingOrderId: string): string {
  return `take-back-${shippingOrderId}`;
}

/**
 * Returns the workflow id under which reconciliation voids an unfinished purchase.
 * @param shipmentId id of the row in `shipments`
 */
export function voidShipmentWorkflowId(shipmentId: string): string {
  return `void-shipment-${shipmentId}`;
}

/** Returns the workflow id under which the labels of a shipment that a part of a print order left behind are voided. */
export function voidPackagesWorkflowId(shipmentId: string): string {
  return `void-packages-${shipmentId}`;
}

/** Returns the workflow id of a bulk repair of orders. */
export function bulkRepairWorkflowId(bulkRepairId: string): string {
  return `bulk-repair-${bulkRepairId}`;
}
