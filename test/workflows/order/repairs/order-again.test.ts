import { type TestStack, testStack } from '../../../support/stack';
import { address, goodFile } from '../client-orders';
import { conflict, operatorHelpers } from '../operator-fixture';
import { accepted, handedOver, is, orderBody, orderLog, orderUntil } from '../order-fixture';

/** An operator on the phone makes another order from one of the client. The partners of the sandbox send no postbacks on their own. */

let stack: TestStack;
const { say, look } = operatorHelpers(() => stack);

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

const LARGER = 'flat_product_pf_a2_pt_200-gsm-uncoated_cl_4-0_ver';
const again = (orderId: string, body: object, options?: { readonly idempotencyKey: string }) =>
  stack.operator.orderAgain({ params: { orderId }, body: { reason: 'asked by phone', ...body } }, options);
const shown = (orderId: string) => stack.client.getOrder({ params: { orderId } });
const ordersOf = async (reference: string) =>
  await stack.services.sql`SELECT id FROM orders WHERE order_reference_id = ${reference}`;

test('another size and quantity at another address are quoted, and then ordered once at these prices', async () => {
  const { orderId } = await handedOver(stack, 'larger', { items: 2 });
  const change = {
    items: [
      {
        itemReferenceId: 'poster',
        productUid: LARGER,
        quantity: 3,
        files: [{ type: 'default', url: goodFile(stack, 'poster-a2.pdf') }],
      },
    ],
    shippingAddress: { ...address, addressLine1: 'Linienstrasse 9' },
  };
  const { id: none, quote } = await again(orderId, { ...change, dryRun: true });
  expect(none).toBeNull();
  expect(await ordersOf('larger')).toHaveLength(1);

  const options = { idempotencyKey: 'larger-once' };
  const [made, repeated] = [await again(orderId, change, options), await again(orderId, change, options)];
  expect(repeated).toEqual(made);
  expect(await ordersOf('larger')).toHaveLength(2);
  await accepted(stack, made.id!);
  const order = await shown(made.id!);
  expect(order).toMatchObject({
    reprintOf: null,
    shippingAddress: { addressLine1: 'Linienstrasse 9' },
    items: [{ itemReferenceId: 'poster', productUid: LARGER, quantity: 3 }],
  });
  const charged = order.receipts.reduce((sum, { totalInclVat }) => sum + Math.round(totalInclVat * 100), 0);
  expect(charged).toBe(Math.round(quote.totalInclVat * 100));
  expect(quote.quotes[0]!.shipmentMethods[0]).toMatchObject({ maxDeliveryDate: expect.stringMatching(/^\d{4}-/) });
  // The first one is kept, and both logs say so.
  expect((await look(orderId)).fulfillmentStatus).toBe('passed');
  const by = { by: 'operator', reason: 'asked by phone' };
  expect(await orderLog(stack, orderId, 'ordered_again')).toMatchObject([{ data: { ...by, orderId: made.id } }]);
  expect(await orderLog(stack, made.id!, 'ordered_again_from')).toMatchObject([{ data: { ...by, orderId } }]);
});

test('the first order is cancelled where it can be, and nothing is ordered where it cannot', async () => {
  const { orderId } = await handedOver(stack, 'instead');
  const { id } = await again(orderId, { first: 'cancel', items: [{ itemReferenceId: 'poster', quantity: 2 }] });
  await orderUntil(stack, orderId, is('canceled'));
  await accepted(stack, id!);

  const left = await handedOver(stack, 'left');
  await say(left, 'shipped');
  await orderUntil(stack, left.orderId, is('shipped'));
  await expect(again(left.orderId, { first: 'cancel' })).rejects.toMatchObject(conflict(/shipped/));
  expect(await ordersOf('left')).toHaveLength(1);
  expect((await again(left.orderId, {})).id).not.toBeNull();
});

test('packaging instructions are kept for the same units, and another product does not have the retail price of the first', async () => {
  const instructed = [{ packageItems: [{ orderItemReferenceId: 'poster', quantity: 1 }] }];
  const body = { ...orderBody(stack, 'instructed', { items: 2 }), packagingInstructions: instructed };
  const { id: orderId } = await stack.client.submitOrder({ body: body as never });
  await accepted(stack, orderId);
  const same = await shown((await again(orderId, {})).id!);
  expect(same.packagingInstructions).toMatchObject(instructed);
  expect(same.items[0]!.retailPriceInclVat).toBe((await shown(orderId)).items[0]!.retailPriceInclVat);

  const other = { itemReferenceId: 'poster', productUid: LARGER };
  const unpriced = await shown((await again(orderId, { items: [other] })).id!);
  expect(unpriced).toMatchObject({ packagingInstructions: [], items: [{ retailPriceInclVat: null }] });
  const priced = await shown((await again(orderId, { items: [{ ...other, retailPriceInclVat: 31.5 }] })).id!);
  expect(priced.items[0]!.retailPriceInclVat).toBe(31.5);
});

test('what no submission may have is refused with its fields, and an erased order is not ordered again', async () => {
  const { orderId } = await handedOver(stack, 'refused-again');
  const refusals = [
    [{ items: [{ itemReferenceId: 'none' }] }, 'items[0].itemReferenceId'],
    [{ items: [{ itemReferenceId: 'poster' }, { itemReferenceId: 'poster' }] }, 'items[1].itemReferenceId'],
    [{ items: [{ itemReferenceId: 'poster', productUid: 'unknown' }] }, 'items[0].productUid'],
  ] as const;
  for (const [body, reference] of refusals) {
    await expect(again(orderId, body)).rejects.toMatchObject({ status: 400, errors: [{ reference }] });
  }
  await stack.database.owner`UPDATE orders SET erased_at = now() WHERE id = ${orderId}`;
  await expect(again(orderId, {})).rejects.toMatchObject(conflict(/erased/));
  expect(await ordersOf('refused-again')).toHaveLength(1);
});
