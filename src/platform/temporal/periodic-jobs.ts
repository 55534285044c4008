import { isDeepStrictEqual } from 'node:util';
import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleDescription,
  ScheduleOverlapPolicy,
  type ScheduleUpdateOptions,
} from '@temporalio/client';
import type { Config } from '../config';

type QueueConfig = Pick<Config, 'TEMPORAL_TASK_QUEUE'>;

/** Housekeeping that comes round: one workflow run at a time, for all orders. */
export interface PeriodicJob {
  /** Its id without the task queue, as `tracking-sweep`. */
  readonly name: string;
  readonly workflowType: string;
  readonly everyMs: number;
  /** How far into each interval it starts; unset: at its beginning. */
  readonly offsetMs?: number;
}

/** Two deployments on one Temporal namespace have task queues, and so schedules, of their own. */
export function scheduleId(config: QueueConfig, { name }: Pick<PeriodicJob, 'name'>): string {
  return `${config.TEMPORAL_TASK_QUEUE}-${name}`;
}

/** Creates a schedule, or brings one of an earlier version up to date. Safe from many processes. */
export async function ensureSchedule(client: Client, config: QueueConfig, job: PeriodicJob): Promise<void> {
  const id = scheduleId(config, job);
  const wanted = definition(id, config.TEMPORAL_TASK_QUEUE, job);
  try {
    await client.schedule.create({ ...wanted, scheduleId: id });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    const schedule = client.schedule.getHandle(id);
    // A change takes the place of a pause that comes at the same moment, so what is right is left alone.
    if (isWhatIs(wanted, await schedule.describe())) return;
    await schedule.update(({ state }) => ({ ...wanted, state }));
  }
}

function definition(id: string, taskQueue: string, { workflowType, everyMs, offsetMs = 0 }: PeriodicJob) {
  return {
    spec: { intervals: [{ every: everyMs, offset: offsetMs }] },
    action: { type: 'startWorkflow', workflowType, workflowId: id, taskQueue, args: [] },
    // A round that is still at it does what the next one would; one missed while Temporal was away is made up once.
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: everyMs },
  } as const satisfies Omit<ScheduleUpdateOptions, 'state'>;
}

function isWhatIs(
  { spec, action, policies }: ReturnType<typeof definition>,
  present: ScheduleDescription,
): boolean {
  const { workflowType, workflowId, taskQueue } = present.action;
  const { overlap, catchupWindow } = present.policies;
  return isDeepStrictEqual(
    [present.spec.intervals, { workflowType, workflowId, taskQueue }, { overlap, catchupWindow }],
    [
      spec.intervals,
      { workflowType: action.workflowType, workflowId: action.workflowId, taskQueue: action.taskQueue },
      policies,
    ],
  );
}
