import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startCutProxy } from '../../../../bench/faults/cut-proxy';
import { runWorker } from '../../../../cli/run-worker';
import { ORDER_SIGNALS, orderWorkflowId } from '../../../../src/platform/domain/workflows';
import { connectTemporal } from '../../../../src/platform/temporal/connection';
import { changedBundle, failuresOf, type History, replay } from '../../../support/histories';
import { historiesOfRuns } from '../../../support/order-histories';
import { testTemporalAddress } from '../../../support/servers';
import { eventually, type TestStack, testStack } from '../../../support/stack';
import { operatorHelpers } from '../operator-fixture';
import { type HandedOver, handedOver, is, orderUntil, seenPrintOrders } from '../order-fixture';

/** Orders whose workflow tasks time out or fail, or wait for Postgres, and that go on afterwards. */

let stack: TestStack;
let line: Awaited<ReturnType<typeof startCutProxy>>;
const { say } = operatorHelpers(() => stack);

beforeAll(async () => {
  const temporal = Number(testTemporalAddress().split(':')[1]);
  line = await startCutProxy(0, () => [temporal]);
  stack = await testStack({
    mode: 'manual',
    temporalAddress: `127.0.0.1:${line.port}`,
    // A test locks a row, and the API needs a connection while a statement of the worker waits for the lock.
    config: { DATABASE_POOL_SIZE: 10 },
  });
});
// The stack's own hook runs before this one.
afterAll(async () => await line?.close());

/** Signals an order over a line that works. The signal changes nothing. */
async function nudge({ orderId }: HandedOver): Promise<void> {
  const client = connectTemporal({ ...stack.services.config, TEMPORAL_ADDRESS: testTemporalAddress() });
  await client.workflow.getHandle(orderWorkflowId(orderId)).signal(ORDER_SIGNALS.tracking, {
    type: 'tracking',
    eventId: 'x',
    printOrderId: '0',
    parcels: [],
  });
  await client.connection.close();
}

/** Waits until the history of an order's run has an event with these attributes. */
const untilEvent = (orderId: string, attributes: keyof NonNullable<History['events']>[number]) =>
  eventually(async () => {
    const client = connectTemporal({ ...stack.services.config, TEMPORAL_ADDRESS: testTemporalAddress() });
    const [history] = await historiesOfRuns(client, orderId);
    await client.connection.close();
    return history!.events!.some((event) => event[attributes] != null) ? true : undefined;
  });

/** Lets an order be printed and shipped. Returns the messages and contents that its partner got. */
async function shipped(order: HandedOver) {
  await say(order, 'printed');
  await orderUntil(stack, order.orderId, is('printed'));
  await stack.partner('prints-berlin').dispatchOrder({ body: { orderId: order.printOrderId } });
  await say(order, 'shipped');
  await orderUntil(stack, order.orderId, is('shipped'));
  return seenPrintOrders(stack, [order.printOrderId]);
}

/** Longer than the timeout of a workflow task, which is 10 s. */
const LOCKED_MS = 18_000;

const ONCE = [{ deliveries: 1, distinctContents: 1 }];

test('an order goes on after a workflow task has timed out', async () => {
  const order = await handedOver(stack, 'timed-out');
  line.hold();
  await nudge(order);
  await untilEvent(order.orderId, 'workflowTaskTimedOutEventAttributes');
  line.release();
  expect(await shipped(order)).toMatchObject(ONCE);
});

test('an order goes on after a faulty version has failed its workflow task', async () => {
  const order = await handedOver(stack, 'failed-task');
  await stack.stopWorker();
  const codePath = join(tmpdir(), `pressline-faulty-${randomUUID()}.js`);
  const { code } = changedBundle('return await run.run();', "throw new Error('faulty version');");
  await writeFile(codePath, code);
  const faulty = await runWorker(stack.services, { codePath });
  await nudge(order);
  await untilEvent(order.orderId, 'workflowTaskFailedEventAttributes');
  // Operators see the order as its last record stored it.
  const seen = await stack.operator.getOperatorOrder({ params: { orderId: order.orderId } });
  expect(seen).toMatchObject({ run: null, nextStep: { who: 'partner' } });
  await faulty.stop();
  await rm(codePath);
  await stack.startWorker();
  expect(await shipped(order)).toMatchObject(ONCE);
});

test('an order goes on after its row was locked for longer than a record and a workflow task may take', async () => {
  const order = await handedOver(stack, 'locked-row');
  const { sql, temporal } = stack.services;
  await sql.begin(async (tx) => {
    await tx`SELECT FROM orders WHERE id = ${order.orderId} FOR NO KEY UPDATE`;
    await say(order, 'received');
    for (const end = Date.now() + LOCKED_MS; Date.now() < end; ) {
      await sleep(LOCKED_MS / 6);
      await nudge(order);
    }
  });
  await orderUntil(stack, order.orderId, is('in_production'));
  expect(await shipped(order)).toMatchObject(ONCE);

  const [history] = await historiesOfRuns(temporal, order.orderId);
  // Each attempt ended by the statement's timeout. A timer of the server waited for the next one.
  const backOffs = history!.events!.filter((event) => event.timerFiredEventAttributes != null);
  expect(backOffs.length).toBeGreaterThan(0);
  expect(failuresOf(await replay([{ scenario: 'locked-row', history: history! }]))).toEqual([]);
});
