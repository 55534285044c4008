/**
 * Workflow types, workflow ids with their inverses, and the messages that Postgres sends through the outbox.
 *
 * Every type, id and name here is stored in Temporal and in outbox rows. Changing one breaks running workflows: add a
 * new name and keep the old one.
 */

export const WORKFLOW_TYPES = {
  order: 'order',
  procurementOrder: 'procurementOrder',
  shippingOrder: 'shippingOrder',
  takeBackShipment: 'takeBackShipment',
  cancelShippingOrder: 'cancelShippingOrder',
  replaceLabel: 'replaceLabel',
  partnerStockPoll: 'partnerStockPoll',
  trackingSweep: 'trackingSweep',
  reconcile: 'reconcile',
  maintenance: 'maintenance',
  erasePersonalData: 'erasePersonalData',
  sumReports: 'sumReports',
  bulkRepair: 'bulkRepair',
  preflight: 'preflight',
  channelOrders: 'channelOrders',
  channelPoll: 'channelPoll',
} as const;

export const ORDER_SIGNALS = {
  postback: 'postback',
  tracking: 'tracking',
  flagged: 'flagged',
  filesReplaced: 'filesReplaced',
} as const;

/** Prefix of the workflow ids of order runs. SQL builds an id as this prefix followed by the order id. */
export const ORDER_WORKFLOW_PREFIX = 'order-';

export const orderWorkflowId = (orderId: string) => `${ORDER_WORKFLOW_PREFIX}${orderId}`;

export const orderIdOfWorkflow = (workflowId: string) =>
  workflowId.startsWith(ORDER_WORKFLOW_PREFIX) ? workflowId.slice(ORDER_WORKFLOW_PREFIX.length) : null;

/** Returns the id of the object whose own workflow has this id. Null for any other workflow. */
export function objectOfWorkflow(workflowId: string) {
  const [, kind, id] =
    /^(order|shipping-order|procurement-order)-([0-9a-f]{8}-[0-9a-f-]{27}|\d+)$/.exec(workflowId) ?? [];
  return kind === undefined ? null : { kind: kind as 'order' | 'shipping-order' | 'procurement-order', id: id! };
}

export const procurementWorkflowId = (orderId: number) => `procurement-order-${orderId}`;
export const shippingOrderWorkflowId = (shippingOrderId: string) => `shipping-order-${shippingOrderId}`;
export const cancelShippingOrderWorkflowId = (shippingOrderId: string) => `cancel-shipping-order-${shippingOrderId}`;
export const preflightWorkflowId = (preflightId: string) => `preflight-${preflightId}`;
export const channelWorkflowId = (channelId: string, runId: string) => `channel-${channelId}-${runId}`;
export const bulkRepairWorkflowId = (bulkRepairId: string) => `bulk-repair-${bulkRepairId}`;

/** Returns the workflow id under which the purchase of a failed shipping order is voided: a child of that order's workflow. */
export const takeBackShippingOrderWorkflowId = (shippingOrderId: string) => `take-back-${shippingOrderId}`;

/** Returns the workflow id under which reconciliation voids an unfinished purchase. */
export const voidShipmentWorkflowId = (shipmentId: string) => `void-shipment-${shipmentId}`;

/**
 * Returns the workflow id under which packages of a shipment are voided.
 * @param position index of the first of them. A package is left out once, so that no two have the same id
 */
export const voidPackagesWorkflowId = (shipmentId: string, position: number) =>
  `void-packages-${shipmentId}-${position}`;

/** Returns the workflow id under which the label of a package is replaced. @param position index of the package */
export const replaceLabelWorkflowId = (shipmentId: string, position: number) =>
  `replace-label-${shipmentId}-${position}`;

/**
 * Returns the task queue of activities that fetch print files. They may take long, so they have slots of their own. Workflows
 * and all other activities use TEMPORAL_TASK_QUEUE, after which this queue is named.
 */
export function fileQueueOf(taskQueue: string): string {
  return `${taskQueue}-files`;
}

/** Returns the task queue of preflights. They have few slots of their own, so that they never hold back files of orders. */
export function preflightQueueOf(taskQueue: string): string {
  return `${taskQueue}-preflights`;
}
