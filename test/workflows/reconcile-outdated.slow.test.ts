import { randomUUID } from 'node:crypto';
import { defaultDataConverter } from '@temporalio/common';
import { temporal as protocol } from '@temporalio/proto';
import { type CarriedRun, ORDER_QUERIES, type RunView } from '../../src/orders/domain/run/run-messages';
import type { RecordKey } from '../../src/orders/domain/run/run-record';
import { storedRun } from '../../src/orders/run/snapshots';
import { orderWorkflowId, WORKFLOW_TYPES } from '../../src/platform/domain/workflows';
import type { Reconciliation } from '../../workflows/reconcile';
import { eventually, type TestStack, testStack } from '../support/stack';
import { operatorHelpers } from './order/operator-fixture';
import {
  atRest,
  deliveredByCarrier,
  type HandedOver,
  handedOver,
  is,
  orderLog,
  orderNow,
  orderUntil,
  seenPrintOrders,
} from './order/order-fixture';

/** Temporal is restored from a backup while Postgres keeps its newer state: workflows are older than the rows of their orders. */

const { EventType } = protocol.api.enums.v1;

let stack: TestStack;
const { say } = operatorHelpers(() => stack);

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

const handleOf = (orderId: string) => stack.services.temporal.workflow.getHandle(orderWorkflowId(orderId));
const statusOfRun = async (orderId: string) => (await handleOf(orderId).describe()).status.name;
const stateOf = (orderId: string) => handleOf(orderId).query<RunView>(ORDER_QUERIES.runState);

/** Runs a reconciliation that finds Temporal older than Postgres, or neither of them. */
async function reconcileOnce(lost: 'temporal' | null): Promise<Reconciliation['found']> {
  const { temporal, config, sql } = stack.services;
  await sql`DELETE FROM reconciliation`;
  if (lost === 'temporal') await sql`INSERT INTO reconciliation (mark, marked_at) VALUES (7, now())`;
  const result: Reconciliation = await temporal.workflow.execute('reconcile', {
    workflowId: `reconcile-${randomUUID()}`,
    taskQueue: config.TEMPORAL_TASK_QUEUE,
  });
  expect(result.lost).toBe(lost);
  return result.found;
}

/** Sets an order's last change and its postbacks to an hour ago. */
async function age(orderId: string): Promise<void> {
  const { sql } = stack.services;
  await sql`
    UPDATE orders SET created_at = created_at - interval '1 hour', updated_at = updated_at - interval '1 hour'
    WHERE id = ${orderId}`;
  await sql`
    UPDATE postbacks SET received_at = received_at - interval '1 hour'
    WHERE print_order_id IN (SELECT id FROM print_orders WHERE order_id = ${orderId})`;
}

async function print({ orderId, printOrderId }: HandedOver): Promise<void> {
  await say(printOrderId, 'received');
  await say(printOrderId, 'printed');
  await orderUntil(stack, orderId, is('printed'));
}

const dispatch = (printOrderId: string) =>
  stack.partner('prints-berlin').dispatchOrder({ body: { orderId: printOrderId } });

async function deliver(order: HandedOver): Promise<void> {
  await say(order.printOrderId, 'shipped');
  await orderUntil(stack, order.orderId, is('shipped'));
  await deliveredByCarrier(stack, order.orderId);
}

const completed = (orderId: string) =>
  eventually(async () => ((await statusOfRun(orderId)) === 'COMPLETED' ? true : undefined));

/** A workflow as a backup has it. */
interface Backup {
  readonly input: object;
  readonly view: RunView;
  readonly last: RecordKey;
}

async function backUp(orderId: string): Promise<Backup> {
  const { events } = await handleOf(orderId).fetchHistory();
  const [payload] = events![0]!.workflowExecutionStartedEventAttributes!.input!.payloads!;
  const { position, version } = (await storedRun(stack.services.sql, orderId))!;
  return {
    input: await defaultDataConverter.payloadConverter.fromPayload(payload!),
    view: await stateOf(orderId),
    last: { position, version },
  };
}

/** Lets the workflow of an order continue in the state of the backup. */
async function restore(orderId: string, { input, view, last }: Backup): Promise<void> {
  const { temporal, config, sql } = stack.services;
  if ((await statusOfRun(orderId)) === 'RUNNING') await handleOf(orderId).terminate('lost');
  const { clock, pending, deadlines: _deadlines, ...state } = view;
  const carried: CarriedRun = { state, clock, pending, last, financialStatus: null };
  const { firstExecutionRunId } = await temporal.workflow.start(WORKFLOW_TYPES.order, {
    workflowId: orderWorkflowId(orderId),
    taskQueue: config.TEMPORAL_TASK_QUEUE,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    args: [{ ...input, carried }],
  });
  // A restored workflow has the run id of the lost one.
  await sql`UPDATE orders SET run_id = ${firstExecutionRunId} WHERE id = ${orderId}`;
  expect((await stateOf(orderId)).version).toBe(state.version);
  await atRest(stack, orderId);
}

/** Checks that partners and carriers have got nothing twice. */
async function expectMadeOnce({ orderId, printOrderId }: HandedOver, labels: number): Promise<void> {
  const { printOrderIds, shipments } = await orderNow(stack, orderId);
  expect(printOrderIds).toEqual([printOrderId]);
  expect(shipments).toEqual(labels === 0 ? {} : { bought: labels });
  expect(seenPrintOrders(stack, [printOrderId])).toMatchObject([{ deliveries: 1, distinctContents: 1 }]);
}

describe('the outdated workflow of an ended order', () => {
  test.each([
    ['after a restore of Temporal', 'temporal'],
    ['when no reconciliation has noticed the restore', null],
  ] as const)('is ended, and the order stays delivered, %s', async (_when, lost) => {
    const order = await handedOver(stack, `delivered-${lost}`);
    const { orderId, printOrderId } = order;
    const backup = await backUp(orderId);
    await print(order);
    await dispatch(printOrderId);
    await deliver(order);
    await completed(orderId);
    const before = await orderNow(stack, orderId);
    const log = await orderLog(stack, orderId);

    await restore(orderId, backup);
    await age(orderId);
    expect(await reconcileOnce(lost)).toEqual({ outdated: 1 });
    expect(await statusOfRun(orderId)).toBe('TERMINATED');
    expect(await orderNow(stack, orderId)).toEqual(before);
    expect(await orderLog(stack, orderId)).toEqual(log);
    await expectMadeOnce(order, 1);
    expect(await reconcileOnce(lost)).toEqual({});
  });

  test('is ended, and the order stays cancelled', async () => {
    const order = await handedOver(stack, 'cancelled');
    const { orderId } = order;
    const backup = await backUp(orderId);
    await stack.client.cancelOrder({ params: { orderId }, body: {} });
    await orderUntil(stack, orderId, is('canceled'));
    await completed(orderId);
    const before = await orderNow(stack, orderId);

    await restore(orderId, backup);
    await age(orderId);
    expect(await reconcileOnce('temporal')).toEqual({ outdated: 1 });
    expect(await statusOfRun(orderId)).toBe('TERMINATED');
    expect(await orderNow(stack, orderId)).toEqual(before);
    await expectMadeOnce(order, 0);
  });

  test('writes nothing over the order when it repeats its steps before the reconciliation', async () => {
    const { sql, temporal, config } = stack.services;
    const order = await handedOver(stack, 'repeats-steps');
    const { orderId } = order;
    await print(order);
    const { events } = await handleOf(orderId).fetchHistory();
    const tasks = events!.filter(({ eventType }) => eventType === EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED);
    await dispatch(order.printOrderId);
    await deliver(order);
    await completed(orderId);
    const before = await orderNow(stack, orderId);
    const log = await orderLog(stack, orderId);

    await stack.stopWorker();
    const { runId } = await temporal.workflowService.resetWorkflowExecution({
      namespace: config.TEMPORAL_NAMESPACE,
      workflowExecution: { workflowId: orderWorkflowId(orderId) },
      reason: 'test',
      requestId: randomUUID(),
      workflowTaskFinishEventId: tasks.at(-1)!.eventId!,
      resetReapplyType: protocol.api.enums.v1.ResetReapplyType.RESET_REAPPLY_TYPE_NONE,
    });
    await sql`UPDATE orders SET run_id = ${runId} WHERE id = ${orderId}`;
    await stack.startWorker();
    // The record of the restored step was skipped, and so was its repetition.
    await eventually(async () => ((await stateOf(orderId)).attention.includes('out_of_step') ? true : undefined));
    await atRest(stack, orderId);
    await age(orderId);
    expect(await reconcileOnce('temporal')).toEqual({ outdated: 1 });
    expect(await statusOfRun(orderId)).toBe('TERMINATED');
    expect(await orderNow(stack, orderId)).toEqual(before);
    expect(await orderLog(stack, orderId)).toEqual(log);
    await expectMadeOnce(order, 1);
  });
});

describe('the outdated workflow of an open order', () => {
  test('starts again in the state of the rows, and the order is delivered with one print order and one label', async () => {
    const order = await handedOver(stack, 'printed-since');
    const { orderId, printOrderId } = order;
    const backup = await backUp(orderId);
    await print(order);
    const { trackingCode } = await dispatch(printOrderId);

    await restore(orderId, backup);
    const { runId: outdated } = await handleOf(orderId).describe();
    await age(orderId);
    expect(await reconcileOnce('temporal')).toEqual({ outdated: 1 });
    await eventually(async () => ((await handleOf(orderId).describe()).runId !== outdated ? true : undefined));
    expect(await stateOf(orderId)).toMatchObject({
      items: [{ status: 'printed' }],
      printOrders: [{ id: printOrderId, shipment: { revision: 0 } }],
    });
    expect(await dispatch(printOrderId)).toMatchObject({ trackingCode });
    await deliver(order);
    await completed(orderId);
    expect(await orderNow(stack, orderId)).toMatchObject({ status: 'delivered', attention: null });
    await expectMadeOnce(order, 1);
    await age(orderId);
    expect(await reconcileOnce('temporal')).toEqual({});
  });

  test('starts again with an operator’s repair that it has lost', async () => {
    const order = await handedOver(stack, 'held-since');
    const { orderId } = order;
    const backup = await backUp(orderId);
    const repair = (action: 'hold' | 'release') =>
      stack.operator.repairOrder({ params: { orderId }, body: { action, reason: 'test' } });
    await repair('hold');
    await orderUntil(stack, orderId, is('on_hold'));

    await restore(orderId, backup);
    await age(orderId);
    expect(await reconcileOnce('temporal')).toEqual({ outdated: 1 });
    await eventually(async () => ((await stateOf(orderId)).held ? true : undefined));
    expect(await orderNow(stack, orderId)).toMatchObject({ status: 'on_hold', attention: null });
    await repair('release');
    await print(order);
    await expectMadeOnce(order, 0);
  });
});
