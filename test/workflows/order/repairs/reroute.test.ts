import { eventually, type TestStack, testStack } from '../../../support/stack';
import { conflict, operatorHelpers } from '../operator-fixture';
import {
  accepted,
  handedOver,
  orderBody,
  orderLog,
  orderNow,
  orderUntil,
  seenPrintOrders,
  withBerlin,
} from '../order-fixture';

/**
 * A reroute asks the first partner to stop and waits for its response. Two partners make the same units only when an operator
 * forces it. The partners of the sandbox send no postbacks on their own.
 */

let stack: TestStack;
const { repair, say, look } = operatorHelpers(() => stack);
/** Deadline of a partner's response. Longer than a response over HTTP takes on a machine under load. */
const LIMIT_MS = 20_000;

beforeAll(async () => {
  stack = await testStack({ mode: 'manual', config: { STOP_DEADLINE: LIMIT_MS } });
});

/** Runs a step while prints-berlin has no cancel URL: it can then only respond by postback. */
const withoutCancelUrl = <T>(work: () => Promise<T>) => withBerlin(stack, 'order_cancel_url', null, work);
const reroute = (itemId: string) => ({ action: 'reroute', itemId }) as const;

/** Waits until the second print order of an order has been delivered. Returns its id. */
async function secondDelivered(orderId: string): Promise<string> {
  const { printOrderIds } = await orderUntil(stack, orderId, (now) => now.printOrderIds.length === 2);
  return await eventually(async () => {
    const [seen] = seenPrintOrders(stack, printOrderIds.slice(1));
    return seen?.printOrderId;
  });
}

const logged = async (orderId: string, type: string) => (await orderLog(stack, orderId, type))[0];

/** Returns how many print orders of an order partners have received. */
async function delivered(orderId: string): Promise<number> {
  return seenPrintOrders(stack, (await orderNow(stack, orderId)).printOrderIds).length;
}

test('when the first partner agrees, the second gets the items', async () => {
  const { orderId, printOrderId, itemIds } = await handedOver(stack, 'agrees', { items: 2 });
  await say({ printOrderId }, 'received');
  const [poster, sticker] = itemIds as [string, string];
  const [{ weight: before }] = await stack.services.sql<[{ weight: string }]>`
    SELECT total_weight_grams AS weight FROM planned_shipments WHERE print_order_id = ${printOrderId}`;
  expect(await repair(orderId, reroute(poster))).toMatchObject({ waitsForPartner: false, attention: [] });
  await secondDelivered(orderId);
  const types = (await orderLog(stack, orderId)).map(({ type }) => type);
  expect(types.filter((type) => /reroute|partner_cancel/.test(type))).toEqual([
    'reroute_requested',
    'partner_cancel_confirmed',
    'reroute',
  ]);
  expect((await look(orderId)).printOrders).toMatchObject([
    {
      jobs: [
        { itemId: poster, status: 'superseded' },
        { itemId: sticker, status: 'in_production' },
      ],
    },
    { partnerUid: 'prints-ohio', jobs: [{ itemId: poster }] },
  ]);
  // The first partner's shipment is planned without the item.
  await eventually(async () => {
    const [row] = await stack.services.sql<{ weight: string }[]>`
      SELECT total_weight_grams AS weight FROM planned_shipments WHERE print_order_id = ${printOrderId}`;
    return Number(row!.weight) < Number(before) ? row : undefined;
  });
});

test('a reroute costs the client nothing, and units that are cancelled after it give back the shipping of their parcel', async () => {
  const { orderId, printOrderId, itemIds } = await handedOver(stack, 'cancelled-after', { items: 2 });
  await say({ printOrderId }, 'received');
  const shipping = () => shippingOf(orderId);
  const before = await shipping();
  expect(before.charged).toBe(before.planned);
  await repair(orderId, reroute(itemIds[0]!));
  await secondDelivered(orderId);
  const rerouted = await shipping();
  expect(rerouted.planned).toBeGreaterThan(before.planned);
  expect(rerouted.charged).toBe(before.charged);

  await stack.client.cancelOrder({ params: { orderId }, body: { items: [{ itemReferenceId: 'poster' }] } });

  const after = await eventually(async () => {
    const { charged, planned } = await shipping();
    return charged < before.charged ? { charged, planned } : undefined;
  });
  expect(after.charged).toBe(after.planned);
});

test('a cheaper method after a reroute refunds no more than was charged', async () => {
  const body = { ...orderBody(stack, 'cheaper-after', { items: 2 }), shipmentMethodUid: 'express' };
  const { id: orderId } = await stack.client.submitOrder({ body });
  const { printOrderId, itemIds } = await accepted(stack, orderId);
  await say({ printOrderId }, 'received');
  const before = await shippingOf(orderId);
  for (const itemId of itemIds) await repair(orderId, reroute(itemId));
  const rerouted = await eventually(async () => {
    const now = await shippingOf(orderId);
    return now.planned > 2 * before.charged ? now : undefined;
  });
  await eventually(async () => (await delivered(orderId)) === 3);

  await stack.client.updateShipment({
    params: { orderId },
    body: { shippingAddress: body.shippingAddress, shipmentMethodUid: 'normal' },
  });

  const after = await eventually(async () => {
    const now = await shippingOf(orderId);
    return now.planned < rerouted.planned ? now : undefined;
  });
  expect(after.charged).toBe(Math.min(before.charged, after.planned));
});

test('a reroute plans again what has left with a code of its partner: no label was bought for it', async () => {
  const { orderId, printOrderId, itemIds, jobIds } = await handedOver(stack, 'left-with-own-code', { items: 2 });
  await say({ printOrderId }, 'received');
  await say({ printOrderId }, 'shipped', { orderItemId: jobIds[1], trackingCode: 'OWN 1761' });
  await orderUntil(stack, orderId, ({ items }) => items[1]!.status === 'shipped');

  await repair(orderId, reroute(itemIds[0]!));

  await secondDelivered(orderId);
  const { shipment } = await stack.client.getOrder({ params: { orderId } });
  const contents = shipment!.plannedPackages!.map(({ printOrderId: id, items }) => ({ id, items }));
  expect(contents.filter(({ id }) => id === printOrderId)).toEqual([
    { id: printOrderId, items: [{ itemReferenceId: 'sticker', quantity: 1 }] },
  ]);
});

test('when the first partner refuses, the second gets nothing until an operator forces it', async () => {
  const { orderId, printOrderId, itemIds } = await handedOver(stack, 'refuses', {
    address: { addressLine2: 'sandbox:refuses-cancel' },
  });
  await say({ printOrderId }, 'received');
  const [itemId] = itemIds as [string];
  expect(await repair(orderId, reroute(itemId))).toMatchObject({
    fulfillmentStatus: 'in_production',
    attention: ['not_rerouted'],
    waitsForPartner: false,
  });
  expect(await logged(orderId, 'reroute_withdrawn')).toMatchObject({ data: { why: 'refused' } });
  expect(await delivered(orderId)).toBe(1);
  const [first, second] = (await look(orderId)).printOrders;
  expect(first!.jobs).toMatchObject([{ status: 'in_production' }]);
  expect(second).toMatchObject({ status: 'cancelled', jobs: [{ status: 'superseded' }] });

  expect(await repair(orderId, { ...reroute(itemId), force: true })).toMatchObject({ attention: [] });
  await eventually(async () => ((await delivered(orderId)) === 2 ? true : undefined));
  expect(await logged(orderId, 'reroute')).toMatchObject({ data: { force: true, by: 'operator' } });
});

test('a partner that has acknowledged nothing and does not respond loses the items after the deadline', async () => {
  const { orderId, printOrderId, itemIds } = await withoutCancelUrl(async () => {
    const order = await handedOver(stack, 'stays-silent');
    const asked = await repair(order.orderId, reroute(order.itemIds[0]!));
    expect(asked).toMatchObject({ waitsForPartner: true, attention: [] });
    return order;
  });
  // A busy worker answers no query in time.
  const { run, printOrders } = await eventually(async () => {
    const seen = await look(orderId);
    return seen.run === null ? undefined : seen;
  });
  const second = printOrders[1]!;
  expect(second).toMatchObject({ partnerUid: 'prints-ohio', status: 'waiting' });
  expect(run!.waitingReroutes).toMatchObject([{ printOrder: { id: second.id } }]);
  const limit = run!.deadlines.find(({ reason }) => reason === 'stop')!;
  expect(limit).toMatchObject({ printOrderId: second.id, dueAt: run!.waitingReroutes[0]!.until });
  expect(await delivered(orderId)).toBe(1);
  // Clients do not see it before its delivery.
  const shown = await stack.client.getOrder({ params: { orderId } });
  expect(shown.items[0]!.printJobs.map((job) => job.printOrderId)).toEqual([printOrderId]);
  await expect(repair(orderId, reroute(itemIds[0]!))).rejects.toMatchObject(conflict(/waits until its partner/));

  expect(await secondDelivered(orderId)).toBe(second.id);
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(limit.dueAt));
  expect(await logged(orderId, 'reroute')).toMatchObject({ data: { unanswered: true } });
  await say({ printOrderId }, 'received');
  await orderUntil(stack, orderId, ({ attention }) => attention === 'made_twice');
});

test('force ends the wait, and the event log shows it', async () => {
  const { orderId, itemIds } = await withoutCancelUrl(async () => {
    const order = await handedOver(stack, 'forced');
    await say(order, 'received');
    expect(await repair(order.orderId, reroute(order.itemIds[0]!))).toMatchObject({ waitsForPartner: true });
    return order;
  });
  expect(await repair(orderId, { ...reroute(itemIds[0]!), force: true })).toMatchObject({
    waitsForPartner: false,
  });
  await secondDelivered(orderId);
  expect((await orderNow(stack, orderId)).printOrderIds).toHaveLength(2);
  expect(await logged(orderId, 'reroute')).toMatchObject({ data: { force: true } });
});

const read = (orderId: string) => stack.client.getOrder({ params: { orderId } });
const cents = (amount: number) => Math.round(amount * 100);
/** Shipping as it is charged and as it is planned, in cents. */
async function shippingOf(orderId: string) {
  const { receipts, shipment } = await read(orderId);
  const charged = receipts.reduce((sum, { shippingPrice }) => sum + cents(shippingPrice), 0);
  return { charged, planned: cents(shipment!.price) };
}
const messageOf = (printOrderId: string) => stack.partner('prints-berlin').getPrintOrder({ params: { printOrderId } });

test('moved units change no receipt, and their first partner learns what is left', async () => {
  const { orderId, printOrderId, itemIds } = await handedOver(stack, 'moved-units', { quantity: 12 });
  const { receipts } = await read(orderId);

  await repair(orderId, { action: 'reroute', itemId: itemIds[0]!, quantity: 2, force: true });

  await eventually(async () => ((await messageOf(printOrderId)).revision === 2 ? true : undefined));
  expect((await messageOf(printOrderId)).items).toMatchObject([{ count: 10 }]);
  expect((await read(orderId)).receipts).toEqual(receipts);
});

test('a cancel while a reroute is planned refunds its shipping', async () => {
  const { orderId, itemIds } = await handedOver(stack, 'cancel-in-reroute', { quantity: 32 });
  const before = await shippingOf(orderId);
  const { sql } = stack.services;
  let rerouting: Promise<unknown> = Promise.resolve();
  await sql.begin(async (tx) => {
    await tx`LOCK TABLE routing_decisions IN SHARE ROW EXCLUSIVE MODE`;
    rerouting = repair(orderId, { action: 'reroute', itemId: itemIds[0]!, quantity: 2, force: true });
    rerouting.catch(() => undefined);
    await eventually(async () => {
      const [waiting] = await sql`
        SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ILIKE '%INTO routing_decisions%'`;
      return waiting;
    });
    await stack.client.cancelOrder({
      params: { orderId },
      body: { items: [{ itemReferenceId: 'poster', quantity: 20 }], reason: 'fewer guests' },
    });
    await eventually(async () => ((await read(orderId)).receipts.length > 1 ? true : undefined));
  });
  await rerouting;

  const after = await eventually(async () => {
    const now = await shippingOf(orderId);
    return now.charged < before.charged && now.charged === now.planned ? now : undefined;
  });
  expect(after.charged).toBeLessThan(before.charged);
});
