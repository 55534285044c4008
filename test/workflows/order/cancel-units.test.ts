import { eventually, type TestStack, testStack } from '../../support/stack';
import { addressIn, orderOf, poster, readUntil, tShirt } from './client-orders';
import { fileHost } from './file-host';
import { operatorHelpers } from './operator-fixture';
import {
  accepted,
  type HandedOver,
  handedOver,
  is,
  loseResponse,
  orderBody,
  orderLog,
  orderNow,
  orderUntil,
  seenPrintOrders,
  withBerlin,
} from './order-fixture';
import { downloaded } from './shipping/dispatched-order';

/** Single units that clients and operators cancel, before the plan and while a partner makes them. */

let stack: TestStack;
const files = fileHost();

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
  await stack.client.createWebhook({ body: { url: `${stack.sandbox.url}/nowhere` } });
});

const { repair, say } = operatorHelpers(() => stack);

const read = (orderId: string) => stack.client.getOrder({ params: { orderId } });
const cancel = (orderId: string, items: object[], by: 'client' | 'operator' = 'client') =>
  stack[by].cancelOrder({ params: { orderId }, body: { items, reason: 'fewer guests' } as never });

/** Submits an order of five posters, which is planned when the test sends its file. */
async function submitted(reference: string) {
  const { url, send } = files.hold(stack);
  const items = [poster(stack, { quantity: 5, files: [{ type: 'default', url }] })];
  const { id } = await stack.client.submitOrder({ body: { ...orderBody(stack, reference), items } as never });
  await orderUntil(stack, id, is('uploading'));
  return { id, send };
}

/** Returns the units of each receipt, and the unit price in cents of all. */
async function receiptsOf(orderId: string) {
  const { receipts } = await read(orderId);
  return receipts.flatMap(({ type, items }) =>
    items.flatMap((line) => (line.type === 'product' ? [[type, line.amount]] : [])),
  );
}

/** Cancels units that a partner agrees to cancel, and waits for it. A response to a client waits for it five seconds at most. */
async function cancelAgreed(orderId: string, itemReferenceId: string, quantity: number): Promise<void> {
  const before = await receiptsOf(orderId);
  const { cancellation } = await cancel(orderId, [{ itemReferenceId, quantity }]);
  expect(cancellation).toMatch(/^(done|requested)$/);
  await eventually(async () => ((await receiptsOf(orderId)).length > before.length ? true : undefined));
}

test('single units that are cancelled before the plan are not made and not charged', async () => {
  const { id, send } = await submitted('early-units');
  expect(await cancel(id, [{ itemReferenceId: 'poster', quantity: 2 }])).toMatchObject({ cancellation: 'done' });
  // Three units are left.
  await expect(cancel(id, [{ itemReferenceId: 'poster', quantity: 4 }])).rejects.toMatchObject({ status: 409 });
  send();

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
  const { id } = await submitted('early-all');
  await cancel(id, [{ itemReferenceId: 'poster', quantity: 2 }]);
  expect(await cancel(id, [{ itemReferenceId: 'poster', quantity: 3 }])).toMatchObject({
    fulfillmentStatus: 'canceled',
    cancellation: 'done',
  });
  expect((await read(id)).receipts).toEqual([]);
});

/** Submits an order of five posters and waits until prints-berlin has it. @param marker of the sandbox partner's behaviour */
const withPartner = (reference: string, marker?: string) =>
  handedOver(stack, reference, {
    quantity: 5,
    ...(marker === undefined ? {} : { address: { addressLine2: `sandbox:${marker}` } }),
  });
const units = (quantity: number) => [{ itemReferenceId: 'poster', quantity }];
const made = async (orderId: string) => (await read(orderId)).items[0]!.printJobs as { quantity: number }[];
const updatesOf = ({ printOrderId }: HandedOver) => seenPrintOrders(stack, [printOrderId])[0]!.updates;

/** Returns the notifications of an order about an event, once there is one. */
const notified = (orderId: string, event: string) =>
  eventually(async () => {
    const rows = await stack.services.sql<{ body: string }[]>`
      SELECT body FROM webhook_deliveries WHERE order_id = ${orderId} AND event = ${event} ORDER BY id`;
    return rows.length === 0 ? undefined : rows.map(({ body }) => JSON.parse(body));
  });

describe.each(['client', 'operator'] as const)('units that a partner has, cancelled by a %s', (by) => {
  test('end when the partner accepts the order update, and the client is notified', async () => {
    const order = await withPartner(`agreed-${by}`);
    const { orderId, jobIds } = order;
    const weight = (await read(orderId)).shipment!.totalWeight;
    expect(await cancel(orderId, units(2), by)).toMatchObject({
      fulfillmentStatus: 'passed',
      cancellation: 'done',
    });
    expect(updatesOf(order)).toMatchObject([{ revision: 2, counts: [3], response: '200' }]);
    const after = await read(orderId);
    expect(after).toMatchObject({ financialStatus: 'partially_refunded', items: [{ printJobs: [{ quantity: 3 }] }] });
    expect(await receiptsOf(orderId)).toEqual([
      ['invoice', 5],
      ['refund', 2],
    ]);
    expect(after.items[0]!.eventLog).toContainEqual(
      expect.objectContaining({ type: 'units_cancelled', data: { quantity: 2 } }),
    );
    expect(await notified(orderId, 'order_item_units_cancelled')).toMatchObject([
      { orderId, itemReferenceId: 'poster', status: 'passed', quantity: 2, cancelledQuantity: 2 },
    ]);
    await readUntil(stack.client, orderId, ({ shipment }) => shipment!.totalWeight < weight);
    expect(seenPrintOrders(stack, [order.printOrderId])[0]!.cancelOrders).toEqual([]);

    // The rest of the units is the whole item, for which the partner gets a cancel request.
    expect(await cancel(orderId, units(3), by)).toMatchObject({ fulfillmentStatus: 'canceled', cancellation: 'done' });
    expect(seenPrintOrders(stack, [order.printOrderId])[0]!.cancelOrders).toMatchObject([{ itemIds: jobIds }]);
    expect(updatesOf(order)).toHaveLength(1);
    const { receipts, financialStatus } = await read(orderId);
    expect(financialStatus).toBe('refunded');
    for (const total of ['totalInclVat', 'totalVat', 'total'] as const) {
      expect(receipts.reduce((sum, receipt) => sum + receipt[total]!, 0)).toBeCloseTo(0, 2);
    }
  });

  test('stay when the partner refuses the order update, and the client is notified', async () => {
    const { orderId } = await withPartner(`refused-${by}`, 'refuses-updates');
    expect(await cancel(orderId, units(2), by)).toMatchObject({ cancellation: 'refused' });
    expect(await made(orderId)).toMatchObject([{ quantity: 5 }]);
    expect(await receiptsOf(orderId)).toEqual([['invoice', 5]]);
    expect(await notified(orderId, 'order_cancel_refused')).toMatchObject([{ items: [{ itemReferenceId: 'poster' }] }]);
    expect(await orderNow(stack, orderId)).toMatchObject({ attention: 'cancel_refused' });
  });
});

test('the stock of cancelled units is released', async () => {
  const { id } = await stack.client.submitOrder({
    body: orderOf(stack, {
      shippingAddress: addressIn.US,
      retailCurrency: 'EUR',
      retailShippingPriceInclVat: 5,
      items: [tShirt(stack, { quantity: 5, retailPriceInclVat: 100 })],
    }),
  });
  const { partner, jobIds } = await accepted(stack, id);
  const reserved = async () => {
    const filterBy = { printJobId: jobIds.map(Number) };
    const { items } = await stack.partner(partner).listInventoryConsumption({ body: { filterBy } });
    return items.map(({ quantity }) => quantity);
  };
  expect(await reserved()).toEqual([5]);
  await cancelAgreed(id, 't-shirt', 2);
  expect(await reserved()).toEqual([3]);
});

test('several partial refunds add up to the price of their units, with their tax', async () => {
  const body = { ...orderBody(stack, 'cents'), items: [poster(stack, { quantity: 7, retailPriceInclVat: 20 })] };
  const { id } = await stack.client.submitOrder({ body: body as never });
  await accepted(stack, id);
  for (const [quantity, left] of [
    [1, 6],
    [4, 2],
    [1, 1],
  ] as const) {
    await cancelAgreed(id, 'poster', quantity);
    // A4 posters cost 5.93: 19 % of what is left, rounded once.
    const { receipts } = await read(id);
    const vat = receipts.reduce((sum, { productsPriceVat }) => sum + productsPriceVat, 0);
    expect(Math.round(vat * 100)).toBe(Math.round(left * 593 * 0.19));
  }
  const { items, receipts } = await read(id);
  expect(items[0]).toMatchObject({ quantity: 7, cancelledQuantity: 6 });
  const [invoice, ...refunds] = receipts.map(({ items }) => items.find(({ type }) => type === 'product')!);
  const sum = (lines: typeof refunds, name: 'price' | 'vat') => lines.reduce((total, line) => total + line[name], 0);
  expect(refunds.map(({ amount }) => amount)).toEqual([1, 4, 1]);
  for (const name of ['price', 'vat'] as const) {
    expect(-sum(refunds, name)).toBeCloseTo((invoice![name] * 6) / 7, 1);
    expect(Math.round((invoice![name] + sum(refunds, name)) * 100)).toBe(Math.round((invoice![name] * 100) / 7));
  }
  expect((await notified(id, 'order_item_units_cancelled')).map((each) => each.cancelledQuantity)).toEqual([1, 5, 6]);
});

test('a cancel of units is repeated once under its key after a kill, and after a refusal', async () => {
  const { orderId } = await handedOver(stack, 'killed-cancel', { quantity: 60 });
  const keyed = (quantity: number, idempotencyKey: string) =>
    stack.client.cancelOrder(
      { params: { orderId }, body: { items: units(quantity), reason: 'fewer guests' } as never },
      { idempotencyKey },
    );
  await keyed(10, 'killed-cancel');
  await eventually(async () => ((await made(orderId))[0]!.quantity === 50 ? true : undefined));
  // The process is killed between the cancel and the record of its response.
  await loseResponse(stack, 'killed-cancel');
  await keyed(10, 'killed-cancel');
  expect(await made(orderId)).toMatchObject([{ quantity: 50 }]);
  await expect(keyed(55, 'refused-cancel')).rejects.toMatchObject({ status: 409 });
  await expect(keyed(55, 'refused-cancel')).rejects.toMatchObject({ status: 409 });
  expect(await receiptsOf(orderId)).toEqual([
    ['invoice', 60],
    ['refund', 10],
  ]);
});

test('units of an order are cancelled 100 times at most by its client; the whole item and operators still can', async () => {
  const { orderId } = await handedOver(stack, 'hundred-cancels', { quantity: 60 });
  await stack.services.sql`
    INSERT INTO order_events (order_id, type, data)
    SELECT ${orderId}, 'cancel_units', '{"by": "client"}' FROM generate_series(1, 100)`;
  await expect(cancel(orderId, units(1))).rejects.toMatchObject({
    status: 409,
    message: expect.stringContaining('cancelled 100 times'),
  });
  expect(await made(orderId)).toMatchObject([{ quantity: 60 }]);
  await cancel(orderId, units(1), 'operator');
  expect(await cancel(orderId, [{ itemReferenceId: 'poster' }])).toMatchObject({ cancellation: 'done' });
});

test('cancels that arrive together end the units of each that was accepted', async () => {
  const { orderId } = await handedOver(stack, 'together', { quantity: 60 });
  const quantities = [7, 1, 5, 2, 3, 1, 4, 2];
  const results = await Promise.allSettled(quantities.map((quantity) => cancel(orderId, units(quantity))));
  const accepted = quantities.filter((_, index) => results[index]!.status === 'fulfilled');
  const cancelled = accepted.reduce((sum, quantity) => sum + quantity, 0);
  await eventually(async () => ((await made(orderId))[0]!.quantity === 60 - cancelled ? true : undefined));
  const ended = (await receiptsOf(orderId)).filter(([type]) => type === 'refund').map(([, amount]) => Number(amount));
  expect(ended.reduce((sum, amount) => sum + amount, 0)).toBe(cancelled);
  for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject({ status: 409 });
});

describe('a partner that takes no order updates', () => {
  test('gets no request for units of a client, and an operator ends them at once', async () => {
    await withBerlin(stack, 'order_update_url', null, async () => {
      const order = await withPartner('no-updates');
      const { orderId } = order;
      await expect(cancel(orderId, units(2))).rejects.toMatchObject({
        status: 409,
        body: { message: expect.stringContaining('takes no changes of quantities: only whole items can be cancelled') },
      });
      expect(await made(orderId)).toMatchObject([{ quantity: 5 }]);
      expect(await cancel(orderId, units(2), 'operator')).toMatchObject({ cancellation: 'done' });
      expect(await made(orderId)).toMatchObject([{ quantity: 3 }]);
      await orderUntil(stack, orderId, ({ attention }) => attention === 'partner_not_updated');
      expect(updatesOf(order)).toEqual([]);
      // It can be asked to cancel the whole item.
      expect(await cancel(orderId, units(3))).toMatchObject({ cancellation: 'done' });
    });
  });
});

describe('while a partner has not responded', () => {
  test('further units are refused, and a change of address asks for the units too', async () => {
    const order = await withPartner('asked-twice', 'misses-updates');
    const { orderId, printOrderId } = order;
    expect(await cancel(orderId, units(2))).toMatchObject({ cancellation: 'requested' });
    await expect(cancel(orderId, units(1))).rejects.toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('has not responded') },
    });
    const { shippingAddress } = orderBody(stack, 'asked-twice');
    await stack.client.updateShipment({
      params: { orderId },
      body: { shippingAddress: { ...shippingAddress, addressLine1: 'Invalidenstrasse 2' } },
    });
    await eventually(async () => updatesOf(order).find(({ addressLine1 }) => addressLine1 === 'Invalidenstrasse 2'));
    expect(updatesOf(order).at(-1)).toMatchObject({ counts: [3] });
    // The partner's postback is its agreement. A unit that nobody asked for waits for an operator.
    await say({ printOrderId }, 'cancelled', { items: [{ orderItemId: order.jobIds[0], quantity: 3 }] });
    await orderUntil(stack, orderId, ({ items }) => items[0]!.status === 'manual_handling');
    expect(await receiptsOf(orderId)).toEqual([
      ['invoice', 5],
      ['refund', 2],
    ]);
    await repair(orderId, { action: 'refund' });
    expect(await made(orderId)).toMatchObject([{ quantity: 2 }]);
  });

  test('units that the partner and a client cancel at the same time end once', async () => {
    const order = await withPartner('both-at-once', 'delays-updates=1500');
    const { orderId, printOrderId, jobIds } = order;
    const [{ cancellation }] = await Promise.all([
      cancel(orderId, units(2)),
      eventually(async () => updatesOf(order)[0]).then(() =>
        say({ printOrderId }, 'cancelled', { items: [{ orderItemId: jobIds[0], quantity: 2 }] }),
      ),
    ]);
    expect(cancellation).toBe('done');
    await eventually(async () => (await orderLog(stack, orderId, 'order_update_accepted'))[0]);
    expect(await made(orderId)).toMatchObject([{ quantity: 3 }]);
    expect(await receiptsOf(orderId)).toEqual([
      ['invoice', 5],
      ['refund', 2],
    ]);
  });
});

test('units that are cancelled after the dispatch are in no new document of their parcel', async () => {
  const { id } = await stack.client.submitOrder({
    body: orderOf(stack, {
      shippingAddress: addressIn.CH,
      shipmentMethodUid: 'tern_parcel_standard',
      retailCurrency: 'EUR',
      retailShippingPriceInclVat: 5,
      items: [poster(stack, { quantity: 5, retailPriceInclVat: 100 })],
    }),
  });
  const { printOrderId, partner } = await accepted(stack, id);
  const form = async () => {
    const dispatched = await stack.partner(partner).dispatchOrder({ body: { orderId: printOrderId } });
    const form = (await downloaded(dispatched)).find(({ text }) => text.includes('Commercial Invoice'))!;
    return { text: form.text, trackingCode: dispatched.trackingCode };
  };
  const before = await form();
  expect(before.text).toContain('100.00 EUR');
  await cancelAgreed(id, 'poster', 2);
  const [parcel] = (await read(id)).shipment!.packages as { items: object[] }[];
  expect(parcel!.items).toEqual([{ itemReferenceId: 'poster', quantity: 3 }]);
  const after = await form();
  expect(after.text).toContain('60.00 EUR');
  expect(after.text).not.toContain('100.00 EUR');
  expect(after.trackingCode).toBe(before.trackingCode);
});

const shippingOf = ({ receipts }: Awaited<ReturnType<typeof read>>) =>
  Math.round(receipts.reduce((sum, { shippingPrice }) => sum + shippingPrice, 0) * 100);

test('shipping is refunded to what the rest costs, until labels are bought; packages and weight follow the parcels', async () => {
  const { orderId, printOrderId, partner } = await handedOver(stack, 'shipping-of-rest', { quantity: 32 });
  const parcels = ({ shipment }: Awaited<ReturnType<typeof read>>) => ({
    price: shipment!.price,
    packageCount: shipment!.packageCount,
    totalWeight: shipment!.totalWeight,
    planned: shipment!.plannedPackages.map(({ count, price, items }) => [count, price, items[0]!.quantity]),
  });
  // Tubes of 140 g with ten posters of 13 g.
  const before = await read(orderId);
  expect(parcels(before)).toEqual({
    price: 16.76,
    packageCount: 4,
    totalWeight: 4 * 140 + 32 * 13,
    planned: [
      [3, 4.29, 10],
      [1, 3.89, 2],
    ],
  });
  await cancel(orderId, units(20));
  const fewer = await readUntil(stack.client, orderId, (order) => shippingOf(order) < 1676);
  const rest = {
    price: 8.18,
    packageCount: 2,
    totalWeight: 2 * 140 + 12 * 13,
    planned: [
      [1, 4.29, 10],
      [1, 3.89, 2],
    ],
  };
  expect(parcels(fewer)).toEqual(rest);
  expect(fewer.receipts.map(({ type, shippingPrice }) => [type, shippingPrice])).toEqual([
    ['invoice', 16.76],
    ['refund', 0],
    ['refund', -8.58],
  ]);

  await stack.partner(partner).dispatchOrder({ body: { orderId: printOrderId } });
  await cancel(orderId, units(11));
  const labelled = await readUntil(stack.client, orderId, ({ shipment }) => shipment!.packageCount === 1);
  expect(parcels(labelled)).toEqual({ ...rest, packageCount: 1, totalWeight: 140 + 13 });
  expect(shippingOf(labelled)).toBe(818);
});

test('an item that is cancelled takes its parcel from the shipping price', async () => {
  const { orderId } = await handedOver(stack, 'shipping-of-items', { items: 2 });
  expect((await read(orderId)).shipment).toMatchObject({ price: 7.78, packageCount: 2 });
  await cancel(orderId, [{ itemReferenceId: 'sticker' }]);
  const rest = await readUntil(stack.client, orderId, (order) => shippingOf(order) < 778);
  expect([shippingOf(rest), rest.shipment]).toMatchObject([389, { price: 3.89, packageCount: 1 }]);
  // The last item takes the rest of the price.
  await cancel(orderId, [{ itemReferenceId: 'poster' }]);
  await readUntil(stack.client, orderId, (order) => shippingOf(order) === 0);
});

test('units of the rest are cancelled after a part of the order has left', async () => {
  const order = await handedOver(stack, 'part-left-units', { items: 2, quantity: 5 });
  const { orderId, jobIds, printOrderId } = order;
  await say({ printOrderId }, 'shipped', { orderItemId: jobIds[1] });
  await orderUntil(stack, orderId, ({ items }) => items[1]!.status === 'shipped');
  await cancelAgreed(orderId, 'poster', 2);
  expect(updatesOf(order)).toMatchObject([{ counts: [3] }]);
  await expect(cancel(orderId, [{ itemReferenceId: 'sticker' }])).rejects.toMatchObject({ status: 409 });
  expect(await stack.client.cancelOrder({ params: { orderId }, body: {} })).toMatchObject({
    fulfillmentStatus: 'shipped',
    cancellation: 'done',
  });
});

test('an item that is cancelled on hold is not in the print order', async () => {
  const { url, send } = files.hold(stack);
  const body = orderBody(stack, 'held-item', { items: 2 });
  const items = body.items.map((item) =>
    item.itemReferenceId === 'poster' ? { ...item, files: [{ type: 'default', url }] } : item,
  );
  const { id } = await stack.client.submitOrder({ body: { ...body, items } as never });
  await orderUntil(stack, id, is('uploading'));
  await repair(id, { action: 'hold' });
  send();
  const { printOrderIds } = await orderUntil(stack, id, (now) => now.printOrderIds.length === 1);
  expect(await cancel(id, [{ itemReferenceId: 'sticker' }])).toMatchObject({ cancellation: 'done' });
  await repair(id, { action: 'release' });
  await accepted(stack, id);
  const [sent] = await stack.services.sql<{ body: string }[]>`
    SELECT body FROM print_orders WHERE id = ${printOrderIds[0]!}`;
  expect(JSON.parse(sent!.body).items).toHaveLength(1);
});

test.each<[what: string, items: unknown, field: string]>([
  ['an unknown item', [{ itemReferenceId: 'mug' }], 'items[0].itemReferenceId'],
  ['an item twice', [...units(1), ...units(1)], 'items[1].itemReferenceId'],
  ['no units', units(0), 'items[0].quantity'],
  ['more units than ordered', units(6), 'items[0].quantity'],
  // A list that is missing by mistake does not cancel the whole order.
  ['null', null, 'items'],
])('a cancel of %s is refused with its place', async (_what, items, reference) => {
  const { id } = await submitted('refused-items');
  await expect(cancel(id, items as never)).rejects.toMatchObject({ status: 400, body: { errors: [{ reference }] } });
  await expect(
    stack.client.cancelOrder({ params: { orderId: id }, body: { itemReferenceIds: ['poster'] } as object }),
  ).rejects.toMatchObject({ status: 400 });
  expect(await orderNow(stack, id)).toMatchObject({ status: 'uploading' });
});
