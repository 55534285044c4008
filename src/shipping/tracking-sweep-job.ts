import { WORKFLOW_TYPES } from '../platform/domain/workflows';
import type { PeriodicJob } from '../platform/temporal/periodic-jobs';

/** How often carriers are asked about the packages that are due. */
export const TRACKING_SWEEP: PeriodicJob = {
  name: 'tracking-sweep',
  workflowType: WORKFLOW_TYPES.trackingSweep,
  everyMs: 5 * 60_000,
};
