import { WORKFLOW_TYPES } from './domain/workflows';
import type { PeriodicJob } from './temporal/periodic-jobs';

/** Once a day, at three in the night (UTC): what is past its days goes. */
export const MAINTENANCE: PeriodicJob = {
  name: 'maintenance',
  workflowType: WORKFLOW_TYPES.maintenance,
  everyMs: 24 * 3_600_000,
  offsetMs: 3 * 3_600_000,
};
