import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isGrpcServiceError } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { type RunningWorker, runWorker } from '../../cli/run-worker';
import { workerVersions } from '../../src/platform/temporal/worker-versions';
import { workflowBundle } from '../support/servers';
import { eventually, type TestStack, testStack } from '../support/stack';
import { operatorHelpers } from './order/operator-fixture';
import { handedOver, is, orderBody, orderUntil, seenPrintOrders } from './order/order-fixture';

/** Deploys while orders run: worker versions on the embedded server, by the steps of docs/operation/upgrades.md. */

/** The gRPC status of a run that has not started. */
const NOT_FOUND = 5;

let stack: TestStack;
let folder: string | undefined;
const workers = new Map<string, RunningWorker>();
const { say } = operatorHelpers(() => stack);

beforeAll(async () => {
  // The first worker has no version: versions are introduced in a running deployment.
  stack = await testStack({ mode: 'manual' });
});
afterAll(async () => {
  await Promise.all([...workers.values()].map((worker) => worker.stop()));
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

async function startVersion(buildId: string, bundle = workflowBundle()): Promise<void> {
  const { services } = stack;
  const config = { ...services.config, WORKER_BUILD_ID: buildId };
  workers.set(buildId, await runWorker({ ...services, config }, bundle));
}

/** Writes a workflow bundle whose orders take one step more, as after a change with `patched`. */
async function bundleWithStep(patch: string): Promise<{ readonly codePath: string }> {
  folder = await mkdtemp(join(tmpdir(), 'pressline-bundle-'));
  const code = await readFile(workflowBundle().codePath, 'utf8');
  const step = `globalThis.__TEMPORAL_ACTIVATOR__.patchInternal('${patch}', false);`;
  const changed = code.replace('return await run.run();', (end) => `${step} ${end}`);
  expect(changed).not.toBe(code);
  const codePath = join(folder, 'workflows.js');
  await writeFile(codePath, changed);
  return { codePath };
}

async function stopVersion(buildId: string): Promise<void> {
  await workers.get(buildId)!.stop();
  workers.delete(buildId);
}

const versions = () => workerVersions(stack.services.temporal, stack.services.config);
const makeCurrent = (buildId: string) => versions().makeCurrent(buildId);

async function versioningOf(orderId: string) {
  const { raw } = await stack.services.temporal.workflow.getHandle(`order-${orderId}`).describe();
  return raw.workflowExecutionInfo!.versioningInfo;
}

/** Waits until a version has completed the last workflow task of a run. */
async function lastTaskOn(orderId: string, buildId: string): Promise<void> {
  await eventually(async () =>
    (await versioningOf(orderId))?.deploymentVersion?.buildId === buildId ? true : undefined,
  );
}

/** Waits until a run is on a version. The workflow task that moves it must have completed. */
async function runsOn(orderId: string, buildId: string | null): Promise<void> {
  await eventually(async () => {
    const info = await versioningOf(orderId);
    const upgrades = info?.behavior === temporal.api.enums.v1.VersioningBehavior.VERSIONING_BEHAVIOR_AUTO_UPGRADE;
    return (info?.deploymentVersion?.buildId ?? null) === buildId && upgrades === (buildId !== null) ? true : undefined;
  });
}

/** Waits until a workflow task of an order has failed. */
async function untilTaskFailed(orderId: string): Promise<void> {
  await eventually(async () => {
    const { events } = await stack.services.temporal.workflow.getHandle(`order-${orderId}`).fetchHistory();
    return events?.some((event) => event.workflowTaskFailedEventAttributes != null) ? true : undefined;
  });
}

/** Waits until a version polls for workflow tasks. */
async function polledBy(buildId: string): Promise<void> {
  const { config, temporal: client } = stack.services;
  await eventually(async () => {
    const { pollers } = await client.workflowService.describeTaskQueue({
      namespace: config.TEMPORAL_NAMESPACE,
      taskQueue: { name: config.TEMPORAL_TASK_QUEUE },
      taskQueueType: temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
    });
    return pollers.some(({ deploymentOptions }) => deploymentOptions?.buildId === buildId) ? true : undefined;
  });
}

/** Waits until the first workflow task of an order is scheduled or started. @returns the time of that event in milliseconds */
async function firstTask(
  orderId: string,
  attributes: 'workflowTaskScheduledEventAttributes' | 'workflowTaskStartedEventAttributes',
): Promise<number> {
  return await eventually(async () => {
    const run = stack.services.temporal.workflow.getHandle(`order-${orderId}`);
    const history = await run.fetchHistory().catch((error: unknown) => {
      if (isGrpcServiceError(error) && error.code === NOT_FOUND) return undefined;
      throw error;
    });
    const event = history?.events?.find((event) => event[attributes] != null);
    return event && Number(event.eventTime!.seconds) * 1_000 + Math.floor(event.eventTime!.nanos! / 1e6);
  });
}

async function print(orderId: string, printOrderId: string): Promise<void> {
  await say(printOrderId, 'printed');
  await orderUntil(stack, orderId, is('printed'));
}

async function ship(orderId: string, printOrderId: string): Promise<void> {
  await stack.partner('prints-berlin').dispatchOrder({ body: { orderId: printOrderId } });
  await say(printOrderId, 'shipped');
  await orderUntil(stack, orderId, is('shipped'));
}

test('an order runs through three deploys, from a worker without a version to a second version', async () => {
  const { orderId, printOrderId } = await handedOver(stack, 'three-deploys');
  await runsOn(orderId, null);

  await startVersion('a');
  await makeCurrent('a');
  await stack.stopWorker();
  await say(printOrderId, 'received');
  await orderUntil(stack, orderId, is('in_production'));
  await runsOn(orderId, 'a');

  // The old worker still gets all tasks.
  await startVersion('b');
  await print(orderId, printOrderId);
  await runsOn(orderId, 'a');

  await makeCurrent('b');
  await ship(orderId, printOrderId);
  await runsOn(orderId, 'b');
  expect(seenPrintOrders(stack, [printOrderId])).toMatchObject([{ deliveries: 1, distinctContents: 1 }]);
});

test('a bad version is rolled back by making the previous version current', async () => {
  const { orderId, printOrderId } = await handedOver(stack, 'taken-back');
  await runsOn(orderId, 'b');
  await makeCurrent('a');
  await print(orderId, printOrderId);
  await runsOn(orderId, 'a');
  await makeCurrent('b');
  await stopVersion('a');
  await ship(orderId, printOrderId);
  await runsOn(orderId, 'b');
  expect(seenPrintOrders(stack, [printOrderId])).toMatchObject([{ deliveries: 1, distinctContents: 1 }]);
});

test('orders of a ramped version end on it after a rollback that pins them, and new orders start on the older one', async () => {
  await startVersion('newer', await bundleWithStep('newer'));
  await versions().ramp('newer', 100);
  const orders = [await handedOver(stack, 'pinned'), await handedOver(stack, 'failed-and-pinned')];
  for (const { orderId } of orders) await runsOn(orderId, 'newer');
  await versions().ramp('newer', 0);
  // The older version gets the next task of the second order, and does not know its last step.
  const [, failing] = orders;
  await say(failing!.printOrderId, 'received');
  await untilTaskFailed(failing!.orderId);
  expect(await versions().pin('newer')).toBeGreaterThan(0);
  for (const { orderId, printOrderId } of orders) {
    await print(orderId, printOrderId);
    await ship(orderId, printOrderId);
    await lastTaskOn(orderId, 'newer');
    expect(seenPrintOrders(stack, [printOrderId])).toMatchObject([{ deliveries: 1, distinctContents: 1 }]);
  }
  const later = await handedOver(stack, 'after-rollback');
  await runsOn(later.orderId, 'b');
  await stopVersion('newer');
});

test('a worker whose version is not current gets no tasks', async () => {
  await stopVersion('b');
  await startVersion('c');
  const { id } = await stack.client.submitOrder({
    body: orderBody(stack, 'waits'),
  });
  await polledBy('c');
  await firstTask(id, 'workflowTaskScheduledEventAttributes');
  expect((await stack.client.getOrder({ params: { orderId: id } })).fulfillmentStatus).toBe('created');
  const before = Date.now();
  await makeCurrent('c');
  await orderUntil(stack, id, is('passed'));
  expect(await firstTask(id, 'workflowTaskStartedEventAttributes')).toBeGreaterThanOrEqual(before);
});
