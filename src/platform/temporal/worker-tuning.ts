import { availableParallelism, totalmem } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import type { WorkerOptions } from '@temporalio/worker';
import type { Config } from '../config';

export interface Machine {
  readonly memoryMb: number;
  readonly cores: number;
}

/** Returns the limits of the container (cgroup), or the memory and cores of the machine without limits. */
export function thisMachine(): Machine {
  const limit = process.constrainedMemory();
  const bytes = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return { memoryMb: Math.floor(bytes / 2 ** 20), cores: availableParallelism() };
}

export type TuningConfig = Pick<
  Config,
  | 'WORKER_HEAP_MB'
  | 'WORKER_CACHED_WORKFLOWS'
  | 'WORKER_WORKFLOW_SLOTS'
  | 'WORKER_ACTIVITY_SLOTS'
  | 'WORKER_FILE_SLOTS'
  | 'WORKER_CLIENT_STARTS'
  | 'WORKER_POLLERS'
  | 'DATABASE_POOL_SIZE'
>;

export interface WorkerTuning {
  /** Heap limit of the thread that runs workflows and holds their cache, in MB. */
  readonly heapMb: number;
  readonly cachedWorkflows: number;
  readonly workflowSlots: number;
  /** With `min` below `max`, the SDK hands out slots above `min` while CPU and memory are available. */
  readonly activitySlots: { readonly min: number; readonly max: number };
  readonly localActivitySlots: number;
  /** Activities that fetch print files. They have a task queue of their own. */
  readonly fileSlots: number;
  /** Orders of one client that are started before one of them is planned. */
  readonly clientStarts: number;
  /** Maximum number of concurrent polls for workflow tasks, and for activity tasks. */
  readonly pollers: number;
}

/** The rest of the memory is for the main thread, native memory and the file inspectors. */
const HEAP_SHARE = 0.5;
/** The base of the heap: the SDK's and Pressline's code, and tasks in progress. */
const HEAP_BASE_MB = 200;
/** Share of the memory and CPU of the machine up to which activities get more slots than the minimum. */
const TARGET_MEMORY = 0.8;
const TARGET_CPU = 0.9;

const within = (value: number, min: number, max: number) => Math.floor(Math.min(max, Math.max(min, value)));

/** Returns the tuning of a worker: what the configuration sets, and the rest from memory and cores. */
export function workerTuning(config: TuningConfig, { memoryMb, cores }: Machine): WorkerTuning {
  const heapMb = config.WORKER_HEAP_MB ?? within(memoryMb * HEAP_SHARE, 256, 16_384);
  // The SDK's figure for a shared V8 context: 600 workflows in 1 GB (maxCachedWorkflows).
  const cachedWorkflows = config.WORKER_CACHED_WORKFLOWS ?? within(((heapMb - HEAP_BASE_MB) * 600) / 1024, 100, 10_000);
  const workflowSlots = config.WORKER_WORKFLOW_SLOTS ?? within(20 * cores, 10, 400);
  const fixed = config.WORKER_ACTIVITY_SLOTS;
  return {
    heapMb,
    cachedWorkflows,
    // The worker keeps each workflow in the cache while it executes a task of it.
    workflowSlots: Math.min(workflowSlots, cachedWorkflows),
    activitySlots: {
      min: fixed ?? within(10 * cores, 10, 200),
      max: fixed ?? within(50 * cores, 50, 1_000),
    },
    localActivitySlots: config.DATABASE_POOL_SIZE,
    // 160: half of them with three downloads each stay below the connections to one origin (`createSafeClient`).
    fileSlots: config.WORKER_FILE_SLOTS ?? within(20 * cores, 10, 160),
    // Measured by `npm run bench -- noisy`: six keep two cores busy.
    clientStarts: config.WORKER_CLIENT_STARTS ?? within(3 * cores, 3, 96),
    pollers: config.WORKER_POLLERS ?? within(10 * cores, 10, 100),
  };
}

/**
 * Wall-clock time that one workflow task may take. The SDK's default of 5 s, which its public types do not name, also ends the task
 * of a process that was stopped for so long. The run stays in the cache with half of its commands then, and the next query
 * about it returns them, for which the SDK ends the worker (`Malformed Workflow Completion`, version 1.24.0).
 */
const WORKFLOW_TASK_TIME = { isolateExecutionTimeout: '60s' };

/**
 * Returns the worker options of a tuning. Workflow tasks and local activities have fixed slots: their cost is known, and
 * local activities need a connection each. Activities download, inspect and draw files, so they get more slots only while
 * memory and CPU are available (the SDK's resource-based tuner, which reads the limits of the container).
 */
export function tuningOptions(tuning: WorkerTuning) {
  const { min, max } = tuning.activitySlots;
  return {
    ...WORKFLOW_TASK_TIME,
    maxCachedWorkflows: tuning.cachedWorkflows,
    tuner: {
      workflowTaskSlotSupplier: { type: 'fixed-size', numSlots: tuning.workflowSlots },
      activityTaskSlotSupplier:
        min === max
          ? { type: 'fixed-size', numSlots: max }
          : {
              type: 'resource-based',
              tunerOptions: { targetMemoryUsage: TARGET_MEMORY, targetCpuUsage: TARGET_CPU },
              minimumSlots: min,
              maximumSlots: max,
              rampThrottle: '10ms',
            },
      localActivityTaskSlotSupplier: { type: 'fixed-size', numSlots: tuning.localActivitySlots },
      nexusTaskSlotSupplier: { type: 'fixed-size', numSlots: 1 },
    },
    workflowTaskPollerBehavior: { type: 'autoscaling', maximum: tuning.pollers },
    activityTaskPollerBehavior: { type: 'autoscaling', maximum: tuning.pollers },
  } as const satisfies Partial<WorkerOptions>;
}

/**
 * Returns the worker options of a queue whose activities mostly wait for other servers. Their slots are fixed: what a waiting
 * download holds is a connection and a file, and inspections have a limit of their own.
 */
export function waitingActivityOptions(slots: number, { pollers }: WorkerTuning) {
  return {
    maxConcurrentActivityTaskExecutions: slots,
    activityTaskPollerBehavior: { type: 'autoscaling', maximum: pollers },
  } as const satisfies Partial<WorkerOptions>;
}

/**
 * Sets the heap limit of threads that start later. The SDK runs workflows in such a thread. The limit of the main thread
 * does not change; set that by `NODE_OPTIONS=--max-old-space-size`.
 */
export function limitWorkflowHeap(heapMb: number): void {
  setFlagsFromString(`--max-old-space-size=${heapMb}`);
}
