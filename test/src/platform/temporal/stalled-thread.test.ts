import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { loadConfig } from '../../../../src/platform/config';
import { connectTemporal } from '../../../../src/platform/temporal/connection';
import { tuningOptions, workerTuning } from '../../../../src/platform/temporal/worker-tuning';
import { testTemporalAddress } from '../../../support/servers';
import type { stalled } from './stalled/workflows';

/** Longer than the 5 s after which the SDK ends a workflow task by default, shorter than the task's timeout. */
const SECONDS = 6;

test('a workflow task goes on after its thread has stood still for longer than the SDK allows', async () => {
  const temporal = connectTemporal({ ...loadConfig({}), TEMPORAL_ADDRESS: testTemporalAddress() });
  const connection = await NativeConnection.connect({ address: testTemporalAddress() });
  const taskQueue = `stalled-${randomUUID()}`;
  try {
    const worker = await Worker.create({
      ...tuningOptions(workerTuning(loadConfig({}), { memoryMb: 2_048, cores: 1 })),
      ...{ connection, taskQueue },
      workflowBundle: await bundleWorkflowCode({ workflowsPath: join(__dirname, 'stalled', 'workflows.ts') }),
    });
    await worker.runUntil(async () => {
      const handle = await temporal.workflow.start<typeof stalled>('stalled', { workflowId: taskQueue, taskQueue });
      await handle.executeUpdate<void, [number]>('stall', { args: [SECONDS] });
      expect(await handle.result()).toBe('went on');
      const { events } = await handle.fetchHistory();
      expect(events!.filter(({ workflowTaskFailedEventAttributes: failed }) => failed != null)).toEqual([]);
    });
  } finally {
    await temporal.connection.close();
    await connection.close();
  }
});
