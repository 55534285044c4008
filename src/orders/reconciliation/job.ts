import { WORKFLOW_TYPES } from '../../platform/domain/workflows';
import type { PeriodicJob } from '../../platform/temporal/periodic-jobs';

/** The schedule of the reconciliation of Postgres with Temporal. */
export const RECONCILIATION: PeriodicJob = {
  name: 'reconcile',
  workflowType: WORKFLOW_TYPES.reconcile,
  everyMs: 5 * 60_000,
};
