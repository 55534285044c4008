import {
  type Client,
  ScheduleAlreadyRunning,
  ScheduleOverlapPolicy,
  type ScheduleUpdateOptions,
} from '@temporalio/client';
import type { Config } from '../platform/config';

/** How often partners are asked for their stock (DESIGN "Stock poll"). */
const POLL_INTERVAL = '10 minutes';
/** Name of the workflow that a poll is. */
const POLL_WORKFLOW = 'partnerStockPoll';

/** Two deployments on one Temporal namespace have task queues, and so schedules, of their own. */
export function stockPollScheduleId(config: Pick<Config, 'TEMPORAL_TASK_QUEUE'>): string {
  return `${config.TEMPORAL_TASK_QUEUE}-partner-stock-poll`;
}

/** Creates the schedule of the stock poll, or brings one of an earlier version up to date. Safe from many processes. */
export async function ensureStockPollSchedule(
  client: Client,
  config: Pick<Config, 'TEMPORAL_TASK_QUEUE'>,
): Promise<void> {
  const scheduleId = stockPollScheduleId(config);
  const definition: Omit<ScheduleUpdateOptions, 'state'> = {
    spec: { intervals: [{ every: POLL_INTERVAL }] },
    action: {
      type: 'startWorkflow',
      workflowType: POLL_WORKFLOW,
      workflowId: scheduleId,
      taskQueue: config.TEMPORAL_TASK_QUEUE,
      args: [],
    },
    policies: {
      // A poll that is still at it asks what the next one would; one missed while Temporal was away is made up once.
      overlap: ScheduleOverlapPolicy.SKIP,
      catchupWindow: POLL_INTERVAL,
    },
  };
  try {
    await client.schedule.create({ ...definition, scheduleId });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    await client.schedule
      .getHandle(scheduleId)
      .update((present) => ({ ...definition, state: present.state }));
  }
}
