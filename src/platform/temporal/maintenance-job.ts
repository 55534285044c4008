import { WORKFLOW_TYPES } from '../domain/workflows';
import type { PeriodicJob } from './periodic-jobs';

/** Deletes expired data and files once a day, at 03:00 UTC. */
export const MAINTENANCE: PeriodicJob = {
  name: 'maintenance',
  workflowType: WORKFLOW_TYPES.maintenance,
  everyMs: 24 * 3_600_000,
  offsetMs: 3 * 3_600_000,
};
