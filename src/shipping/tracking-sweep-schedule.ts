import {
  type Client,
  ScheduleAlreadyRunning,
  ScheduleOverlapPolicy,
  type ScheduleUpdateOptions,
} from '@temporalio/client';
import type { Config } from '../platform/config';

const SWEEP_INTERVAL = '5 minutes';
/** Name of the workflow that a sweep is. */
const SWEEP_WORKFLOW = 'trackingSweep';

/** Two deployments on one Temporal namespace have task queues, and so schedules, of their own. */
export function trackingSweepScheduleId(config: Pick<Config, 'TEMPORAL_TASK_QUEUE'>): string {
  return `${config.TEMPORAL_TASK_QUEUE}-tracking-sweep`;
}

/** Creates the schedule of the tracking sweep, or brings one of an earlier version up to date. Safe from many processes. */
export async function ensureTrackingSweepSchedule(
  client: Client,
  config: Pick<Config, 'TEMPORAL_TASK_QUEUE'>,
): Promise<void> {
  const scheduleId = trackingSweepScheduleId(config);
  const definition: Omit<ScheduleUpdateOptions, 'state'> = {
    spec: { intervals: [{ every: SWEEP_INTERVAL }] },
    action: {
      type: 'startWorkflow',
      workflowType: SWEEP_WORKFLOW,
      workflowId: scheduleId,
      taskQueue: config.TEMPORAL_TASK_QUEUE,
      args: [],
    },
    // A sweep that is still at it does what the next one would.
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: SWEEP_INTERVAL },
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
