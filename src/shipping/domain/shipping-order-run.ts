import type { CarrierRefusal } from '../../carriers/carrier';

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
