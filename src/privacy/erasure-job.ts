import { WORKFLOW_TYPES } from '../platform/domain/workflows';
import type { PeriodicJob } from '../platform/temporal/periodic-jobs';

/** Erases personal data whose retention time is over, or whose orders have ended after a request. */
export const ERASURE: PeriodicJob = {
  name: 'erase-personal-data',
  workflowType: WORKFLOW_TYPES.erasePersonalData,
  everyMs: 15 * 60_000,
  offsetMs: 5 * 60_000,
};
