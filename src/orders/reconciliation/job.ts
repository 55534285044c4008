import type { Round } from '../../platform/temporal/periodic-jobs';

/** How often Postgres and Temporal are held against each other. */
export const RECONCILIATION: Round = {
  name: 'reconcile',
  workflowType: 'reconcile',
  everyMs: 5 * 60_000,
};
