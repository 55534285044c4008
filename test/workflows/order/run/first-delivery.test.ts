import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { ORDER_SIGNALS, orderWorkflowId } from '../../../../src/platform/domain/workflows';
import { eventually } from '../../../support/eventually';
import { type TestStack, testStack } from '../../../support/stack';
import { fileHost } from '../file-host';
import { operatorHelpers } from '../operator-fixture';
import { accepted, is, orderBody, orderLog, orderNow, orderUntil, stepsBack } from '../order-fixture';

/**
 * The activity that plans an order also makes the first attempt to deliver its print order. Whatever happens between two of its
 * steps, the partner gets one content under one id, and no order that was cancelled or held before.
 */

let stack: TestStack;
const files = fileHost();
const { say, repair } = operatorHelpers(() => stack);

interface Message {
  readonly kind: 'order' | 'cancel';
  readonly id: string;
  readonly body: string;
  readonly respond: (status: number, headers?: Record<string, string>) => void;
}
/** What the partner has got, the oldest first. It responds at once, unless the test wants to. */
let messages: Message[] = [];
let responds = true;

const partner = createServer((request: IncomingMessage, response: ServerResponse) => {
  void text(request).then((body) => {
    const kind = request.url!.slice(1) as Message['kind'];
    const respond = (status: number, headers = {}) => response.writeHead(status, headers).end('{}');
    messages.push({ kind, id: String(request.headers['webhook-id']), body, respond });
    if (kind === 'cancel' || responds) respond(200);
  });
});
const urlOf = (kind: Message['kind']) => `http://127.0.0.1:${(partner.address() as AddressInfo).port}/${kind}`;

beforeAll(async () => {
  await new Promise<void>((resolve) => partner.listen(0, '127.0.0.1', resolve));
  stack = await testStack({ mode: 'manual' });
  const { sql } = stack.services;
  await sql`
    UPDATE partners SET order_submit_url = ${urlOf('order')}, order_cancel_url = ${urlOf('cancel')}
    WHERE uid = 'prints-berlin'`;
  // A sequence counts although the statement is rolled back.
  await stack.database.asOwner(`
    CREATE SEQUENCE faults;
    CREATE FUNCTION fail_once() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
    BEGIN
      IF nextval('faults') = 1 THEN RAISE 'the worker was killed here'; END IF;
      RETURN NEW;
    END $$`);
});
afterAll(async () => {
  partner.closeAllConnections();
  await new Promise((resolve) => partner.close(resolve));
});
beforeEach(() => {
  messages = [];
  responds = true;
});

const submit = async (reference: string) => (await stack.client.submitOrder({ body: orderBody(stack, reference) })).id;
/** Waits until a statement waits for a lock. @param words of the statement */
const waitsFor = (words: string) =>
  eventually(async () => {
    const [waiting] = await stack.services.sql`
      SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE ${`%${words}%`}`;
    return waiting;
  });
const nth = (kind: Message['kind'], number = 1) =>
  eventually(async () => messages.filter((each) => each.kind === kind)[number - 1]);
/** Accepts a message that was held back, and every later one: on a slow machine its time may be over. */
function accept({ respond }: Message): void {
  responds = true;
  respond(200);
}
const ordersGot = () => messages.filter(({ kind }) => kind === 'order');

async function historyOf(orderId: string) {
  const handle = stack.services.temporal.workflow.getHandle(orderWorkflowId(orderId));
  return (await handle.fetchHistory()).events!;
}

const activitiesOf = async (orderId: string) =>
  (await historyOf(orderId)).flatMap((event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? []);

/** Waits until the run has taken a request that its order's first activity is to wait for, or that waits for the activity. */
const requested = (orderId: string) =>
  eventually(async () =>
    (await historyOf(orderId)).find((event) => event.workflowExecutionUpdateAcceptedEventAttributes != null),
  );

/**
 * Checks that the partner got one content under one id, and that the order was handed over once and needs no attention.
 * @param deliveries number of messages. Absent: a message was held back, and its time may have been over
 */
async function expectOneHandover(orderId: string, deliveries?: number) {
  await accepted(stack, orderId);
  if (deliveries !== undefined) expect(ordersGot()).toHaveLength(deliveries);
  expect(new Set(ordersGot().map(({ id, body }) => `${id} ${body}`)).size).toBe(1);
  const log = await orderLog(stack, orderId);
  expect(log.filter(({ type }) => type === 'handed_over')).toHaveLength(1);
  expect(await orderNow(stack, orderId)).toMatchObject({ attention: null });
  expect(await stepsBack(stack, orderId)).toEqual([]);
}

test('an accepted print order costs no activity of its own', async () => {
  const id = await submit('one-activity');
  await expectOneHandover(id, 1);
  await say(await accepted(stack, id), 'received');
  await orderUntil(stack, id, is('in_production'));
  expect(await activitiesOf(id)).toEqual(['fetchOrderFiles']);
});

test('a refused print order is delivered once, and waits for an operator', async () => {
  responds = false;
  const id = await submit('refused-first');
  (await nth('order')).respond(422);
  await orderUntil(stack, id, ({ items }) => items[0]!.status === 'manual_handling');
  expect(ordersGot()).toHaveLength(1);
  expect(await activitiesOf(id)).toEqual(['fetchOrderFiles']);
});

test.each([
  ['429 with Retry-After', 429, { 'retry-after': '1' }],
  ['500', 500, {}],
])('after a response of %s, the print order is delivered in an activity of its own', async (_, status, headers) => {
  responds = false;
  const id = await submit(`failed-${status}`);
  (await nth('order')).respond(status, headers);
  accept(await nth('order', 2));
  await expectOneHandover(id, 2);
  expect(await activitiesOf(id)).toEqual(['fetchOrderFiles', 'deliverPrintOrder']);
});

test.each([
  ['before the message is stored', 'UPDATE OF body ON print_orders', 'true', 1, ['deliverPrintOrder']],
  ['after the partner has accepted', 'UPDATE OF accepted_at ON print_orders', 'true', 2, ['deliverPrintOrder']],
  [
    'before the plan is recorded',
    'UPDATE ON run_snapshots',
    `NEW.snapshot #>> '{state,printOrders,0,delivery}' = 'pending'`,
    1,
    ['prepareOrder', 'deliverPrintOrder'],
  ],
])('the activity fails %s: a later attempt sends the same message', async (what, where, when, deliveries, others) => {
  const { asOwner } = stack.database;
  await asOwner(`CREATE TRIGGER fails BEFORE ${where} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION fail_once()`);
  const id = await submit(`fails-${what.length}`);
  await expectOneHandover(id, deliveries);
  expect(await activitiesOf(id)).toEqual(['fetchOrderFiles', ...others]);
  await asOwner(`DROP TRIGGER fails ON ${where.split(' ').at(-1)!}; ALTER SEQUENCE faults RESTART`);
});

test('a cancellation that arrives during the delivery waits for it, and then asks the partner', async () => {
  responds = false;
  const id = await submit('cancelled-during');
  const delivery = await nth('order');
  const cancelled = stack.client.cancelOrder({ params: { orderId: id }, body: { reason: 'ordered twice' } });
  await requested(id);
  accept(delivery);
  await nth('cancel');
  expect(messages.map(({ kind }) => kind).slice(-2)).toEqual(['order', 'cancel']);
  await cancelled;
  await orderUntil(stack, id, is('canceled'));
  expect((await orderLog(stack, id)).filter(({ type }) => type === 'handed_over')).toHaveLength(1);
});

test('a hold that arrives during the delivery shows the print order as accepted', async () => {
  responds = false;
  const id = await submit('held-during');
  const delivery = await nth('order');
  const held = repair(id, { action: 'hold' });
  await requested(id);
  accept(delivery);
  await held;
  await orderUntil(stack, id, is('on_hold'));
  await repair(id, { action: 'release' });
  await expectOneHandover(id);
});

test('an order that is held before it is planned is delivered after its release', async () => {
  const { id, send } = await files.submit(stack, 'held-before');
  await repair(id, { action: 'hold' });
  send();
  // The plan is stored, and the order stays on hold.
  await orderUntil(stack, id, ({ printOrderIds }) => printOrderIds.length === 1);
  await eventually(async () =>
    (await orderLog(stack, id)).some(({ type }) => type === 'handed_over') ? true : undefined,
  );
  expect(await orderNow(stack, id)).toMatchObject({ status: 'on_hold' });
  expect(ordersGot()).toEqual([]);
  await repair(id, { action: 'release' });
  await expectOneHandover(id, 1);
  expect(await activitiesOf(id)).toEqual(['fetchOrderFiles', 'deliverPrintOrder']);
});

test('a hold that waits for the transaction of the plan comes after the delivery', async () => {
  let id = '';
  let held: ReturnType<typeof repair> | undefined;
  await stack.services.sql.begin(async (tx) => {
    // The insert of the print order waits for this row.
    await tx`SELECT FROM partners WHERE uid = 'prints-berlin' FOR UPDATE`;
    id = await submit('held-beside');
    await waitsFor('new_print_orders');
    held = repair(id, { action: 'hold' });
    await waitsFor('RETURNING (run_position');
  });
  await held;
  await orderUntil(stack, id, is('on_hold'));
  expect(ordersGot()).toHaveLength(1);
  await repair(id, { action: 'release' });
  await expectOneHandover(id, 1);
});

test('while a plan is stored that was taken back, the order is cancelled and refunded, and no partner gets it', async () => {
  const { id, send } = await files.submit(stack, 'cancelled-beside');
  for (const action of ['hold', 'release'] as const) await repair(id, { action });
  let cancelled: Promise<unknown> | undefined;
  await stack.services.sql.begin(async (tx) => {
    await tx`SELECT FROM partners WHERE uid = 'prints-berlin' FOR UPDATE`;
    send();
    await waitsFor('new_print_orders');
    cancelled = stack.client.cancelOrder({ params: { orderId: id }, body: { reason: 'ordered twice' } });
    // Its record waits for the order, which the plan holds.
    await waitsFor('changed_order');
  });
  expect(await cancelled).toMatchObject({ fulfillmentStatus: 'canceled' });
  await orderUntil(stack, id, (order) => order.financialStatus === 'refunded' && order.printOrderIds.length === 1);
  const { receipts } = await stack.client.getOrder({ params: { orderId: id } });
  expect(receipts.map(({ transactionType }) => transactionType)).toEqual(['invoice', 'refund']);
  expect(ordersGot()).toEqual([]);
});

test('a postback that overtakes the response counts after it, and no status steps back', async () => {
  responds = false;
  const id = await submit('overtaken');
  const delivery = await nth('order');
  await say({ printOrderId: (JSON.parse(delivery.body) as { id: string }).id }, 'received');
  await eventually(async () =>
    (await historyOf(id)).find(
      ({ workflowExecutionSignaledEventAttributes: signal }) => signal?.signalName === ORDER_SIGNALS.postback,
    ),
  );
  expect(await orderNow(stack, id)).toMatchObject({ status: 'passed' });
  accept(delivery);
  await orderUntil(stack, id, is('in_production'));
  await expectOneHandover(id);
});

test('a partner that leaves a call without a response gets no further first attempts', async () => {
  responds = false;
  const first = await submit('unanswered');
  const delivery = await nth('order');
  const { partnerCalls } = stack.services;
  await eventually(async () => (partnerCalls.heldMs('prints-berlin') > 2_000 ? true : undefined));
  responds = true;
  const second = await submit('behind-unanswered');
  await accepted(stack, second);
  expect(await activitiesOf(second)).toEqual(['fetchOrderFiles', 'deliverPrintOrder']);
  accept(delivery);
  await accepted(stack, first);
});
