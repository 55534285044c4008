import { TypedSearchAttributes } from '@temporalio/common';
import {
  type InjectedSinks,
  NativeConnection,
  Worker,
  type WorkerDeploymentOptions,
  type WorkerOptions,
} from '@temporalio/worker';
import { createActivities } from '../activities';
import { BEAT_MS } from '../activities/heartbeats';
import { shareSlots } from '../activities/interceptors/attempts';
import { parkLostSteps } from '../activities/interceptors/lost-steps';
import { reportActivityErrors } from '../activities/interceptors/report-errors';
import { flagStalls } from '../activities/interceptors/stalls';
import { whyNotConfined } from '../packages/file-reader/confinement';
import { createDiskBudget } from '../src/files/disk-budget';
import { notificationLane } from '../src/notifications/delivery';
import { JOB_DIGEST, OUTBOX_DIGEST, startDigests } from '../src/notifications/operator-digest';
import type { OrderRunInput } from '../src/orders/domain/run/run-messages';
import { ATTENTION_DIGEST } from '../src/orders/reading/attention-counts';
import { createStaleTaskCounter } from '../src/orders/run/stale-tasks';
import { limitStartedRuns } from '../src/orders/run/started-runs';
import { startHold } from '../src/orders/upkeep/known-servers';
import type { Config } from '../src/platform/config';
import { SEARCH_ATTRIBUTES } from '../src/platform/domain/search-attributes';
import { fileQueueOf, preflightQueueOf, WORKFLOW_TYPES } from '../src/platform/domain/workflows';
import { createErrorReporter } from '../src/platform/logging/logging';
import { addPoolMetrics } from '../src/platform/metrics/gauges';
import { createRelayObserver } from '../src/platform/outbox/lane';
import { startRelay } from '../src/platform/outbox/relay';
import { temporalLanes, type WorkflowStart } from '../src/platform/outbox/temporal-delivery';
import { connectPostgres } from '../src/platform/postgres';
import { startSteps } from '../src/platform/start-steps';
import { bundleFor, dataConverterOf } from '../src/platform/temporal/codec/data-converter';
import { temporalConnectionOptions } from '../src/platform/temporal/connection';
import { createJobRunRecorder } from '../src/platform/temporal/periodic-jobs';
import { createSlotShares } from '../src/platform/temporal/slot-shares';
import {
  limitWorkflowHeap,
  thisMachine,
  tuningOptions,
  waitingActivityOptions,
  workerTuning,
} from '../src/platform/temporal/worker-tuning';
import { isTracing } from '../src/platform/tracing/spans';
import { traceActivity } from '../src/platform/tracing/temporal-spans';
import { recordWorkflowSpan } from '../src/platform/tracing/tracing';
import type { JobRunSinks } from '../workflows/job-runs';
import type { StaleTaskSinks } from '../workflows/stale-workflow-tasks';
import type { TraceSinks } from '../workflows/tracing';
import { type Command, connectServices } from './command';
import { resealStoredSecrets } from './commands/database';
import type { Services } from './composition-root';
import { startObservability } from './observability';
import { installTemporalRuntime, setUpTemporal, workflowBundle } from './temporal-runtime';
import { untilStopped } from './terminal';

/** Returns the search attributes with which an order workflow starts, or undefined for other workflows. */
function searchAttributesOf(start: WorkflowStart, encrypted: boolean): TypedSearchAttributes | undefined {
  if (start.workflowType !== WORKFLOW_TYPES.order) return undefined;
  const input = start.args[0] as OrderRunInput;
  return new TypedSearchAttributes([
    { key: SEARCH_ATTRIBUTES.orderStatus, value: 'created' },
    { key: SEARCH_ATTRIBUTES.client, value: input.clientId },
    // A client's reference may contain personal data, and search attributes are never encrypted.
    ...(encrypted ? [] : [{ key: SEARCH_ATTRIBUTES.reference, value: input.orderReferenceId }]),
    { key: SEARCH_ATTRIBUTES.country, value: input.country },
  ]);
}

/**
 * Returns the worker versioning options. Order workflows run for days or weeks, so a running workflow moves to a new
 * version with its next workflow task (docs/operation/upgrades.md).
 */
function versionOf(config: Config, buildId: string): WorkerDeploymentOptions {
  return {
    version: { deploymentName: config.TEMPORAL_TASK_QUEUE, buildId },
    useWorkerVersioning: true,
    defaultVersioningBehavior: 'AUTO_UPGRADE',
  };
}

/**
 * Seals the secrets that another key has sealed. Secrets that no key opens stay as they are: calls that need them are
 * retried until the key is configured.
 */
async function sealStoredSecrets({ sql, secretBox, log }: Services): Promise<void> {
  const { sealed, failed } = await resealStoredSecrets(sql, secretBox);
  if (sealed > 0) log.info({ sealed }, 'stored secrets sealed with the first key of SECRET_KEYS');
  if (failed.length > 0) log.error({ failed }, 'no key of SECRET_KEYS opens these stored secrets');
}

/** Below the 5 s that `recordRun` has (workflows/order/activities.ts), so that no statement outlives its attempt. */
const RECORD_STATEMENT_TIMEOUT_MS = 4_000;

/** Connects to Temporal and creates a worker for each queue, which checks the namespace. */
async function createWorkers(config: Config, queues: readonly Omit<WorkerOptions, 'connection'>[]) {
  const connection = await NativeConnection.connect(temporalConnectionOptions(config));
  try {
    return {
      connection,
      workers: await Promise.all(queues.map((options) => Worker.create({ ...options, connection }))),
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Preflights of a worker at the same time. They share downloads, disk and inspections with the files of orders. */
const PREFLIGHT_SLOTS = 4;

export interface RunningWorker {
  /** Resolves when the worker ends unexpectedly: because of a bug, or because Temporal stays unavailable. */
  readonly failure: Promise<Error>;
  /** Stops polling, then waits for tasks in progress up to SHUTDOWN_GRACE. */
  stop(): Promise<void>;
}

/**
 * Runs the workers of all task queues and an outbox relay in this process.
 * @param workflowBundle path of the prebuilt bundle of workflows/index
 */
export async function runWorker(
  services: Services,
  workflowBundle: { readonly codePath: string },
): Promise<RunningWorker> {
  const { config, sql, temporal, log } = services;
  const step = startSteps(config, log);
  await step('seal stored secrets', () => sealStoredSecrets(services));
  // A local activity waits for a slot, not for a connection: the wait does not count against its timeout.
  const localSql = connectPostgres(config.DATABASE_URL!, {
    max: config.DATABASE_POOL_SIZE,
    statementTimeoutMs: RECORD_STATEMENT_TIMEOUT_MS,
  });
  addPoolMetrics(services.metrics, localSql);
  // A pooler passes no notifications on.
  const listener =
    config.DATABASE_DIRECT_URL === undefined
      ? undefined
      : connectPostgres(config.DATABASE_DIRECT_URL, { max: 1, applicationName: 'pressline-relay' });
  const activityDeps = {
    ...services,
    localSql,
    now: () => new Date(),
    limitBytes: config.FILE_SIZE_LIMIT_MB * 1_000_000,
    disk: createDiskBudget(config.FILE_DISK_BUDGET_MB * 1_000_000),
  };
  const countStaleTask = createStaleTaskCounter(services);
  const recordJobRun = createJobRunRecorder(services);
  const sinks: InjectedSinks<JobRunSinks & StaleTaskSinks & TraceSinks> = {
    jobRuns: { ended: { fn: ({ workflowType }, run) => recordJobRun(workflowType, run) } },
    staleWorkflowTasks: { abandoned: { fn: countStaleTask } },
    traces: { ended: { fn: recordWorkflowSpan } },
  };
  const tuning = workerTuning(config, thisMachine());
  limitWorkflowHeap(tuning.heapMb);
  log.info({ ...tuning }, 'worker tuning');
  const reason = await whyNotConfined();
  if (reason !== null)
    log.warn({ reason }, 'the processes that open print files have limits, but the system does not confine them');
  const activityInterceptors = [
    ...(isTracing() ? [traceActivity] : []),
    reportActivityErrors(createErrorReporter(services.metrics, 'activity'), log),
  ];
  const parking = parkLostSteps({ sql, log });
  /** @param slots those that are always there, which keys share */
  const sharedBy = (queue: string, slots: number) => {
    services.metrics.count('pressline_activity_waits_total', { queue }, 0);
    const waited = () => services.metrics.count('pressline_activity_waits_total', { queue });
    // Stalls first: a wait for a share is one.
    const shares = [
      flagStalls({ sql, log, stallAfterMs: config.STALL_AFTER }),
      parking,
      shareSlots(createSlotShares(slots), waited),
    ];
    return { activity: [...shares, ...activityInterceptors] };
  };
  const common = {
    namespace: config.TEMPORAL_NAMESPACE,
    dataConverter: dataConverterOf(config.PAYLOAD_KEYS),
    ...(config.WORKER_BUILD_ID && { workerDeploymentOptions: versionOf(config, config.WORKER_BUILD_ID) }),
    activities: createActivities(activityDeps),
    // The SDK would hold the progress of a comparison back for 48 s, and a retry after a lost worker would repeat it.
    maxHeartbeatThrottleInterval: BEAT_MS,
    shutdownGraceTime: config.SHUTDOWN_GRACE,
    shutdownForceTime: config.SHUTDOWN_GRACE + 5_000,
  };
  const queues: Omit<WorkerOptions, 'connection'>[] = [
    {
      ...common,
      taskQueue: config.TEMPORAL_TASK_QUEUE,
      workflowBundle: await bundleFor(config.PAYLOAD_KEYS, workflowBundle),
      sinks,
      interceptors: sharedBy('orders', tuning.activitySlots.min),
      ...tuningOptions(tuning),
    },
    {
      ...common,
      taskQueue: fileQueueOf(config.TEMPORAL_TASK_QUEUE),
      interceptors: sharedBy('files', tuning.fileSlots),
      ...waitingActivityOptions(tuning.fileSlots, tuning),
    },
    {
      ...common,
      taskQueue: preflightQueueOf(config.TEMPORAL_TASK_QUEUE),
      interceptors: sharedBy('preflights', PREFLIGHT_SLOTS),
      ...waitingActivityOptions(PREFLIGHT_SLOTS, tuning),
    },
  ];
  const { connection, workers } = await step('connect the worker', () => createWorkers(config, queues));
  const relay = await step('listen to the outbox', () =>
    startRelay({
      sql,
      listener,
      log,
      lanes: [
        ...temporalLanes({
          client: temporal,
          sql,
          taskQueue: config.TEMPORAL_TASK_QUEUE,
          publicUrl: services.publicUrl,
          startHold: startHold(sql, temporal),
          startedWorkflows: limitStartedRuns(sql, tuning.clientStarts),
          searchAttributes: (start) => searchAttributesOf(start, config.PAYLOAD_KEYS !== undefined),
        }),
        notificationLane(services),
      ],
      observer: createRelayObserver(services.metrics),
    }),
  );
  const digests = startDigests(services, [ATTENTION_DIGEST, OUTBOX_DIGEST, JOB_DIGEST]);
  const running = workers.map((worker) => worker.run());
  let stopping = false;
  return {
    failure: Promise.race(running).then(
      () => new Promise<Error>((resolve) => stopping || resolve(new Error('The worker ended unexpectedly'))),
      (error: Error) => error,
    ),
    async stop() {
      stopping = true;
      await digests.stop();
      await relay.stop();
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      for (const ended of await Promise.allSettled(running)) {
        if (ended.status === 'rejected') log.warn({ err: ended.reason }, 'the worker did not stop cleanly');
      }
      await connection.close();
      await Promise.all([localSql, listener].map((pool) => pool?.end({ timeout: 5 })));
    },
  };
}

export const worker: Command = async ({ config, log, signals }) => {
  const services = await connectServices(config, log);
  await startSteps(config, log)('set up Temporal', () => setUpTemporal(services));
  await installTemporalRuntime(log, { metrics: config.METRICS_PORT !== 'off' });
  const metricsServer = await startObservability(services, config);
  const running = await runWorker(services, workflowBundle);
  log.info({ taskQueue: config.TEMPORAL_TASK_QUEUE, metricsUrl: metricsServer?.url }, 'worker is up');
  const stop = async () => {
    services.health.beginStop();
    await running.stop();
    await metricsServer?.stop();
    await services.close();
  };
  return await untilStopped(signals.wait(), { failure: running.failure, stop }, log, (line) => log.info(line));
};
