import { type TestStack, testStack } from '../../support/stack';
import { faultyFile, poster } from './client-orders';
import { accepted, is, orderBody, orderUntil } from './order-fixture';

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

const read = (orderId: string) => stack.client.getOrder({ params: { orderId } });
const cancel = (orderId: string, items: object[], by: 'client' | 'operator' = 'client') =>
  stack[by].cancelOrder({ params: { orderId }, body: { items, reason: 'fewer guests' } as never });

/** Submits an order of five posters. @param ms time that the download of its file takes */
async function submitted(reference: string, ms = 0): Promise<string> {
  const files = [{ type: 'default', url: faultyFile(stack, `slow.pdf?ms=${ms}`) }];
  const body = { ...orderBody(stack, reference), items: [poster(stack, { quantity: 5, files })] };
  return (await stack.client.submitOrder({ body: body as never })).id;
}

/** Returns the units of each receipt, and the unit price in cents of all. */
async function receiptsOf(orderId: string) {
  const { receipts } = await read(orderId);
  return receipts.map(({ type, items }) => [type, items.find((line) => line.type === 'product')!.amount]);
}

test('single units that are cancelled before the plan are not made and not charged', async () => {
  const id = await submitted('early-units', 5_000);
  await orderUntil(stack, id, is('uploading'));
  expect(await cancel(id, [{ itemReferenceId: 'poster', quantity: 2 }])).toMatchObject({ cancellation: 'done' });
  // Three units are left.
  await expect(cancel(id, [{ itemReferenceId: 'poster', quantity: 4 }])).rejects.toMatchObject({ status: 409 });

  const { printOrderId } = await accepted(stack, id);
  const order = await read(id);
  expect(order.items[0]).toMatchObject({ fulfillmentStatus: 'passed', printJobs: [{ quantity: 3 }] });
  expect(await receiptsOf(id)).toEqual([
    ['invoice', 5],
    ['refund', 2],
  ]);
  expect(order.eventLog).toContainEqual(expect.objectContaining({ type: 'cancel_units' }));
  const [sent] = await stack.services.sql<{ body: string }[]>`SELECT body FROM print_orders WHERE id = ${printOrderId}`;
  expect(JSON.parse(sent!.body)).toMatchObject({ items: [{ count: 3 }] });
});

test('all units of an unplanned item are the whole item', async () => {
  const id = await submitted('early-all', 5_000);
  await orderUntil(stack, id, is('uploading'));
  await cancel(id, [{ itemReferenceId: 'poster', quantity: 2 }]);
  expect(await cancel(id, [{ itemReferenceId: 'poster', quantity: 3 }])).toMatchObject({
    fulfillmentStatus: 'canceled',
    cancellation: 'done',
  });
  expect((await read(id)).receipts).toEqual([]);
});

test('units that a partner has are refused to a client; an operator ends them with their refund', async () => {
  const id = await submitted('late-units');
  const { printOrderId } = await accepted(stack, id);
  const before = await read(id);
  await expect(cancel(id, [{ itemReferenceId: 'poster', quantity: 2 }])).rejects.toMatchObject({
    status: 409,
    body: { message: expect.stringContaining('only whole items') },
  });
  expect(await read(id)).toMatchObject({ receipts: [{ type: 'invoice' }], items: [{ fulfillmentStatus: 'passed' }] });

  await cancel(id, [{ itemReferenceId: 'poster', quantity: 4 }], 'operator');
  await orderUntil(stack, id, ({ financialStatus }) => financialStatus === 'partially_refunded');
  const after = await read(id);
  expect(after.items[0]).toMatchObject({ fulfillmentStatus: 'passed', printJobs: [{ quantity: 1 }] });
  expect((await receiptsOf(id)).slice(0, 2)).toEqual([
    ['invoice', 5],
    ['refund', 4],
  ]);
  expect(before.items[0]!.printJobs).toMatchObject([{ quantity: 5 }]);

  const { documents } = await stack.partner('prints-berlin').dispatchOrder({ body: { orderId: printOrderId } });
  expect(documents.length).toBeGreaterThan(0);
  const [parcel] = (await read(id)).shipment!.packages as { items: object[] }[];
  expect(parcel!.items).toEqual([{ itemReferenceId: 'poster', quantity: 1 }]);
  await expect(cancel(id, [{ itemReferenceId: 'poster', quantity: 2 }], 'operator')).rejects.toMatchObject({
    status: 409,
  });
});

test('an item that is named twice, or has fewer units, is refused with its place', async () => {
  const id = await submitted('named-twice');
  const items = [
    { itemReferenceId: 'poster', quantity: 1 },
    { itemReferenceId: 'poster', quantity: 1 },
  ];
  await expect(cancel(id, items)).rejects.toMatchObject({
    status: 400,
    body: { errors: [{ reference: 'items[1].itemReferenceId' }] },
  });
  await expect(cancel(id, [{ itemReferenceId: 'poster', quantity: 6 }])).rejects.toMatchObject({
    status: 400,
    body: { errors: [{ reference: 'items[0].quantity' }] },
  });
  expect(await read(id)).not.toMatchObject({ fulfillmentStatus: 'canceled' });
});
