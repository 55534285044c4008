import type { OrderRunInput } from '../../../../src/orders/domain/run/run-messages';
import { orderWorkflowId } from '../../../../src/platform/domain/workflows';
import { historiesOfRuns } from '../../../support/order-histories';
import { startTestTemporal } from '../../../support/other-systems/temporal-server';
import { eventually, type TestStack, testStack } from '../../../support/stack';
import { operatorHelpers } from '../operator-fixture';
import {
  currentDetails,
  deliveredByCarrier,
  handedOver,
  is,
  orderBody,
  orderLog,
  orderUntil,
  seenPrintOrders,
} from '../order-fixture';

/** Order runs that continue as new. The server suggests it after few events. */

const SUGGESTED_AFTER_EVENTS = 24;

let stack: TestStack;
let temporal: Awaited<ReturnType<typeof startTestTemporal>>;
const { repair, say, look, partnerId } = operatorHelpers(() => stack);

beforeAll(async () => {
  temporal = await startTestTemporal({ 'limit.historyCount.suggestContinueAsNew': SUGGESTED_AFTER_EVENTS });
  stack = await testStack({ mode: 'manual', temporalAddress: temporal.address });
});
// The stack's own hook runs before this one.
afterAll(async () => await temporal?.stop());

const runsOf = (orderId: string) => historiesOfRuns(stack.services.temporal, orderId);

/** Waits until an order's workflow has more than this number of runs. */
const continuedAfter = (orderId: string, runs: number) =>
  eventually(async () => ((await runsOf(orderId)).length > runs ? true : undefined));

/** Returns the input of an order's latest run, and its first command after the start. */
async function latestRun(orderId: string) {
  const events = (await runsOf(orderId)).at(-1)!.events!;
  const [payload] = events[0]!.workflowExecutionStartedEventAttributes!.input!.payloads!;
  const isTimer = events.find(
    (event) => event.timerStartedEventAttributes != null || event.activityTaskScheduledEventAttributes != null,
  )?.timerStartedEventAttributes;
  return {
    input: JSON.parse(Buffer.from(payload!.data!).toString()) as OrderRunInput,
    startsWithTimer: isTimer != null,
  };
}

/** Enables or disables both partners. Without a partner, orders are parked. */
async function enablePartners(enabled: boolean): Promise<void> {
  for (const uid of ['prints-berlin', 'prints-ohio']) {
    await stack.operator.changePartner({ params: { partnerId: await partnerId(uid) }, body: { enabled } });
  }
}

/** Submits an order that is parked, and plans it again until its workflow continues as new. */
async function parkedAnew(orderReferenceId: string): Promise<string> {
  await enablePartners(false);
  const { id } = await stack.client.submitOrder({ body: orderBody(stack, orderReferenceId) });
  await orderUntil(stack, id, is('on_hold'));
  while ((await runsOf(id)).length === 1) {
    const before = await plans(id);
    await repair(id, { action: 'retry' });
    await eventually(async () => ((await plans(id)) > before ? true : undefined));
  }
  return id;
}

test('a parked order continues as new, and keeps its attempts and its pause', async () => {
  const id = await parkedAnew('parked');
  const { input, startsWithTimer } = await eventually(async () => {
    const run = await latestRun(id);
    return run.startsWithTimer ? run : undefined;
  });
  expect(startsWithTimer).toBe(true);
  const { state, parked } = input.carried!;
  expect(state).toMatchObject({ phase: 'preparing', attention: ['no_partner'] });
  expect(parked!.attempts).toBeGreaterThan(1);
  expect(parked!.nextAt).toBeGreaterThan(Date.now());
  expect((await look(id)).run).toMatchObject({ phase: 'preparing', held: false });
  expect(await currentDetails(stack, id)).toMatch(/Planned again at \d/);

  await enablePartners(true);
  await repair(id, { action: 'retry' });
  const planned = await orderUntil(stack, id, is('passed'));
  expect(planned).toMatchObject({ attention: null });
  await eventually(async () => seenPrintOrders(stack, planned.printOrderIds)[0]);
  const files = (await runsOf(id)).flatMap(({ events }) =>
    events!.filter((event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'fetchOrderFiles'),
  );
  expect(files).toHaveLength(1);
});

test('a parked order on hold is planned when its carried pause ends, and delivered after the release', async () => {
  const id = await parkedAnew('parked-on-hold');
  await enablePartners(true);
  const { input } = await latestRun(id);
  const { carried } = input;
  const { temporal: client, config } = stack.services;
  const workflowId = orderWorkflowId(id);
  await client.workflow.getHandle(workflowId).terminate();
  await client.workflow.start('order', {
    workflowId,
    taskQueue: config.TEMPORAL_TASK_QUEUE,
    args: [
      {
        ...input,
        carried: {
          ...carried,
          state: { ...carried!.state, held: true },
          parked: { attempts: 2, nextAt: Date.now() + 1_000 },
        },
      },
    ],
  });
  const planned = await orderUntil(stack, id, ({ printOrderIds }) => printOrderIds.length === 1);
  expect(planned.status).toBe('on_hold');
  expect(seenPrintOrders(stack, planned.printOrderIds)).toEqual([]);
  await repair(id, { action: 'release' });
  await eventually(async () => seenPrintOrders(stack, planned.printOrderIds)[0]);
});

/** Returns the number of plans that the runs of an order have made. */
async function plans(orderId: string): Promise<number> {
  return (await runsOf(orderId)).flatMap(({ events }) =>
    events!.filter((event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'prepareOrder'),
  ).length;
}

test('an order continues as new between postbacks, and is delivered once', async () => {
  const order = await handedOver(stack, 'continued');
  const { orderId, printOrderId } = order;
  await say(order, 'received');
  await orderUntil(stack, orderId, is('in_production'));
  for (let count = 0; count < 4; count += 1) await say(order, 'received');
  await continuedAfter(orderId, 1);
  const details = await currentDetails(stack, orderId);
  expect(details).toContain('**in_production**');
  expect(details).toContain(`| ${printOrderId} | prints-berlin |`);
  expect(details).toContain('in production at prints-berlin');
  await say(order, 'printed');
  await orderUntil(stack, orderId, is('printed'));
  await stack.partner('prints-berlin').dispatchOrder({ body: { orderId: printOrderId } });
  await say(order, 'shipped');
  await orderUntil(stack, orderId, is('shipped'));
  await deliveredByCarrier(stack, orderId);

  const { temporal: client } = stack.services;
  const run = client.workflow.getHandle(orderWorkflowId(orderId));
  expect(await run.result()).toEqual({ fulfillmentStatus: 'delivered' });
  expect(seenPrintOrders(stack, [printOrderId])).toMatchObject([{ deliveries: 1, distinctContents: 1 }]);
  const statuses = (await orderLog(stack, orderId)).filter(({ type }) => type === 'status');
  const seen = statuses.map(({ data }) => data.status);
  expect(new Set(seen).size).toBe(seen.length);
});
