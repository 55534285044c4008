import { isDeepStrictEqual } from 'node:util';
import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleDescription,
  ScheduleOverlapPolicy,
  type ScheduleUpdateOptions,
} from '@temporalio/client';
import type { Config } from '../config';
import type { PeriodicJob } from '../domain/periodic-jobs';

type QueueConfig = Pick<Config, 'TEMPORAL_TASK_QUEUE'>;

/** Timeout of a request to run a job. */
const TRIGGER_MS = 5_000;

/** Returns a schedule id that contains the task queue: deployments that share a namespace have separate schedules. */
export function scheduleId(config: QueueConfig, { name }: Pick<PeriodicJob, 'name'>): string {
  return `${config.TEMPORAL_TASK_QUEUE}-${name}`;
}

/** Creates a schedule, or updates the schedule of an earlier version. Several processes can call it at the same time. */
export async function ensureSchedule(client: Client, config: QueueConfig, job: PeriodicJob): Promise<void> {
  const id = scheduleId(config, job);
  const wanted = definition(id, config.TEMPORAL_TASK_QUEUE, job);
  try {
    await client.schedule.create({ ...wanted, scheduleId: id });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    const schedule = client.schedule.getHandle(id);
    // An update can overwrite a concurrent pause. Do not update a schedule that is already as wanted.
    if (isUpToDate(wanted, await schedule.describe())) return;
    await schedule.update(({ state }) => ({ ...wanted, state }));
  }
}

/**
 * Starts a run of a job beside its schedule. Does nothing while a run is in progress.
 * @throws ScheduleNotFoundError before a worker has created the schedule
 */
export async function triggerJob(client: Client, config: QueueConfig, job: PeriodicJob): Promise<void> {
  await client.withDeadline(Date.now() + TRIGGER_MS, () =>
    client.schedule.getHandle(scheduleId(config, job)).trigger(ScheduleOverlapPolicy.SKIP),
  );
}

function definition(id: string, taskQueue: string, { workflowType, everyMs, offsetMs }: PeriodicJob) {
  return {
    spec: { intervals: [{ every: everyMs, offset: offsetMs }] },
    action: { type: 'startWorkflow', workflowType, workflowId: id, taskQueue, args: [] },
    // A run in progress does the work of the next one. A run missed while Temporal was unavailable is caught up once.
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: everyMs },
  } as const satisfies Omit<ScheduleUpdateOptions, 'state'>;
}

function isUpToDate({ spec, action, policies }: ReturnType<typeof definition>, current: ScheduleDescription): boolean {
  const { workflowType, workflowId, taskQueue } = current.action;
  const { overlap, catchupWindow } = current.policies;
  return isDeepStrictEqual(
    [current.spec.intervals, { workflowType, workflowId, taskQueue }, { overlap, catchupWindow }],
    [
      spec.intervals,
      { workflowType: action.workflowType, workflowId: action.workflowId, taskQueue: action.taskQueue },
      policies,
    ],
  );
}
