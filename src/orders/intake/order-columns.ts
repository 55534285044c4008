import type { SubmitOrder } from './order-schemas';

/** Returns what a client submits of an order, without its items, as columns of `orders`. */
export function orderColumns(order: Omit<SubmitOrder, 'preventDuplicate'>, addressId: string, requestId: string) {
  const isDraft = order.orderType === 'draft';
  return {
    order_reference_id: order.orderReferenceId,
    customer_reference_id: order.customerReferenceId ?? null,
    order_type: order.orderType,
    fulfillment_status: isDraft ? 'draft' : 'created',
    financial_status: isDraft ? 'draft' : 'pending',
    currency: order.currency,
    retail_currency: order.retailCurrency ?? null,
    retail_shipping_price: order.retailShippingPriceInclVat ?? null,
    shipment_method_uid: order.shipmentMethodUid ?? null,
    shipping_address: { id: addressId, ...order.shippingAddress },
    packaging_instructions: order.packagingInstructions ?? [],
    metadata: order.metadata ?? [],
    replaces_id: order.replaces ?? null,
    request_id: requestId,
  };
}

/** Returns the names of the columns for a statement. */
export const columnNames = (columns: ReturnType<typeof orderColumns>): string => Object.keys(columns).join(', ');
