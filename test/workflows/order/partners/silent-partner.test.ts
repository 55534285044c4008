import { eventually, type TestStack, testStack } from '../../../support/stack';
import { operatorHelpers } from '../operator-fixture';
import { handedOver, is, orderLog, orderUntil, seenPrintOrders } from '../order-fixture';

/** A partner accepts a print order and sends no `received`. */

const RECEIVED_DEADLINE_MS = 1_000;

let stack: TestStack;
const { say, look } = operatorHelpers(() => stack);

beforeAll(async () => {
  stack = await testStack({ mode: 'manual', config: { RECEIVED_DEADLINE: RECEIVED_DEADLINE_MS } });
});

test('the partner is reminded again and again, ever more seldom, until it confirms the print order', async () => {
  const order = await handedOver(stack, 'silent');
  const { orderId, printOrderId } = order;
  const reminders = async () =>
    await stack.services.sql<{ reminder: number; at: Date }[]>`
      SELECT (data ->> 'reminder')::int AS reminder, at FROM order_events
      WHERE order_id = ${orderId} AND type = 'print_order_reminded' ORDER BY id`;
  const sent = await eventually(async () => {
    const rows = await reminders();
    return rows.length >= 3 ? rows.slice(0, 3) : undefined;
  });
  expect(sent.map(({ reminder }) => reminder)).toEqual([1, 2, 3]);
  const pauses = sent.slice(1).map(({ at }, index) => at.getTime() - sent[index]!.at.getTime());
  expect(pauses[1]! - pauses[0]!).toBeGreaterThan(RECEIVED_DEADLINE_MS);

  // The run is null while the worker does not respond in time.
  const { run, order: seen } = await eventually(async () => {
    const order = await look(orderId);
    return order.run === null ? undefined : { run: order.run, order };
  });
  expect(seen.attention).toContain('not_received');
  expect(run.deadlines).toContainEqual(expect.objectContaining({ reason: 'reminder', printOrderId, passed: false }));
  const [printOrder] = await eventually(async () => {
    const found = seenPrintOrders(stack, [printOrderId]);
    return found[0]!.deliveries >= 4 ? found : undefined;
  });
  expect(printOrder).toMatchObject({ distinctContents: 1, distinctWebhookIds: 1 });

  await say(order, 'received');
  expect(await orderUntil(stack, orderId, is('in_production'))).toMatchObject({ attention: null });
  const { deadlines } = await eventually(async () => (await look(orderId)).run ?? undefined);
  expect(deadlines.map(({ reason }) => reason)).toEqual(['not_printed']);
  const types = (await orderLog(stack, orderId)).map(({ type }) => type);
  expect(types.filter((type) => type === 'deadline_passed')).toHaveLength(1);
});
