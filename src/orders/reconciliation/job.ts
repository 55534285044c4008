import { WORKFLOW_TYPES } from '../../platform/domain/workflows';
import type { PeriodicJob } from '../../platform/temporal/periodic-jobs';

/** How often Postgres and Temporal are held against each other. */
export const RECONCILIATION: PeriodicJob = {
  name: 'reconcile',
  workflowType: WORKFLOW_TYPES.reconcile,
  everyMs: 5 * 60_000,
};
