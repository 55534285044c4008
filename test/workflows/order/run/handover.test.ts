import { text } from 'node:stream/consumers';
import { ORDER_SIGNALS, orderWorkflowId } from '../../../../src/platform/domain/workflows';
import { untilLocked } from '../../../support/database';
import { eventually } from '../../../support/eventually';
import { serveHttp } from '../../../support/other-systems/http-server';
import { type TestStack, testStack } from '../../../support/stack';
import { operatorHelpers } from '../operator-fixture';
import { accepted, is, orderBody, orderLog, orderNow, orderUntil, stepsBack } from '../order-fixture';

/**
 * The plan and the delivery of a print order, with failures, cancellations, holds and postbacks between and during them: the
 * partner gets one content under one id, and no order that was cancelled or held before.
 */

let stack: TestStack;
const { say, repair } = operatorHelpers(() => stack);

interface Message {
  readonly kind: 'order' | 'cancel';
  readonly id: string;
  readonly body: string;
  readonly respond: () => void;
}
/** What the partner has got, the oldest first. It responds at once, unless the test wants to. */
let messages: Message[] = [];
let responds = true;

beforeAll(async () => {
  const partner = await serveHttp(async (request, response) => {
    const body = await text(request);
    const kind = request.url!.slice(1) as Message['kind'];
    const respond = () => response.writeHead(200).end('{}');
    messages.push({ kind, id: String(request.headers['webhook-id']), body, respond });
    if (kind === 'cancel' || responds) respond();
  });
  stack = await testStack({ mode: 'manual' });
  const { sql } = stack.services;
  await sql`
    UPDATE partners SET order_submit_url = ${`${partner.url}/order`}, order_cancel_url = ${`${partner.url}/cancel`}
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
beforeEach(() => {
  messages = [];
  responds = true;
});

const submit = async (reference: string) => (await stack.client.submitOrder({ body: orderBody(stack, reference) })).id;
const nth = (kind: Message['kind'], number = 1) =>
  eventually(async () => messages.filter((each) => each.kind === kind)[number - 1]);
/** Accepts a message that was held back, and every later one: on a slow machine its time may be over. */
function accept({ respond }: Message): void {
  responds = true;
  respond();
}
const ordersGot = () => messages.filter(({ kind }) => kind === 'order');

async function historyOf(orderId: string) {
  const handle = stack.services.temporal.workflow.getHandle(orderWorkflowId(orderId));
  return (await handle.fetchHistory()).events!;
}

/** Waits until the run has taken a request. */
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

test.each([
  ['before the message is stored', 'UPDATE OF body ON print_orders', 1],
  ['after the partner has accepted', 'UPDATE OF accepted_at ON print_orders', 2],
])('a delivery fails %s: a later attempt sends the same message', async (what, where, deliveries) => {
  const { asOwner } = stack.database;
  await asOwner(`CREATE TRIGGER fails BEFORE ${where} FOR EACH ROW EXECUTE FUNCTION fail_once()`);
  const id = await submit(`fails-${what.length}`);
  await expectOneHandover(id, deliveries);
  await asOwner(`DROP TRIGGER fails ON print_orders; ALTER SEQUENCE faults RESTART`);
});

test('a plan that cannot be made with the files is made afterwards', async () => {
  const { asOwner } = stack.database;
  await asOwner('CREATE TRIGGER fails BEFORE INSERT ON print_orders FOR EACH ROW EXECUTE FUNCTION fail_once()');
  await expectOneHandover(await submit('plan-fails'), 1);
  await asOwner('DROP TRIGGER fails ON print_orders; ALTER SEQUENCE faults RESTART');
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

test('a hold that waits for the transaction of the plan comes before the delivery', async () => {
  let id = '';
  let held: ReturnType<typeof repair> | undefined;
  await stack.services.sql.begin(async (tx) => {
    // The insert of the print order waits for this row.
    await tx`SELECT FROM partners WHERE uid = 'prints-berlin' FOR UPDATE`;
    id = await submit('held-beside');
    await untilLocked(stack.services.sql, 'new_print_orders');
    held = repair(id, { action: 'hold' });
    await untilLocked(stack.services.sql, 'FOR NO KEY UPDATE');
  });
  await held;
  await orderUntil(stack, id, ({ status, printOrderIds }) => status === 'on_hold' && printOrderIds.length === 1);
  await repair(id, { action: 'release' });
  await expectOneHandover(id, 1);
});

test('a postback that overtakes the response counts, and no status steps back', async () => {
  responds = false;
  const id = await submit('overtaken');
  const delivery = await nth('order');
  await say({ printOrderId: (JSON.parse(delivery.body) as { id: string }).id }, 'received');
  await eventually(async () =>
    (await historyOf(id)).find(
      ({ workflowExecutionSignaledEventAttributes: signal }) => signal?.signalName === ORDER_SIGNALS.postback,
    ),
  );
  accept(delivery);
  await orderUntil(stack, id, is('in_production'));
  await expectOneHandover(id);
});
