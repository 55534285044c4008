import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { bundleWorkflowCode, type InjectedSinks, NativeConnection, Worker } from '@temporalio/worker';
import { startCutProxy } from '../../bench/faults/cut-proxy';
import { loadConfig } from '../../src/platform/config';
import { connectTemporal } from '../../src/platform/temporal/connection';
import type { StaleTaskSinks } from '../../workflows/stale-workflow-tasks';
import { eventually } from '../support/eventually';
import { failuresOf, type History, replay } from '../support/histories';
import { testTemporalAddress } from '../support/servers';
import type { recorder, writer } from './stale-workflow-tasks/workflows';

/** Local activities that are still running when the worker gets the next workflow task. */

const TASK_TIMEOUT_MS = 3_000;
/** Time left of the first workflow task when it arrives. Its local activity takes longer. */
const LEFT_MS = 1_000;
const WRITING_MS = 1_800;

/** The core sends a heartbeat after 80 % of the timeout. The local activity ends between it and the next one. */
const HEARTBEAT_TASK_TIMEOUT_MS = 4_000;
/** Time from the start of a task to its first activation on a busy machine. */
const ACTIVATION_MS = 1_000;

/** Run time of a query. The local activity ends meanwhile. */
const QUERY_MS = 2_000;
/** A timer that fires during the query, from the end of the task before. */
const DEADLINE_MS = 1_200;

const LATE_TASK_TIMEOUT_MS = 2_000;

type Event = NonNullable<History['events']>[number];

let temporal: Client;

let withInterceptor: { code: string };
let withoutInterceptor: { code: string };

const bundled = (workflowInterceptorModules: string[]) =>
  bundleWorkflowCode({
    workflowsPath: join(__dirname, 'stale-workflow-tasks', 'workflows.ts'),
    workflowInterceptorModules,
  });

beforeAll(async () => {
  temporal = connectTemporal({ ...loadConfig({}), TEMPORAL_ADDRESS: testTemporalAddress() });
  withInterceptor = await bundled([join(__dirname, '../../workflows/stale-workflow-tasks.ts')]);
  withoutInterceptor = await bundled([]);
});
afterAll(() => temporal.connection.close());

/** A connection to the server that can be held up. */
const startLine = () => startCutProxy(0, () => [Number(testTemporalAddress().split(':')[1])]);

/** Does work beside a worker with a task queue of its own. @param port of the server */
async function besideWorker<T>(
  bundle: { code: string },
  activities: object,
  work: (taskQueue: string) => Promise<T>,
  port = Number(testTemporalAddress().split(':')[1]),
): Promise<T & { abandoned: number }> {
  const connection = await NativeConnection.connect({ address: `127.0.0.1:${port}` });
  const taskQueue = `stale-${randomUUID()}`;
  let abandoned = 0;
  const fn = () => {
    abandoned += 1;
  };
  const sinks: InjectedSinks<StaleTaskSinks> = { staleWorkflowTasks: { abandoned: { fn } } };
  const worker = await Worker.create({ connection, taskQueue, workflowBundle: bundle, sinks, activities });
  const result = await worker.runUntil(() => work(taskQueue));
  await connection.close();
  return { ...result, abandoned };
}

/** Returns the number of events of a history that have these attributes. */
const countOf = ({ events }: History, attributes: keyof Event) =>
  (events ?? []).filter((event) => event[attributes] != null).length;

/** Returns true when the workflow has completed a task and waits for a signal. */
const isIdle = ({ events }: History) => {
  const last = events?.at(-1);
  return last?.workflowTaskCompletedEventAttributes != null || last?.markerRecordedEventAttributes != null;
};

/** Returns the failures of a replay without the interceptor. Runs the workflow until its history has one, five times at most. */
async function failuresWithout(play: (bundle: { code: string }) => Promise<{ history: History }>): Promise<string[]> {
  const bundle = withoutInterceptor;
  let failures: string[] = [];
  for (let tries = 0; tries < 5 && failures.length === 0; tries += 1) {
    const { history } = await play(bundle);
    failures = failuresOf(await replay([{ scenario: 'stale', history }], { bundle }));
  }
  return failures;
}

/** Runs a workflow whose first task is stale, with a signal before and after. */
async function runSlowly(bundle: { code: string }) {
  const line = await startLine();
  const work = async (taskQueue: string) => {
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
    await eventually(async () => (isIdle(await run.fetchHistory()) ? true : undefined));
    await run.signal('word', 'end');
    return { written: await run.result(), history: await run.fetchHistory() };
  };
  const result = await besideWorker(bundle, { write: () => sleep(WRITING_MS) }, work, line.port);
  await line.close();
  return result;
}

describe('a task that times out while its local activity runs', () => {
  test('is retried, and the history can be replayed', async () => {
    const bundle = withInterceptor;
    const { written, history, abandoned } = await runSlowly(bundle);
    expect(written).toEqual(['one', 'two', 'end']);
    expect(countOf(history, 'workflowTaskTimedOutEventAttributes')).toBeGreaterThan(0);
    expect(abandoned).toBe(countOf(history, 'workflowTaskFailedEventAttributes'));
    expect(failuresOf(await replay([{ scenario: 'slow', history }], { bundle }))).toEqual([]);
  });

  // When this test fails, the SDK no longer needs the stale tasks of workflows/stale-workflow-tasks.ts.
  test('leaves a history that cannot be replayed, without the interceptor', async () => {
    // On a busy machine the task may arrive after its timeout, and is only retried.
    expect(await failuresWithout(runSlowly)).toEqual([expect.stringMatching(/LocalActivity/)]);
  });
});

/** Runs a workflow whose first task completes by a heartbeat. On a busy machine a task can time out instead: it tries again. */
async function runOverHeartbeat(bundle: { code: string }) {
  for (let tries = 1; ; tries += 1) {
    const result = await runOverOneHeartbeat(bundle);
    if (tries === 5 || countOf(result.history, 'workflowTaskTimedOutEventAttributes') === 0) return result;
  }
}

/** The workflow gets a signal with the task after the heartbeat. Then its local activity ends. */
async function runOverOneHeartbeat(bundle: { code: string }) {
  const planning = Promise.withResolvers<void>();
  const planned = Promise.withResolvers<void>();
  const plan = () => {
    planning.resolve();
    return planned.promise;
  };
  return await besideWorker(bundle, { plan, write: () => Promise.resolve() }, async (taskQueue) => {
    const run = await temporal.workflow.start<typeof recorder>('recorder', {
      workflowId: taskQueue,
      taskQueue,
      workflowTaskTimeout: HEARTBEAT_TASK_TIMEOUT_MS,
    });
    const until = (count: number, attributes: keyof Event) =>
      eventually(async () => (countOf(await run.fetchHistory(), attributes) >= count ? true : undefined));
    await planning.promise;
    await run.signal('word', 'one');
    await until(2, 'workflowTaskStartedEventAttributes');
    await sleep(ACTIVATION_MS);
    planned.resolve();
    await until(2, 'workflowTaskCompletedEventAttributes');
    await run.signal('word', 'end');
    return { recorded: await run.result(), history: await run.fetchHistory() };
  });
}

describe('a task that completes by a heartbeat while its local activity runs', () => {
  test('delivers the events of the next task with the result, and the history can be replayed', async () => {
    const bundle = withInterceptor;
    const { recorded, history, abandoned } = await runOverHeartbeat(bundle);
    expect(recorded).toEqual([['planned', 'one'], ['end']]);
    expect(countOf(history, 'workflowTaskTimedOutEventAttributes')).toBe(0);
    expect(countOf(history, 'workflowTaskFailedEventAttributes')).toBe(0);
    expect(abandoned).toBe(0);
    expect(failuresOf(await replay([{ scenario: 'heartbeat', history }], { bundle }))).toEqual([]);
  });

  // When this test fails, the SDK no longer needs the held events of workflows/stale-workflow-tasks.ts.
  test('leaves a history that cannot be replayed, without the interceptor', async () => {
    const bundle = withoutInterceptor;
    const { recorded, history } = await runOverHeartbeat(bundle);
    expect(recorded).toEqual([['one'], ['planned'], ['end']]);
    const failures = failuresOf(await replay([{ scenario: 'heartbeat', history }], { bundle }));
    expect(failures).toEqual([expect.stringMatching(/LocalActivity/)]);
  });
});

/** The workflow answers a query while its second plan ends, and the timer fires which it then cancels. The next task has a signal. */
async function runOverQuery(bundle: { code: string }, ...deadlineMs: [number?]) {
  const [planning, planned, again] = [0, 1, 2].map(() => Promise.withResolvers<void>());
  let plans = 0;
  const plan = async () => {
    plans += 1;
    if (plans === 1) {
      planning!.resolve();
      return await planned!.promise;
    }
    again!.resolve();
    await sleep(QUERY_MS / 4);
  };
  return await besideWorker(bundle, { plan, write: () => Promise.resolve() }, async (taskQueue) => {
    const run = await temporal.workflow.start<typeof recorder>('recorder', {
      workflowId: taskQueue,
      taskQueue,
      args: deadlineMs,
    });
    await planning!.promise;
    // The server attaches the query to the task that the signal causes.
    await run.signal('plan');
    const answer = run.query('slow', QUERY_MS);
    await sleep(QUERY_MS / 4);
    planned!.resolve();
    await again!.promise;
    await run.signal('word', 'one');
    expect(await answer).toBe('timed-out');
    await eventually(async () => (isIdle(await run.fetchHistory()) ? true : undefined));
    await run.signal('word', 'end');
    return { recorded: await run.result(), history: await run.fetchHistory() };
  });
}

describe('a local activity that ends while its workflow is asked', () => {
  test.each([[], [DEADLINE_MS]])(
    'has its result delivered as in a replay, and no task fails (timer: %s ms)',
    async (...deadlineMs) => {
      const bundle = withInterceptor;
      const { recorded, history } = await runOverQuery(bundle, ...deadlineMs);
      expect(recorded).toEqual([['planned'], ['planned'], ['one'], ['end']]);
      expect(countOf(history, 'workflowTaskFailedEventAttributes')).toBe(0);
      expect(countOf(history, 'timerFiredEventAttributes')).toBe(0);
      expect(failuresOf(await replay([{ scenario: 'query', history }], { bundle }))).toEqual([]);
    },
  );

  // When these tests fail, the SDK no longer needs the held queries of workflows/stale-workflow-tasks.ts.
  test('leaves a history that cannot be replayed, without the interceptor', async () => {
    // On a busy machine the local activity may end before the query begins.
    expect(await failuresWithout(runOverQuery)).toEqual([expect.stringMatching(/Nondeterminism/)]);
  });
  test('leaves a history that cannot be replayed when a timer fires meanwhile, without the interceptor', async () => {
    expect(await failuresWithout((bundle) => runOverQuery(bundle, DEADLINE_MS))).toEqual([
      expect.stringMatching(/TimerMachine in state CancelTimerCommandSent/),
    ]);
  });
});

// Workflow tasks that a slow worker loses are not repeated for ever: the server gives an attempt more time after the third.
test('a task that is always late for its timeout completes when the server gives it more time', async () => {
  const bundle = withInterceptor;
  const line = await startLine();
  let written = 0;
  const write = async () => {
    written += 1;
  };
  let isRunning = true;
  const holds = new EventEmitter();
  const slowLine = (async () => {
    while (isRunning) {
      line.hold();
      holds.emit('hold');
      await sleep(2 * LATE_TASK_TIMEOUT_MS);
      line.release();
      await sleep(20);
    }
  })();
  const work = async (taskQueue: string) => {
    // A task that is scheduled while the line is open is not late.
    await once(holds, 'hold');
    const run = await temporal.workflow.signalWithStart<typeof writer, [string]>('writer', {
      workflowId: taskQueue,
      taskQueue,
      workflowTaskTimeout: LATE_TASK_TIMEOUT_MS,
      signal: 'word',
      signalArgs: ['end'],
    });
    expect(await run.result()).toEqual(['end']);
    isRunning = false;
    await slowLine;
    return await run.fetchHistory();
  };
  const history: History = await besideWorker(bundle, { write }, work, line.port);
  await line.close();
  const attempts = (history.events ?? []).map(
    ({ workflowTaskScheduledEventAttributes: scheduled }) => scheduled?.attempt ?? 0,
  );
  expect(Math.max(...attempts)).toBeGreaterThan(1);
  expect(written).toBeLessThanOrEqual(Math.max(...attempts));
});
