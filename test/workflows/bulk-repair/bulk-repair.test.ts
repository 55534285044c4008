import { eventually, type TestStack, testStack } from '../../support/stack';
import { operatorHelpers } from '../order/operator-fixture';
import { deliveredByCarrier, handedOver, is, orderBody, orderLog, orderUntil } from '../order/order-fixture';

/** A bulk repair against running orders: each is repaired once, and orders that refuse are counted with the reason. */

let stack: TestStack;
const { say } = operatorHelpers(() => stack);

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

const start = async (body: object): Promise<string> => {
  const started = await stack.operator.startBulkRepair({ body: { reason: 'press down', ...body } as never });
  return (started as { id: string }).id;
};
const ended = (bulkRepairId: string) =>
  eventually(async () => {
    const progress = await stack.operator.getBulkRepair({ params: { bulkRepairId } });
    return progress.status === 'ended' ? progress : undefined;
  });
const holdsOf = async (orderId: string) => (await orderLog(stack, orderId)).filter(({ type }) => type === 'hold');

test('every order is repaired once, in the name of the operator, and refusals have their reason', async () => {
  const orders = [];
  for (const name of ['bulk-1', 'bulk-2', 'bulk-3']) orders.push((await handedOver(stack, name)).orderId);
  await stack.operator.repairOrder({
    params: { orderId: orders[0]! },
    body: { action: 'hold', reason: 'already' } as never,
  });

  const id = await start({ action: 'hold', orderIds: orders });
  expect(await ended(id)).toMatchObject({
    counts: { total: 3, done: 2, refused: 1, failed: 0, canceled: 0, left: 0 },
    notRepaired: [{ message: 'the order is on hold already', count: 1, orderIds: [orders[0]] }],
  });
  for (const orderId of orders) {
    const holds = await holdsOf(orderId);
    expect(holds).toHaveLength(1);
    const reason = orderId === orders[0] ? 'already' : 'press down';
    expect(holds[0]!.data).toMatchObject({ reason, by: expect.any(String) });
  }
});

test('an attempt that is repeated after its requests were sent repairs no order twice', async () => {
  const { orderId } = await handedOver(stack, 'bulk-repeated');
  const id = await start({ action: 'hold', orderIds: [orderId] });
  await ended(id);
  const { sql, temporal, config } = stack.services;
  // As if the worker had died after the update, before it stored the outcome.
  await sql`UPDATE bulk_repair_orders SET outcome = NULL WHERE bulk_repair_id = ${id}`;
  await sql`UPDATE bulk_repairs SET ended_at = NULL WHERE id = ${id}`;
  await temporal.workflow.execute('bulkRepair', {
    workflowId: `bulk-repair-again-${id}`,
    taskQueue: config.TEMPORAL_TASK_QUEUE,
    args: [{ bulkRepairId: id }],
  });
  expect(await ended(id)).toMatchObject({ counts: { done: 1, refused: 0, left: 0 } });
  expect(await holdsOf(orderId)).toHaveLength(1);
});

test('a refund settles short shipments that are delivered, as the dry run says', async () => {
  const short = [];
  for (const [name, cancelled] of [
    ['bulk-short', 1],
    ['bulk-all', undefined],
  ] as const) {
    const order = await handedOver(stack, name, { quantity: 3 });
    const { orderId, printOrderId, jobIds } = order;
    await stack.partner('prints-berlin').dispatchOrder({ body: { orderId: printOrderId } });
    if (cancelled) await say(order, 'cancelled', { items: [{ orderItemId: jobIds[0], quantity: cancelled }] });
    await say(order, 'shipped');
    await orderUntil(stack, orderId, is('shipped'));
    // A late postback, of a time before the parcel left.
    if (!cancelled) await say(order, 'cancelled', { timestamp: '2026-01-05T08:00:00Z' });
    await deliveredByCarrier(stack, orderId);
    await orderUntil(stack, orderId, ({ attention }) => attention === 'short_shipped');
    short.push(orderId);
  }
  const refund = { action: 'refund', reason: 'short', orderIds: short } as const;
  expect(await stack.operator.startBulkRepair({ body: { ...refund, dryRun: true } })).toMatchObject({ possible: 2 });
  expect(await ended(await start(refund))).toMatchObject({ counts: { done: 2, refused: 0 } });
  const shown = await Promise.all(short.map((orderId) => stack.client.getOrder({ params: { orderId } })));
  expect(
    shown.map(({ financialStatus, receipts }) => [financialStatus, receipts.map(({ items }) => items[0]!.amount)]),
  ).toEqual([
    ['partially_refunded', [3, 1]],
    ['refunded', [3, 3]],
  ]);
  expect(await ended(await start(refund))).toMatchObject({
    notRepaired: [{ message: 'the order has ended', count: 2 }],
  });
});

test('a dry run of a reroute asks routing, which has no other partner for an order without retail prices', async () => {
  const {
    retailCurrency: _1,
    retailShippingPriceInclVat: _2,
    ...order
  } = orderBody(stack, 'no-retail-prices', {
    address: { addressLine2: 'sandbox:prints-berlin/refuses' },
  });
  const items = order.items.map(({ retailPriceInclVat: _, ...item }) => item);
  const { id } = await stack.client.submitOrder({ body: { ...order, items } });
  await orderUntil(stack, id, is('on_hold'));
  const dryRun = (action: 'reroute' | 'retry') =>
    stack.operator.startBulkRepair({ body: { action, reason: 'The press is broken.', orderIds: [id], dryRun: true } });
  expect(await dryRun('reroute')).toMatchObject({
    possible: 0,
    refused: [{ message: expect.stringMatching(/no partner can make the item.*prints-ohio.*retail prices/), count: 1 }],
  });
  expect(await dryRun('retry')).toMatchObject({ possible: 1 });
});

test('promises that a new day off breaks are an alarm, and move by the calendar of the plan, and clients are told once', async () => {
  const alarm = async () =>
    (await stack.operator.listAlarms({})).alarms.find(({ kind }) => kind === 'promises') ?? { rows: [] };
  const { id: webhookId } = await stack.client.createWebhook({
    body: { url: 'https://shop.example/dates', events: ['order_delivery_estimate_updated'] },
  });
  const [late, held, shipped] = [
    await handedOver(stack, 'promise-late'),
    await handedOver(stack, 'promise-held'),
    await handedOver(stack, 'promise-shipped'),
  ];
  await stack.operator.repairOrder({
    params: { orderId: held.orderId },
    body: { action: 'hold', reason: 'a question' } as never,
  });
  await say(shipped, 'shipped');
  await orderUntil(stack, shipped.orderId, is('shipped'));
  const shown = async (orderId: string) => {
    const [{ shipment }, { printOrders, promise }] = await Promise.all([
      stack.client.getOrder({ params: { orderId } }),
      stack.operator.getOperatorOrder({ params: { orderId } }),
    ]);
    const { dispatchDate, dispatchDueAt } = printOrders[0]!;
    return { dispatchDate, dispatchDueAt, promise, shipment: shipment! };
  };
  const before = await shown(late.orderId);
  expect(await alarm()).toEqual({ rows: [] });

  const [partner] = (await stack.operator.listPartners({})).partners.filter(({ uid }) => uid === 'prints-berlin');
  const { calendar } = partner!.capabilities;
  const close = (closedDates: string[]) =>
    stack.operator.changePartner({
      params: { partnerId: partner!.id },
      body: { capabilities: { calendar: { ...calendar, closedDates } } } as never,
    });
  await close([before.dispatchDate]);
  const { rows } = await eventually(async () => ((await alarm()).rows.length > 0 ? await alarm() : undefined));
  expect(rows).toEqual([
    expect.objectContaining({
      reason: 'closed_day',
      account: { id: partner!.id, name: 'prints-berlin', role: 'partner' },
      subject: { id: before.dispatchDate, name: before.dispatchDate },
      detail: expect.any(String),
      count: expect.any(Number),
    }),
  ]);
  const [{ detail: possible, count }] = rows as [(typeof rows)[number] & { readonly count: number }];
  expect(possible! > before.dispatchDate).toBe(true);
  const filter = { brokenPromises: true as const, partnerIds: [partner!.id] };
  const request = { action: 'move_promise', filter } as const;
  const dryRun = await stack.operator.startBulkRepair({ body: { ...request, reason: 'x', dryRun: true } });
  expect(dryRun).toMatchObject({ total: count, possible: count });
  expect(await ended(await start({ ...request, reason: 'The press is serviced.' }))).toMatchObject({
    counts: { total: count, done: count, refused: 0 },
  });

  for (const { orderId } of [late, held]) {
    const after = await shown(orderId);
    expect(after.dispatchDate).toBe(possible);
    expect(after.dispatchDueAt > before.dispatchDueAt).toBe(true);
    expect(after.shipment.maxDeliveryDate > before.shipment.maxDeliveryDate).toBe(true);
    expect(after.shipment.initialMaxDeliveryDate).toBe(before.shipment.maxDeliveryDate);
    expect(after.promise).toMatchObject({ maxDeliveryDate: after.shipment.maxDeliveryDate });
    const moves = (await orderLog(stack, orderId)).filter(({ type }) => type === 'move_promise');
    expect(moves).toHaveLength(1);
    expect(moves[0]!.data).toMatchObject({ reason: 'The press is serviced.', by: expect.any(String) });
  }
  // What has left keeps its days.
  expect((await shown(shipped.orderId)).dispatchDate).toBe(before.dispatchDate);
  const messages = async () =>
    (await stack.client.listWebhookDeliveries({ params: { webhookId } })).deliveries.filter(
      ({ orderId }) => orderId === late.orderId,
    );
  expect((await messages()).map(({ event }) => event)).toEqual([
    'order_delivery_estimate_updated',
    'order_delivery_estimate_updated',
  ]);

  await expect(start({ ...request, reason: 'again' })).rejects.toMatchObject({ status: 409 });
  expect(await ended(await start({ action: 'move_promise', orderIds: [late.orderId] }))).toMatchObject({
    notRepaired: [{ message: 'no day off makes the order late', count: 1 }],
  });
  await close([]);
  expect((await shown(late.orderId)).dispatchDate).toBe(possible);
});
