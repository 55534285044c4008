import { NativeConnection, Worker } from '@temporalio/worker';
import pino from 'pino';
import { createShippingActivities } from '../../../activities/shipping';
import type { ApiDeps } from '../../../api/deps';
import { testTemporalAddress, workflowBundle } from '../../support/servers';

/**
 * Starts a worker with the shipping activities on the task queue of `deps`.
 * @returns a function that stops it
 */
export async function startShippingWorker(deps: ApiDeps): Promise<() => Promise<void>> {
  const connection = await NativeConnection.connect({ address: testTemporalAddress() });
  const worker = await Worker.create({
    connection,
    taskQueue: deps.config.TEMPORAL_TASK_QUEUE,
    workflowBundle: workflowBundle(),
    activities: createShippingActivities({
      sql: deps.sql,
      objects: deps.objects,
      carriers: deps.carriers,
      log: pino({ level: 'silent' }),
    }),
  });
  const running = worker.run();
  return async () => {
    worker.shutdown();
    await running;
    await connection.close();
  };
}
