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

/** Tasks that Temporal takes back from a slow worker while a local activity of theirs is under way. */

const TASK_TIMEOUT_MS = 3_000;
/** The first task arrives when so much of its time is left, and its activity takes more. */
const LEFT_MS = 1_000;
const WRITING_MS = 1_800;

let temporal: Client;

beforeAll(() => {
  temporal = connectTemporal({ ...loadConfig({}), TEMPORAL_ADDRESS: testTemporalAddress() });
});
afterAll(() => temporal.connection.close());

/** A run whose first task is lost, with a word before and after. */
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
    // It polls: what it is given now arrives late.
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

test('a task that is lost is taken anew, and the run can be replayed', async () => {
  const bundle = await bundled([join(__dirname, '../../workflows/stale-workflow-tasks.ts')]);
  const { written, history } = await runSlowly(bundle);
  expect(written).toEqual(['one', 'two', 'end']);
  expect(timedOut(history)).toBeGreaterThan(0);
  expect(failuresOf(await replay([{ scenario: 'slow', history }], { bundle }))).toEqual([]);
}, 60_000);

// When this fails the SDK no longer needs workflows/stale-workflow-tasks.ts.
test('without that the history cannot be replayed', async () => {
  const bundle = await bundled([]);
  let failures: string[] = [];
  // On a busy machine the task may arrive when all its time is over, and is simply taken back.
  for (let tries = 0; tries < 5 && failures.length === 0; tries += 1) {
    const { history } = await runSlowly(bundle);
    failures = failuresOf(await replay([{ scenario: 'slow', history }], { bundle }));
  }
  expect(failures).toEqual([expect.stringMatching(/LocalActivity/)]);
}, 120_000);
