import { flagOrder } from '../../../../src/orders/run/flags';
import { eventually, type TestStack, testStack } from '../../../support/stack';
import { operatorHelpers } from '../operator-fixture';
import {
  accepted,
  currentDetails,
  handedOver,
  is,
  misbehaveOnce,
  type OrderNow,
  orderBody,
  orderLog,
  orderNow,
  orderUntil,
} from '../order-fixture';

/** No order stands still without a flag: a step that does not succeed, and what was found outside the workflow. */

let stack: TestStack;
const { repair, say } = operatorHelpers(() => stack);

beforeAll(async () => {
  stack = await testStack({ mode: 'manual', config: { STALL_AFTER: 3_000 } });
});

const isStalled = ({ attention }: OrderNow) => attention === 'stalled';
const isFine = ({ attention }: OrderNow) => attention === null;

const submit = async (reference: string) => (await stack.client.submitOrder({ body: orderBody(stack, reference) })).id;

/** Returns the messages of the flags in the order's log. */
const flagsOf = async (orderId: string) =>
  (await orderLog(stack, orderId)).filter(({ type }) => type === 'flagged').map(({ data }) => data.message);

/** Waits until a step has stalled the order. */
async function untilStalledBy(orderId: string, step: RegExp): Promise<void> {
  await orderUntil(stack, orderId, isStalled);
  await eventually(async () =>
    (await flagsOf(orderId)).some((message) => step.test(String(message))) ? true : undefined,
  );
  await orderUntil(stack, orderId, isStalled);
}

/** Makes changes of an order's rows fail until the returned function is called, as a bug would. */
async function breakTable(table: string, when: 'INSERT' | 'UPDATE', orderId: string) {
  const { asOwner } = stack.database;
  await asOwner(`
    CREATE FUNCTION break_${table}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.order_id = '${orderId}' THEN RAISE EXCEPTION 'a bug in a step'; END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER break_${table} BEFORE ${when} ON ${table} FOR EACH ROW EXECUTE FUNCTION break_${table}();`);
  return () => asOwner(`DROP TRIGGER break_${table} ON ${table}; DROP FUNCTION break_${table};`);
}

test('an order is stalled while its partner does not accept the print order; it clears when the partner does', async () => {
  await misbehaveOnce(stack, 'prints-berlin', 'fails-first', 'stalled-delivery', 2);
  const id = await submit('stalled-delivery');
  await untilStalledBy(id, /^deliverPrintOrder: .*500/);
  const { orders } = await stack.operator.listOperatorOrders({ query: { attention: 'stalled' } });
  expect(orders.map((order) => order.id)).toContain(id);
  expect(await currentDetails(stack, id)).toContain('The step that has not succeeded: deliverPrintOrder: ');
  await orderUntil(stack, id, isFine);
  await accepted(stack, id);
});

test('an operator can cancel a stalled order', async () => {
  await misbehaveOnce(stack, 'prints-berlin', 'fails-first', 'stalled-and-cancelled', 100);
  const id = await submit('stalled-and-cancelled');
  await untilStalledBy(id, /^deliverPrintOrder: /);
  await stack.client.cancelOrder({ params: { orderId: id }, body: {} });
  expect(await orderUntil(stack, id, is('canceled'))).toMatchObject({ attention: null });
});

test('an order whose plan meets a bug is stalled, and continues after the fix', async () => {
  const { sql } = stack.services;
  await stack.stopWorker();
  const id = await submit('stalled-plan');
  const fix = await breakTable('print_orders', 'INSERT', id);
  await stack.startWorker();
  await untilStalledBy(id, /^prepareOrder: .*a bug in a step/);
  expect(await sql`SELECT FROM print_orders WHERE order_id = ${id}`).toHaveLength(0);
  await fix();
  await accepted(stack, id);
  await orderUntil(stack, id, isFine);
});

test('an order whose record meets a bug is stalled, and continues after the fix', async () => {
  const { orderId, printOrderId } = await handedOver(stack, 'stalled-record');
  const fix = await breakTable('order_items', 'UPDATE', orderId);
  await say({ printOrderId }, 'received');
  await untilStalledBy(orderId, /^recordRun: .*a bug in a step/);
  await fix();
  const order = await orderUntil(stack, orderId, (now) => is('in_production')(now) && isFine(now));
  expect(order.items).toEqual([expect.objectContaining({ status: 'in_production' })]);
});

test('a flag from outside belongs to the run: the next record keeps it, and an operator dismisses it', async () => {
  const { orderId, printOrderId } = await handedOver(stack, 'flagged');
  expect(await flagOrder(stack.services.sql, orderId, 'out_of_step', 'found by a test')).toBe(true);
  expect(await flagOrder(stack.services.sql, orderId, 'out_of_step', 'found again')).toBe(false);
  const insteadOf = 'found by a test';
  expect(await flagOrder(stack.services.sql, orderId, 'out_of_step', 'says more', { insteadOf })).toBe(true);
  expect(await flagOrder(stack.services.sql, orderId, 'out_of_step', 'and again', { insteadOf })).toBe(false);
  expect(await flagsOf(orderId)).toEqual(['found by a test', 'says more']);
  await say({ printOrderId }, 'received');
  await orderUntil(stack, orderId, is('in_production'));
  await say({ printOrderId }, 'printed');
  await orderUntil(stack, orderId, is('printed'));
  expect((await orderNow(stack, orderId)).attention).toBe('out_of_step');
  await repair(orderId, { action: 'dismiss' });
  await orderUntil(stack, orderId, isFine);
});
