import {
  type Client,
  ScheduleAlreadyRunning,
  ScheduleOverlapPolicy,
  type ScheduleUpdateOptions,
} from '@temporalio/client';
import type { Config } from './config';

type QueueConfig = Pick<Config, 'TEMPORAL_TASK_QUEUE'>;

/** Housekeeping that comes round: one workflow run at a time, for all orders. */
export interface Round {
  /** Its id without the task queue, as `tracking-sweep`. */
  readonly name: string;
  readonly workflowType: string;
  readonly every: '5 minutes' | '10 minutes' | '1 day';
  /** How far into each interval it starts; unset: at its beginning. */
  readonly offset?: '3 hours';
}

/** Two deployments on one Temporal namespace have task queues, and so schedules, of their own. */
export function scheduleId(config: QueueConfig, { name }: Pick<Round, 'name'>): string {
  return `${config.TEMPORAL_TASK_QUEUE}-${name}`;
}

/** Creates a schedule, or brings one of an earlier version up to date. Safe from many processes. */
export async function ensureSchedule(client: Client, config: QueueConfig, round: Round): Promise<void> {
  const id = scheduleId(config, round);
  const definition: Omit<ScheduleUpdateOptions, 'state'> = {
    spec: { intervals: [{ every: round.every, ...(round.offset && { offset: round.offset }) }] },
    action: {
      type: 'startWorkflow',
      workflowType: round.workflowType,
      workflowId: id,
      taskQueue: config.TEMPORAL_TASK_QUEUE,
      args: [],
    },
    // A round that is still at it does what the next one would; one missed while Temporal was away is made up once.
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: round.every },
  };
  try {
    await client.schedule.create({ ...definition, scheduleId: id });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    // Whether an operator has paused it is kept.
    await client.schedule.getHandle(id).update((present) => ({ ...definition, state: present.state }));
  }
}
