import { eventually, type TestStack } from '../support/stack';
import { address, type OrderBody, poster, sticker } from '../workflows/order/client-orders';

/** Orders that the console's tests look at. */

const body = (
  stack: TestStack,
  orderReferenceId: string,
  marker: string,
  more: OrderBody['items'] = [],
): OrderBody => ({
  orderReferenceId,
  currency: 'EUR',
  // The partner in Ohio ships across a customs border.
  retailCurrency: 'EUR',
  retailShippingPriceInclVat: 4.9,
  shippingAddress: { ...address, addressLine2: marker },
  items: [poster(stack, { retailPriceInclVat: 19.9 }), ...more],
});

/** Submits an order of posters. The marker selects what the sandbox does with it. */
export function orderWith(
  stack: TestStack,
  reference: string,
  more: {
    readonly marker?: string;
    readonly quantity?: number;
    readonly items?: OrderBody['items'];
    readonly address?: OrderBody['shippingAddress'];
  },
) {
  const { marker = '', quantity = 1, items, address: shippingAddress } = more;
  const order = body(stack, reference, marker);
  return stack.client.submitOrder({
    body: {
      ...order,
      ...(shippingAddress === undefined ? {} : { shippingAddress }),
      items: items ?? [poster(stack, { retailPriceInclVat: 19.9, quantity })],
    },
  });
}

/** Submits an order that the partners make and deliver. */
export const goodOrder = (stack: TestStack, reference: string) =>
  stack.client.submitOrder({ body: body(stack, reference, '') });

/** Submits an order for a document and an image. */
export const twoItemOrder = (stack: TestStack, reference: string) =>
  stack.client.submitOrder({
    body: body(stack, reference, '', [sticker(stack, { retailPriceInclVat: 4.9 })]),
  });

/** Submits an order that prints-berlin refuses. Another partner can make it. */
export const refusedOrder = (stack: TestStack, reference: string) =>
  stack.client.submitOrder({ body: body(stack, reference, 'sandbox:prints-berlin/refuses') });

/** Waits until an order has a status. */
export const hasStatus = (stack: TestStack, orderId: string, status: string) =>
  eventually(async () => {
    // A busy machine can be too slow for a response. The next look gets one.
    const order = await stack.client.getOrder({ params: { orderId } }).catch((error: { status?: number }) => {
      if (error.status !== 503) throw error;
    });
    return order?.fulfillmentStatus === status ? order : undefined;
  });
