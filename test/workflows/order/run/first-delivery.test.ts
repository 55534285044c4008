import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { ORDER_SIGNALS, orderWorkflowId } from '../../../../src/platform/domain/workflows';
import { eventually, type TestStack, testStack } from '../../../support/stack';
import { operatorHelpers } from '../operator-fixture';
import { accepted, is, orderBody, orderLog, orderNow, orderUntil, stepsBack } from '../order-fixture';

/**
 * The activity that plans an order also makes the first attempt to deliver its print order. Whatever happens between two of its
 * steps, the partner gets one content under one id, and no order that was cancelled or held before.
 */

let stack: TestStack;
const { say, repair } = operatorHelpers(() => stack);

interface Message {
  readonly kind: 'order' | 'cancel';
  readonly id: string;
  readonly body: string;
  readonly respond: (status: number, headers?: Record<string, string>) => void;
}
/** What the partner has got, the oldest first. It responds by itself, unless the test wants to. */
let messages: Message[] = [];
let responds = true;

const partner = createServer((request: IncomingMessage, response: ServerResponse) => {
  void text(request).then((body) => {
    const respond = (status: number, headers = {}) => response.writeHead(status, headers).end('{}');
    const kind = request.url === '/cancel' ? 'cancel' : 'order';
    messages.push({ kind, id: String(request.headers['webhook-id']), body, respond });
    // A response of 202 leaves the decision about a cancellation to a later postback.
    if (kind === 'cancel') respond(202);
    else if (responds) respond(200);
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => partner.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(partner.address() as AddressInfo).port}`;
  stack = await testStack({ mode: 'manual', config: { DATABASE_POOL_SIZE: 10 } });
  const { sql } = stack.services;
  await sql`
    UPDATE partners SET order_submit_url = ${`${url}/order`}, order_cancel_url = ${`${url}/cancel`}
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
const nth = (kind: Message['kind'], number = 1) =>
  eventually(async () => messages.filter((each) => each.kind === kind)[number - 1]);
const ordersGot = () => messages.filter(({ kind }) => kind === 'order');

async function historyOf(orderId: string) {
  const handle = stack.services.temporal.workflow.getHandle(orderWorkflowId(orderId));
  return (await handle.fetchHistory()).events!;
}

const activitiesOf = async (orderId: string) =>
  (await historyOf(orderId)).flatMap((event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? []);

/** Checks that the partner got one content under one id, and that the order was handed over once and needs no attention. */
async function expectOneHandover(orderId: string, deliveries: number) {
  await accepted(stack, orderId);
  expect(ordersGot()).toHaveLength(deliveries);
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
])('after a response of %s, the print order is delivered in an activity of its own', async (what, status, headers) => {
  responds = false;
  const id = await submit(`failed-${status}`);
  (await nth('order')).respond(status, headers);
  (await nth('order', 2)).respond(200);
  await expectOneHandover(id, 2);
  expect(what).toBeDefined();
  expect(await activitiesOf(id)).toEqual(['fetchOrderFiles', 'deliverPrintOrder']);
});

test.each([
  ['before the message is stored', 'UPDATE OF body ON print_orders', 'true', 1],
  ['after the partner has accepted, before this is stored', 'UPDATE OF accepted_at ON print_orders', 'true', 2],
  [
    'before the delivery is recorded',
    'UPDATE ON run_snapshots',
    `NEW.snapshot #>> '{state,printOrders,0,delivery}' = 'accepted'`,
    2,
  ],
])('the activity fails %s: a later attempt sends the same message', async (what, where, when, deliveries) => {
  const { asOwner } = stack.database;
  await asOwner(`CREATE TRIGGER fails BEFORE ${where} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION fail_once()`);
  const id = await submit(`killed-${what.length}`);
  await expectOneHandover(id, deliveries);
  await asOwner(`DROP TRIGGER fails ON ${where.split(' ').at(-1)!}; ALTER SEQUENCE faults RESTART`);
});

test('a cancellation that arrives during the delivery waits for it, and then asks the partner', async () => {
  responds = false;
  const id = await submit('cancelled-during');
  const delivery = await nth('order');
  const cancelled = stack.client.cancelOrder({ params: { orderId: id }, body: { reason: 'ordered twice' } });
  await withheld(id);
  delivery.respond(200);
  await nth('cancel');
  expect(messages.map(({ kind }) => kind)).toEqual(['order', 'cancel']);
  await say(await accepted(stack, id), 'cancelled');
  expect(await cancelled).toBeDefined();
  await orderUntil(stack, id, is('canceled'));
});

test('a hold that arrives during the delivery shows the print order as accepted', async () => {
  responds = false;
  const id = await submit('held-during');
  const delivery = await nth('order');
  const held = repair(id, { action: 'hold' });
  await withheld(id);
  delivery.respond(200);
  await held;
  await orderUntil(stack, id, is('on_hold'));
  await repair(id, { action: 'release' });
  await expectOneHandover(id, 1);
});

test('an order that is held while it is planned is delivered after its release', async () => {
  const { sql } = stack.services;
  let id = '';
  let held: ReturnType<typeof repair> | undefined;
  await sql.begin(async (tx) => {
    // The insert of the print order waits for this row.
    await tx`SELECT FROM partners WHERE uid = 'prints-berlin' FOR UPDATE`;
    id = await submit('held-before');
    await eventually(async () => {
      const [waiting] = await sql`
        SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%new_print_orders%'`;
      return waiting;
    });
    held = repair(id, { action: 'hold' });
    await eventually(async () => {
      const [waiting] = await sql`
        SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%delivery_withheld = true%'`;
      return waiting;
    });
  });
  await held;
  await orderUntil(stack, id, is('on_hold'));
  expect(messages).toEqual([]);
  await repair(id, { action: 'release' });
  await expectOneHandover(id, 1);
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
  delivery.respond(200);
  await orderUntil(stack, id, is('in_production'));
  await expectOneHandover(id, 1);
});

/** Waits until an update has withheld the delivery of an order, which waits for the partner's response. */
async function withheld(orderId: string): Promise<void> {
  await eventually(async () => {
    const [row] = await stack.services.sql<{ deliveryWithheld: boolean }[]>`
      SELECT delivery_withheld FROM orders WHERE id = ${orderId}`;
    return row!.deliveryWithheld ? true : undefined;
  });
}
