import { WORKFLOW_TYPES } from '../../platform/domain/workflows';
import type { PeriodicJob } from '../../platform/temporal/periodic-jobs';

/** The periodic job that asks carriers about packages whose tracking check is due. */
export const TRACKING_SWEEP: PeriodicJob = {
  name: 'tracking-sweep',
  workflowType: WORKFLOW_TYPES.trackingSweep,
  everyMs: 5 * 60_000,
};
