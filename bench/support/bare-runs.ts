import { join } from 'node:path';
import { Context } from '@temporalio/activity';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { loadConfig } from '../../src/platform/config';
import { randomToken } from '../../src/platform/ids';
import { connectTemporal, temporalConnectionOptions } from '../../src/platform/temporal/connection';
import { inParallel } from './in-parallel';
import { failProcess, serveRequests, startRequestProcess } from './processes/request-process';

/** Runs the bare workflow with the same messages as an order workflow, in a process of its own. */
export interface BareRuns {
  readonly pid: number;
  /** Returns the duration in seconds. */
  run(count: number, atOnce: number): Promise<number>;
  historyEvents(): Promise<number>;
  stop(): Promise<void>;
}

type Request =
  | { readonly temporalAddress: string }
  | { readonly count: number; readonly atOnce: number }
  | { readonly counts: 'events' };

export async function startBareRuns(temporalAddress: string): Promise<BareRuns> {
  const { pid, request, stop } = await startRequestProcess(__filename, []);
  const ask = async (message: Request) => (await request(message)) as number;
  await ask({ temporalAddress });
  return {
    pid,
    run: (count, atOnce) => ask({ count, atOnce }),
    historyEvents: () => ask({ counts: 'events' }),
    stop,
  };
}

const TASK_QUEUE = 'bench-bare';

/** Starts the worker and the driver of the bare workflow. */
async function startRuns(temporalAddress: string) {
  const config = { ...loadConfig({}), TEMPORAL_ADDRESS: temporalAddress };
  const temporal = connectTemporal(config);
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
  worker.run().catch(failProcess);
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
    run: (count: number, atOnce: number) => inParallel(count, atOnce, one),
    historyEvents: async () => (await temporal.workflow.getHandle(last).describe()).historyLength,
  };
}

/** The process. Its first request has the address of Temporal. */
function serve(): void {
  let runs: ReturnType<typeof startRuns>;
  process.on('disconnect', () => process.exit());
  serveRequests<Request>(async (request) => {
    if ('counts' in request) return await (await runs).historyEvents();
    if ('count' in request) return await (await runs).run(request.count, request.atOnce);
    runs = startRuns(request.temporalAddress);
    await runs;
    return null;
  });
}

if (require.main === module) serve();
