import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { loadConfig } from '../../src/platform/config';
import { connectTemporal } from '../../src/platform/temporal/connection';
import { eventually } from '../support/eventually';
import { testTemporalAddress } from '../support/servers';
import type { endless, ends } from './activation-timeout/workflows';

/** Workflow code that does not end. All workflows of a process share its workflow threads. */

let temporal: Client;
let connection: NativeConnection;
beforeAll(async () => {
  temporal = connectTemporal({ ...loadConfig({}), TEMPORAL_ADDRESS: testTemporalAddress() });
  connection = await NativeConnection.connect({ address: testTemporalAddress() });
});
afterAll(async () => {
  await temporal.connection.close();
  await connection.close();
});

test.each(['function', 'promise', 'condition'] as const)(
  'a loop in a %s fails the task of its workflow, and another workflow of the thread ends',
  async (where) => {
    const taskQueue = `endless-${randomUUID()}`;
    const workflowsPath = join(__dirname, 'activation-timeout', 'workflows.ts');
    // An option that the SDK does not declare. Its default is five seconds.
    const sooner = { isolateExecutionTimeout: '500ms' };
    const worker = await Worker.create({ connection, taskQueue, workflowsPath, ...sooner });
    await worker.runUntil(async () => {
      const options = { taskQueue, workflowId: taskQueue };
      const handle = await temporal.workflow.start<typeof endless>('endless', { ...options, args: [where] });
      const failure = await eventually(async () => {
        const { events } = await handle.fetchHistory();
        return events?.find(({ workflowTaskFailedEventAttributes }) => workflowTaskFailedEventAttributes != null);
      });
      expect(failure.workflowTaskFailedEventAttributes!.failure!.message).toContain('timed out');
      await handle.terminate();
      const other = { taskQueue, workflowId: `${taskQueue}-other` };
      expect(await temporal.workflow.execute<typeof ends>('ends', other)).toBe('ended');
    });
  },
);
