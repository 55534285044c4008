import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { loadConfig } from '../../src/platform/config';
import { dataConverterOf } from '../../src/platform/temporal/codec/data-converter';
import { connectTemporal } from '../../src/platform/temporal/connection';
import { failuresOf, type History, replay } from '../support/histories';
import { testTemporalAddress } from '../support/servers';
import { eventually } from '../support/stack';
import type { refuser, waiter } from './empty-workflow-tasks/workflows';

/** Workflow tasks without a command, before a task that a worker replays and that accepts an update. */

type Event = NonNullable<History['events']>[number];

let temporal: Client;
let connection: NativeConnection;

let withInterceptor: { code: string };
let withoutInterceptor: { code: string };

const bundled = (workflowInterceptorModules: string[]) =>
  bundleWorkflowCode({
    workflowsPath: join(__dirname, 'empty-workflow-tasks', 'workflows.ts'),
    workflowInterceptorModules,
  });

beforeAll(async () => {
  withInterceptor = await bundled([join(__dirname, '../../workflows/empty-workflow-tasks.ts')]);
  withoutInterceptor = await bundled([]);
  temporal = connectTemporal({ ...loadConfig({}), TEMPORAL_ADDRESS: testTemporalAddress() });
  connection = await NativeConnection.connect({ address: testTemporalAddress() });
});
afterAll(async () => {
  await temporal.connection.close();
  await connection.close();
});

/** Returns the number of events of a history that have these attributes. */
const countOf = ({ events }: History, attributes: keyof Event) =>
  (events ?? []).filter((event) => event[attributes] != null).length;

/**
 * Runs the workflow at a worker that keeps so many runs in its cache. The update is sent after the empty tasks. Ends when the
 * workflow has ended, or has failed a task.
 */
async function run(bundle: { code: string }, maxCachedWorkflows: number, dataConverter = dataConverterOf(undefined)) {
  const taskQueue = `empty-tasks-${randomUUID()}`;
  const options = { connection, taskQueue, workflowBundle: bundle, maxCachedWorkflows, dataConverter };
  const worker = await Worker.create(options);
  return await worker.runUntil(async () => {
    const handle = await temporal.workflow.start<typeof waiter>('waiter', {
      workflowId: taskQueue,
      taskQueue,
    });
    const until = (count: number, ...attributes: (keyof Event)[]) =>
      eventually(async () => {
        const history = await handle.fetchHistory();
        return attributes.some((each) => countOf(history, each) >= count) ? history : undefined;
      });
    await until(3, 'workflowTaskCompletedEventAttributes');
    await handle.startUpdate('end', { waitForStage: 'ACCEPTED' });
    const history = await until(1, 'workflowExecutionCompletedEventAttributes', 'workflowTaskFailedEventAttributes');
    const { memo, status } = await handle.describe();
    if (status.name === 'RUNNING') await handle.terminate();
    return { memo, history };
  });
}

test('a task without a command gets one, and the history can be replayed', async () => {
  const bundle = withInterceptor;
  const { memo, history } = await run(bundle, 0);
  expect(memo ?? {}).toEqual({});
  expect(countOf(history, 'workflowPropertiesModifiedEventAttributes')).toBe(2);
  expect(countOf(history, 'workflowExecutionCompletedEventAttributes')).toBe(1);
  expect(failuresOf(await replay([{ scenario: 'empty tasks', history }], { bundle }))).toEqual([]);
});

test('a task without a command leaves no memo field when payloads are encrypted', async () => {
  const { memo, history } = await run(withInterceptor, 0, dataConverterOf([{ id: 'test', key: randomBytes(32) }]));
  expect(memo ?? {}).toEqual({});
  expect(countOf(history, 'workflowPropertiesModifiedEventAttributes')).toBe(2);
});

test('a task with the failure of an accepted update, or with the end of a cancelled activity, is not empty', async () => {
  const bundle = withInterceptor;
  const taskQueue = `refusals-${randomUUID()}`;
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowBundle: bundle,
    maxCachedWorkflows: 0,
  });
  const history = await worker.runUntil(async () => {
    const handle = await temporal.workflow.start<typeof refuser>('refuser', {
      workflowId: taskQueue,
      taskQueue,
    });
    await expect(handle.executeUpdate('refuse')).rejects.toThrow('Workflow Update failed');
    await handle.executeUpdate('cancel');
    await handle.result();
    return await handle.fetchHistory();
  });
  expect(countOf(history, 'activityTaskCancelRequestedEventAttributes')).toBe(1);
  expect(countOf(history, 'workflowPropertiesModifiedEventAttributes')).toBe(0);
  expect(countOf(history, 'workflowTaskFailedEventAttributes')).toBe(0);
  expect(failuresOf(await replay([{ scenario: 'refusals', history }], { bundle }))).toEqual([]);
});

// When this test fails, the SDK no longer needs workflows/empty-workflow-tasks.ts.
test('a run that was replayed before the update is stuck, without the interceptor', async () => {
  const { history } = await run(withoutInterceptor, 0);
  const failures = (history.events ?? []).flatMap(({ workflowTaskFailedEventAttributes: failed }) =>
    failed == null ? [] : [failed.failure?.message],
  );
  expect(failures).toEqual([expect.stringMatching(/TMPRL1100/)]);
});
