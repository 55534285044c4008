import { temporal as protocol } from '@temporalio/proto';
import { historyLengthOf, positionsIn } from '../../../../src/orders/domain/run/run-record';
import { orderWorkflowId } from '../../../../src/platform/domain/workflows';
import { eventually, type TestStack, testStack } from '../../../support/stack';
import { addressIn, orderOf, tShirt } from '../client-orders';
import { accepted, carrierScans, orderLog, orderNow, orderUntil, partnerClock } from '../order-fixture';

/**
 * Order runs that Temporal resets, and rows that are ahead of their run. Whatever the point of a reset, the run goes on
 * recording: it handles the postbacks of its former self, and each later one once.
 */

const { EventType } = protocol.api.enums.v1;

let stack: TestStack;
const now = partnerClock();

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
  // Nobody listens there. The test reads the deliveries that wait to be sent.
  await stack.client.createWebhook({
    body: {
      url: 'http://127.0.0.1:9/hook',
      events: ['order_status_updated', 'order_item_status_updated'],
    },
  });
});

const say = (printOrderId: string, status: string, more: object = {}) =>
  stack
    .partner('prints-ohio')
    .postOrderStatus({ body: { timestamp: now(), orderId: printOrderId, status, ...more } as never });

const handled = (printOrderId: string, postbacks: number) =>
  eventually(async () => {
    const [row] = await stack.services.sql<{ n: number }[]>`
      SELECT count(*)::int AS n FROM postbacks WHERE print_order_id = ${printOrderId} AND handled_at IS NOT NULL`;
    return row!.n === postbacks ? true : undefined;
  });

interface PrintedOrder {
  readonly orderId: string;
  readonly printOrderId: string;
  readonly shipmentId: string;
}

/** Submits an order of two shirts, prints them one by one, and buys their label. */
async function printedOrder(orderReferenceId: string): Promise<PrintedOrder> {
  const { sql } = stack.services;
  const body = orderOf(stack, {
    orderReferenceId,
    currency: 'USD',
    shippingAddress: addressIn.US,
    items: [tShirt(stack), tShirt(stack, { itemReferenceId: 'second' })],
  });
  const { id: orderId } = await stack.client.submitOrder({ body });
  const { printOrderId, jobIds } = await accepted(stack, orderId);
  let postbacks = 0;
  for (const status of ['received', 'printed']) {
    for (const orderItemId of jobIds) {
      await say(printOrderId, status, { orderItemId });
      postbacks += 1;
      await handled(printOrderId, postbacks);
    }
  }
  await stack.partner('prints-ohio').dispatchOrder({ body: { orderId: printOrderId } });
  const [shipment] = await sql<{ id: string }[]>`
    SELECT id FROM shipments WHERE order_id = ${orderId} AND status = 'bought'`;
  return { orderId, printOrderId, shipmentId: shipment!.id };
}

const handleOf = (orderId: string) => stack.services.temporal.workflow.getHandle(orderWorkflowId(orderId));

/** Returns the ids of the events that end workflow tasks: the points to which a run can be reset. */
async function taskEnds(orderId: string): Promise<number[]> {
  const { events } = await handleOf(orderId).fetchHistory();
  return (events ?? []).flatMap(({ eventId, eventType }) =>
    eventType === EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED ? [Number(eventId)] : [],
  );
}

async function reset(orderId: string, eventId: number): Promise<string> {
  const { temporal, config } = stack.services;
  const { runId } = await temporal.workflowService.resetWorkflowExecution({
    namespace: config.TEMPORAL_NAMESPACE,
    workflowExecution: { workflowId: orderWorkflowId(orderId) },
    reason: 'test',
    requestId: `${orderId}-${eventId}`,
    // protobufjs accepts a number for a 64-bit integer.
    workflowTaskFinishEventId: eventId as never,
  });
  return runId;
}

/** Ships an order and has its parcel delivered. */
async function shipAndDeliver({ orderId, printOrderId, shipmentId }: PrintedOrder): Promise<void> {
  const { sql } = stack.services;
  await say(printOrderId, 'shipped');
  const parcels = await sql<{ trackingNumber: string }[]>`
    SELECT tracking_number FROM trackings WHERE shipment_id = ${shipmentId}`;
  await orderUntil(stack, orderId, ({ status }) => status === 'shipped');
  for (const { trackingNumber } of parcels) await carrierScans(stack, trackingNumber, 'delivered');
  await orderUntil(stack, orderId, ({ status }) => status === 'delivered');
}

/** Counts the notifications of an order by event and status. */
async function notifications(orderId: string): Promise<Record<string, number>> {
  const rows = await stack.services.sql<{ event: string; body: string }[]>`
    SELECT event, body FROM webhook_deliveries WHERE order_id = ${orderId}`;
  const counts: Record<string, number> = {};
  for (const { event, body } of rows) {
    const { status, fulfillmentStatus } = JSON.parse(body) as { status?: string; fulfillmentStatus?: string };
    const key = `${event}: ${status ?? fulfillmentStatus}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

/** Checks that the order's end was recorded, notified and counted once. */
async function expectCountedOnce(order: PrintedOrder): Promise<void> {
  const { sql } = stack.services;
  const { orderId, printOrderId } = order;
  expect(await orderNow(stack, orderId)).toMatchObject({
    status: 'delivered',
    attention: null,
    items: [{ status: 'delivered' }, { status: 'delivered' }],
    shipments: { bought: 1 },
    printOrderIds: [printOrderId],
  });
  const log = await orderLog(stack, orderId);
  const count = (type: string) => log.filter((entry) => entry.type === type).length;
  expect({
    handedOver: count('handed_over'),
    received: count('postback_received'),
    printed: count('postback_printed'),
    shipped: count('postback_shipped'),
    delivered: count('tracking_delivered'),
    skipped: count('record_skipped'),
  }).toEqual({ handedOver: 1, received: 2, printed: 2, shipped: 1, delivered: 1, skipped: 0 });
  const unhandled = await sql`SELECT id FROM postbacks WHERE print_order_id = ${printOrderId} AND handled_at IS NULL`;
  expect(unhandled).toHaveLength(0);
  expect(await notifications(orderId)).toMatchObject({
    'order_item_status_updated: shipped': 2,
    'order_status_updated: shipped': 1,
    'order_item_status_updated: delivered': 2,
    'order_status_updated: delivered': 1,
  });
  const stock = await sql`
    SELECT state, quantity::int FROM stock_reservations
    WHERE print_job_id IN (SELECT id FROM print_jobs WHERE print_order_id = ${printOrderId})`;
  expect(stock).toEqual([
    { state: 'consumed', quantity: 1 },
    { state: 'consumed', quantity: 1 },
  ]);
}

test('after a reset to any workflow task, every later postback is stored, notified and counted once', async () => {
  const first = await printedOrder('reset-0');
  const { events } = await handleOf(first.orderId).fetchHistory();
  expect(events!.length).toBeGreaterThanOrEqual(40);
  const { length: tasks } = await taskEnds(first.orderId);
  // One order for each workflow task, because a reset changes the history. Histories can differ by a few tasks.
  const orders = [first];
  for (let index = 1; index < tasks + 2; index += 4) {
    const names = [0, 1, 2, 3].map((offset) => `reset-${index + offset}`);
    orders.push(...(await Promise.all(names.map(printedOrder))));
  }
  const points = await Promise.all(
    orders.map(async (order, index) => {
      const ends = await taskEnds(order.orderId);
      return { order, point: Math.min(index, ends.length - 1), ends };
    }),
  );
  const most = Math.max(...points.map(({ ends }) => ends.length));
  expect(new Set(points.map(({ point }) => point)).size).toBeGreaterThanOrEqual(most);
  for (const { order, point, ends } of points) {
    const runId = await reset(order.orderId, ends[point]!);
    await eventually(async () => ((await handleOf(order.orderId).describe()).runId === runId ? true : undefined));
  }
  for (const { order, point, ends } of points) {
    try {
      await shipAndDeliver(order);
      await expectCountedOnce(order);
    } catch (error) {
      throw new Error(`reset to task ${point + 1} of ${ends.length} (event ${ends[point]})`, {
        cause: error,
      });
    }
  }
  // Each shirt was taken from stock once.
  const [taken] = await stack.services.sql<{ units: number }[]>`
    SELECT sum(quantity)::int AS units FROM stock_movements WHERE type = 'consume_reserved'`;
  expect(taken!.units).toBe(2 * orders.length);
}, 900_000);

test('a run that is replayed on another worker keeps the event log', async () => {
  const order = await printedOrder('replayed');
  const before = await orderLog(stack, order.orderId);
  await stack.stopWorker();
  await stack.startWorker();
  await shipAndDeliver(order);
  expect((await orderLog(stack, order.orderId)).slice(0, before.length)).toEqual(before);
  await expectCountedOnce(order);
});

test('a record is written once more when a lost attempt of its workflow task wrote the rows, and the order is not flagged', async () => {
  const { sql } = stack.services;
  const order = await printedOrder('lost-attempt');
  const handle = stack.services.temporal.workflow.getHandle(orderWorkflowId(order.orderId));
  const { historyLength } = await handle.describe();
  // The signal and the workflow task of the next step are three events. The attempt that was lost had four.
  await sql`
    UPDATE orders SET run_position = run_position - run_position % 65536 + ${historyLength + 4} WHERE id = ${order.orderId}`;
  await shipAndDeliver(order);
  await expectCountedOnce(order);
  const { events } = await handle.fetchHistory();
  const results = events!.flatMap(
    ({ markerRecordedEventAttributes: marker }) => marker?.details?.result?.payloads ?? [],
  );
  expect(results.filter(({ data }) => Buffer.from(data!).toString() === '"skipped"')).toHaveLength(1);
});

test.each([
  ['of another run', 'another-run'],
  ['of the same run', null],
])(
  'a record that is skipped, because the rows are %s and later, is written again and flagged',
  async (_whose, runId) => {
    const { sql } = stack.services;
    const { orderId, printOrderId } = await printedOrder(`skipped-${runId}`);
    // The clock of Temporal went back by a day.
    await sql`
    UPDATE orders SET run_position = run_position + ${positionsIn(86_400_000)} + 60000 - run_position % 65536,
      run_id = coalesce(${runId}, run_id) WHERE id = ${orderId}`;
    const [ahead] = await sql<
      { position: string }[]
    >`SELECT run_position AS position FROM orders WHERE id = ${orderId}`;
    expect(historyLengthOf(Number(ahead!.position))).toBe(60_000);
    await say(printOrderId, 'shipped');
    // The record after the skipped one flags the order.
    await orderUntil(stack, orderId, ({ status, attention }) => status === 'shipped' && attention === 'out_of_step');
    const types = (await orderLog(stack, orderId)).map(({ type }) => type);
    expect(types.filter((type) => type === 'postback_shipped' || type === 'record_skipped')).toEqual([
      'postback_shipped',
      'record_skipped',
    ]);
    await handled(printOrderId, 5);
    expect(await notifications(orderId)).toMatchObject({ 'order_status_updated: shipped': 1 });
    const { attention } = await stack.operator.repairOrder({
      params: { orderId },
      body: { action: 'dismiss', reason: 'compared both' },
    });
    expect(attention).toEqual([]);
  },
);
