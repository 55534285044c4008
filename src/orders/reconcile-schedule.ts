import type { Round } from '../platform/schedules';

/** How often Postgres and Temporal are held against each other. */
export const RECONCILIATION: Round = {
  name: 'reconcile',
  workflowType: 'reconcile',
  everyMs: 5 * 60_000,
};
