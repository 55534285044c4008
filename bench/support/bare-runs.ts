import { join } from 'node:path';
import { Context } from '@temporalio/activity';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import type { Services } from '../../cli/composition-root';
import { randomToken } from '../../src/platform/ids';
import { temporalConnectionOptions } from '../../src/platform/temporal/connection';
import { inParallel } from './in-parallel';

/** Runs the bare workflow with the same messages as an order workflow. */
export interface BareRuns {
  /** Returns the duration in seconds. */
  run(count: number, atOnce: number): Promise<number>;
  historyEvents(): Promise<number>;
  stop(): Promise<void>;
}

const TASK_QUEUE = 'bench-bare';

export async function startBareRuns({ config, temporal }: Services): Promise<BareRuns> {
  const handedOver = new Map<string, () => void>();
  const connection = await NativeConnection.connect(temporalConnectionOptions(config));
  const workflowBundle = await bundleWorkflowCode({
    workflowsPath: join(__dirname, 'bare-order.workflow.js'),
  });
  const worker = await Worker.create({
    connection,
    taskQueue: TASK_QUEUE,
    workflowBundle,
    activities: {
      nothing: async () => undefined,
      handOver: async () => handedOver.get(Context.current().info.workflowExecution!.workflowId)?.(),
    },
    maxCachedWorkflows: 1_000,
    maxConcurrentWorkflowTaskExecutions: 40,
    maxConcurrentActivityTaskExecutions: 100,
    maxConcurrentLocalActivityExecutions: 100,
    workflowTaskPollerBehavior: { type: 'autoscaling' },
    activityTaskPollerBehavior: { type: 'autoscaling' },
  });
  const running = worker.run();
  let last = '';
  async function one(): Promise<void> {
    const workflowId = `bare-${randomToken(12)}`;
    // Postbacks follow the delivery of the print order, as in a real order.
    const arrived = new Promise<void>((resolve) => handedOver.set(workflowId, resolve));
    const handle = await temporal.workflow.start('bareOrder', { taskQueue: TASK_QUEUE, workflowId });
    await arrived;
    handedOver.delete(workflowId);
    await handle.signal('postback', 'received');
    await handle.signal('postback', 'printed');
    await handle.executeUpdate('dispatch');
    await handle.signal('postback', 'shipped');
    await handle.result();
    last = workflowId;
  }
  return {
    run: (count, atOnce) => inParallel(count, atOnce, one),
    historyEvents: async () => (await temporal.workflow.getHandle(last).describe()).historyLength,
    async stop() {
      worker.shutdown();
      await running;
      await connection.close();
    },
  };
}
