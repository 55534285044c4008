import type { CarrierRefusal } from '../../carriers/carrier';

/** Type name of the workflow that buys a shipping order's labels. */
export const SHIPPING_ORDER_WORKFLOW = 'shippingOrder';

export function shippingOrderWorkflowId(shippingOrderId: string): string {
  return `shipping-order-${shippingOrderId}`;
}

/** Key under which a shipping order's shipment is bought. */
export function shippingOrderPurchaseKey(shippingOrderId: string): string {
  return `shipping-order:${shippingOrderId}`;
}

export interface ShippingOrderInput {
  readonly shippingOrderId: string;
  /** Id of the request that placed it, carried into every log line. */
  readonly requestId: string;
}

/** How a purchase ended. */
export type ShippingOrderOutcome =
  | { readonly outcome: 'bought'; readonly shipmentId: string }
  | { readonly outcome: 'refused'; readonly refusal: CarrierRefusal };
