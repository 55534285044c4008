import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { startCutProxy } from '../../bench/faults/cut-proxy';
import { loadConfig } from '../../src/platform/config';
import { connectTemporal } from '../../src/platform/temporal/connection';
import { failuresOf, type History, replay } from '../support/histories';
import { testTemporalAddress } from '../support/servers';
import type { writer } from './stale-workflow-tasks/writer-workflow';

/** Workflow tasks that time out on a slow worker while one of their local activities is running. */

const TASK_TIMEOUT_MS = 3_000;
/** Time left of the first workflow task when it arrives. Its local activity takes longer. */
const LEFT_MS = 1_000;
const WRITING_MS = 1_800;

let temporal: Client;

beforeAll(() => {
  temporal = connectTemporal({ ...loadConfig({}), TEMPORAL_ADDRESS: testTemporalAddress() });
});
afterAll(() => temporal.connection.close());

/** Runs a workflow whose first task is stale, with a signal before and after. */
async function runSlowly(bundle: { code: string }): Promise<{ written: string[]; history: History }> {
  const server = Number(testTemporalAddress().split(':')[1]);
  const line = await startCutProxy(0, () => [server]);
  const connection = await NativeConnection.connect({ address: `127.0.0.1:${line.port}` });
  const taskQueue = `slow-${randomUUID()}`;
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowBundle: bundle,
    activities: { write: () => sleep(WRITING_MS) },
  });
  const result = await worker.runUntil(async () => {
    const first = await temporal.workflow.start<typeof writer>('writer', {
      workflowId: `${taskQueue}-first`,
      taskQueue,
    });
    await first.signal('word', 'end');
    await first.result();
    // The worker polls. Tasks that it gets from now on arrive late.
    line.hold();
    const run = await temporal.workflow.signalWithStart<typeof writer, [string]>('writer', {
      workflowId: taskQueue,
      taskQueue,
      workflowTaskTimeout: TASK_TIMEOUT_MS,
      signal: 'word',
      signalArgs: ['one'],
    });
    await sleep(TASK_TIMEOUT_MS - LEFT_MS);
    await run.signal('word', 'two');
    line.release();
    await sleep(TASK_TIMEOUT_MS * 2);
    await run.signal('word', 'end');
    return { written: await run.result(), history: await run.fetchHistory() };
  });
  await connection.close();
  await line.close();
  return result;
}

const bundled = (workflowInterceptorModules: string[]) =>
  bundleWorkflowCode({
    workflowsPath: join(__dirname, 'stale-workflow-tasks', 'writer-workflow.ts'),
    workflowInterceptorModules,
  });

const timedOut = ({ events }: History) =>
  (events ?? []).filter(({ workflowTaskTimedOutEventAttributes: lost }) => lost != null).length;

test('a stale task is retried, and the history can be replayed', async () => {
  const bundle = await bundled([join(__dirname, '../../workflows/stale-workflow-tasks.ts')]);
  const { written, history } = await runSlowly(bundle);
  expect(written).toEqual(['one', 'two', 'end']);
  expect(timedOut(history)).toBeGreaterThan(0);
  expect(failuresOf(await replay([{ scenario: 'slow', history }], { bundle }))).toEqual([]);
}, 60_000);

// When this test fails, the SDK no longer needs workflows/stale-workflow-tasks.ts.
test('without the interceptor the history cannot be replayed', async () => {
  const bundle = await bundled([]);
  let failures: string[] = [];
  // On a busy machine the task may arrive after its time-out, and is only retried.
  for (let tries = 0; tries < 5 && failures.length === 0; tries += 1) {
    const { history } = await runSlowly(bundle);
    failures = failuresOf(await replay([{ scenario: 'slow', history }], { bundle }));
  }
  expect(failures).toEqual([expect.stringMatching(/LocalActivity/)]);
}, 120_000);
