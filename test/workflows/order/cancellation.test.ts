import { freePort } from '../../../packages/embedded-servers/ports';
import { orderWorkflowId } from '../../../src/platform/domain/workflows';
import { untilLocked } from '../../support/database';
import { eventually, type TestStack, testStack } from '../../support/stack';
import { fileHost } from './file-host';
import { operatorHelpers } from './operator-fixture';
import {
  handedOver,
  is,
  orderBody,
  orderLog,
  orderNow,
  orderUntil,
  seenPrintOrders,
  withBerlin,
} from './order-fixture';

/** A client cancels an order before and after its delivery to the partner, with every response of the partner. */

let stack: TestStack;
const files = fileHost();
const { say, repair } = operatorHelpers(() => stack);

beforeAll(async () => {
  // A test locks rows, and the API needs a connection while a statement of the worker waits for the lock.
  stack = await testStack({ mode: 'manual', config: { DATABASE_POOL_SIZE: 10 } });
  await stack.client.createWebhook({ body: { url: `${stack.sandbox.url}/nowhere` } });
});

const cancel = (orderId: string) =>
  stack.client.cancelOrder({ params: { orderId }, body: { reason: 'ordered twice' } });
const conflict = { status: 409, code: 'CONFLICT' };

const receipts = async (orderId: string) =>
  (await stack.client.getOrder({ params: { orderId } })).receipts.map(({ transactionType, totalInclVat }) => ({
    transactionType,
    totalInclVat,
  }));

test('while files are fetched, the order is cancelled at once without a print order or a charge', async () => {
  const { id } = await files.submit(stack, 'early');
  // Twenty clients at once: the run ends with the first cancel.
  for (const done of await Promise.all(Array.from({ length: 20 }, () => cancel(id))))
    expect(done).toMatchObject({ fulfillmentStatus: 'canceled', cancellation: 'done' });
  expect(await orderNow(stack, id)).toMatchObject({
    status: 'canceled',
    financialStatus: 'canceled',
    items: [{ status: 'cancelled' }],
    printOrderIds: [],
  });
  expect(await receipts(id)).toEqual([]);
});

test('before the order has started, cancel and change get 503; a request at its start waits for it', async () => {
  await stack.stopWorker();
  const body = orderBody(stack, 'not-started');
  const { id } = await stack.client.submitOrder({ body });
  const unavailable = { status: 503, body: { message: 'The order has not started yet. Try again shortly.' } };
  await expect(cancel(id)).rejects.toMatchObject(unavailable);
  const shippingAddress = { ...body.shippingAddress, addressLine2: '4th floor' };
  await expect(
    stack.client.updateShipment({ params: { orderId: id }, body: { shippingAddress } }),
  ).rejects.toMatchObject(unavailable);
  const { count } = await stack.services.sql`SELECT FROM shipping_changes WHERE order_id = ${id}`;
  expect(count).toBe(0);
  await stack.startWorker();
  await orderUntil(stack, id, is('passed'));
  const at = await stack.client.submitOrder({ body: orderBody(stack, 'at-its-start') });
  expect(await cancel(at.id)).toMatchObject({ fulfillmentStatus: 'canceled' });
});

test('a cancellation that waits for the transaction of the plan comes before the delivery, and its charge is refunded', async () => {
  const { sql } = stack.services;
  let id = '';
  let cancelled: ReturnType<typeof cancel> | undefined;
  await sql.begin(async (tx) => {
    // The insert of the print order waits for this row.
    await tx`SELECT FROM partners WHERE uid = 'prints-berlin' FOR UPDATE`;
    ({ id } = await stack.client.submitOrder({ body: orderBody(stack, 'while-planned') }));
    await untilLocked(sql, 'new_print_orders');
    cancelled = cancel(id);
    // It waits for the order, which the plan holds.
    await untilLocked(sql, 'FOR NO KEY UPDATE');
  });
  expect(await cancelled).toMatchObject({ fulfillmentStatus: 'canceled' });
  const ended = await orderUntil(
    stack,
    id,
    (order) => order.financialStatus === 'refunded' && order.printOrderIds.length === 1,
  );
  expect(ended).toMatchObject({ status: 'canceled', items: [{ status: 'cancelled' }] });
  const totals = (await receipts(id)).map(({ totalInclVat }) => totalInclVat!);
  expect(totals).toHaveLength(2);
  expect(totals[0]! + totals[1]!).toBeCloseTo(0, 2);
  expect(await stack.services.temporal.workflow.getHandle(orderWorkflowId(id)).result()).toEqual({
    fulfillmentStatus: 'canceled',
  });
  expect(seenPrintOrders(stack, ended.printOrderIds)).toEqual([]);
});

test('when the partner agrees, everything is refunded', async () => {
  const { orderId, printOrderId } = await handedOver(stack, 'agreed', { items: 2 });
  await say(printOrderId, 'received');
  expect(await cancel(orderId)).toMatchObject({ fulfillmentStatus: 'canceled', cancellation: 'done' });
  expect(await orderNow(stack, orderId)).toMatchObject({ status: 'canceled', financialStatus: 'refunded' });
  const [seen] = seenPrintOrders(stack, [printOrderId]);
  expect(seen!.cancelOrders).toMatchObject([{ accepted: true }]);
  const totals = (await receipts(orderId)).map(({ totalInclVat }) => totalInclVat!);
  expect(totals).toHaveLength(2);
  expect(totals[0]! + totals[1]!).toBeCloseTo(0, 2);
  // A repeated cancel returns the order as it is.
  expect(await cancel(orderId)).toMatchObject({ fulfillmentStatus: 'canceled', cancellation: 'done' });
  expect(seenPrintOrders(stack, [printOrderId])[0]!.cancelOrders).toHaveLength(1);
});

test('rows of a lost workflow task do not say that an order is cancelled whose partner refuses', async () => {
  const { orderId, printOrderId } = await handedOver(stack, 'lost-task', {
    address: { addressLine2: 'sandbox:refuses-cancel' },
  });
  await stack.services.sql`UPDATE orders SET fulfillment_status = 'canceled' WHERE id = ${orderId}`;
  expect(await cancel(orderId)).toMatchObject({ cancellation: 'refused' });
  expect(seenPrintOrders(stack, [printOrderId])[0]!.cancelOrders).toMatchObject([{ accepted: false }]);
});

test('a print order that its partner cancels and then reports as shipped waits for an operator: nothing has left', async () => {
  const { orderId, printOrderId, itemIds } = await handedOver(stack, 'cancelled-then-shipped', { items: 2 });
  for (const status of ['cancelled', 'printed', 'shipped']) await say(printOrderId, status);
  await eventually(async () => (await orderLog(stack, orderId, 'postback_shipped'))[0]);
  expect(await orderNow(stack, orderId)).toMatchObject({
    status: 'on_hold',
    attention: 'partner_cancelled',
    items: [{ status: 'manual_handling' }, { status: 'manual_handling' }],
  });
  await expect(stack.partner('prints-berlin').dispatchOrder({ body: { orderId: printOrderId } })).rejects.toMatchObject(
    { status: 409 },
  );
  await repair(orderId, { action: 'refund', itemIds: [...itemIds] });
  expect(await orderUntil(stack, orderId, is('canceled'))).toMatchObject({
    financialStatus: 'refunded',
    attention: null,
  });
  const totals = (await receipts(orderId)).map(({ totalInclVat }) => totalInclVat!);
  expect(totals.reduce((sum, total) => sum + total, 0)).toBeCloseTo(0, 2);
});

test('when the partner refuses, the order continues with attention until it has shipped', async () => {
  const { orderId, printOrderId } = await handedOver(stack, 'refused', {
    address: { addressLine2: 'sandbox:refuses-cancel' },
  });
  await say(printOrderId, 'received');
  expect(await cancel(orderId)).toMatchObject({ fulfillmentStatus: 'in_production', cancellation: 'refused' });
  await orderUntil(stack, orderId, ({ attention }) => attention === 'cancel_refused');
  const notified = await eventually(async () => {
    const [delivery] = await stack.services.sql<{ body: string }[]>`
      SELECT body FROM webhook_deliveries WHERE order_id = ${orderId} AND event = 'order_cancel_refused'`;
    return delivery && JSON.parse(delivery.body);
  });
  expect(notified).toMatchObject({ orderId, status: 'in_production', items: [{ status: 'in_production' }] });
  expect(await cancel(orderId)).toMatchObject({ fulfillmentStatus: 'in_production', cancellation: 'refused' });
  expect(await orderLog(stack, orderId, 'partner_cancel_refused')).toMatchObject([
    { data: { message: expect.stringContaining('on the press already') } },
  ]);
  await say(printOrderId, 'shipped');
  expect(await orderUntil(stack, orderId, is('shipped'))).toMatchObject({
    attention: null,
    financialStatus: 'invoiced',
  });
  await expect(cancel(orderId)).rejects.toMatchObject(conflict);
});

test('when the partner does not respond, the client gets the current status and the order waits', async () => {
  const { orderId, printOrderId } = await handedOver(stack, 'silent');
  await say(printOrderId, 'received');
  await withBerlin(stack, 'order_cancel_url', `http://127.0.0.1:${await freePort()}/cancellations`, async () => {
    expect(await cancel(orderId)).toMatchObject({ fulfillmentStatus: 'in_production' });
  });
  // The request is repeated at the partner's old address, and it agrees.
  await orderUntil(stack, orderId, is('canceled'));
  expect(await orderNow(stack, orderId)).toMatchObject({ financialStatus: 'refunded' });
});

const cancelItems = (orderId: string, ...items: { itemReferenceId: string; quantity?: number }[]) =>
  stack.client.cancelOrder({ params: { orderId }, body: { items } });

test('named items are cancelled and refunded, and the other items go on', async () => {
  const { orderId, printOrderId, jobIds } = await handedOver(stack, 'one-of-two', { items: 2 });
  await say(printOrderId, 'received');
  const { items } = await stack.client.getOrder({ params: { orderId } });
  const [first, second] = items.map(({ itemReferenceId }) => itemReferenceId);
  expect(await cancelItems(orderId, { itemReferenceId: first! })).toMatchObject({
    fulfillmentStatus: 'in_production',
    cancellation: 'done',
  });
  expect(await orderNow(stack, orderId)).toMatchObject({
    financialStatus: 'partially_refunded',
    items: [{ status: 'cancelled' }, { status: 'in_production' }],
  });
  expect(seenPrintOrders(stack, [printOrderId])[0]!.cancelOrders).toMatchObject([
    { accepted: true, itemIds: [jobIds[0]] },
  ]);
  // One of the item, and one of its shipping.
  await eventually(async () => ((await receipts(orderId)).length === 3 ? true : undefined));
  // Again, it changes nothing.
  expect(await cancelItems(orderId, { itemReferenceId: first! })).toMatchObject({ cancellation: 'done' });
  expect(await receipts(orderId)).toHaveLength(3);
  expect(await cancelItems(orderId, { itemReferenceId: second! })).toMatchObject({ fulfillmentStatus: 'canceled' });
});
