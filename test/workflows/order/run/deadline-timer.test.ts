import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { loadConfig } from '../../../../src/platform/config';
import { connectTemporal } from '../../../../src/platform/temporal/connection';
import { testTemporalAddress } from '../../../support/servers';
import type { armer } from './deadline-timer/workflows';

/** Milliseconds until the first deadline. More than a workflow task takes on a machine under load. */
const DUE_MS = 5_000;

/** Runs the workflow that arms the timer twice. Returns its result, and its timers without the one of its own pause. */
async function armTwice(laterMs: number) {
  const connection = await NativeConnection.connect({ address: testTemporalAddress() });
  const temporal = connectTemporal({ ...loadConfig({}), TEMPORAL_ADDRESS: testTemporalAddress() });
  const taskQueue = `deadline-timer-${randomUUID()}`;
  const workflowBundle = await bundleWorkflowCode({
    workflowsPath: join(__dirname, 'deadline-timer', 'workflows.ts'),
  });
  const worker = await Worker.create({ connection, taskQueue, workflowBundle });
  try {
    return await worker.runUntil(async () => {
      const run = await temporal.workflow.start<typeof armer>('armer', {
        workflowId: taskQueue,
        taskQueue,
        args: [DUE_MS, laterMs],
      });
      const passed = await run.result();
      const { events } = await run.fetchHistory();
      const timers = (events ?? []).filter((event) => event.timerStartedEventAttributes != null).length - 1;
      return { passed, timers };
    });
  } finally {
    await temporal.connection.close();
    await connection.close();
  }
}

test('the timer of a deadline that was met passes the next one of the same time', async () => {
  // The partner of 501 has printed. The one of 502 has the same dispatch date.
  expect(await armTwice(0)).toEqual({ passed: ['502'], timers: 1 });
});

test('another time needs another timer', async () => {
  expect(await armTwice(1)).toEqual({ passed: ['502'], timers: 2 });
});
