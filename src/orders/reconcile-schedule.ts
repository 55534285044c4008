import type { Round } from '../platform/schedules';

/** How often Postgres and Temporal are held against each other. */
export const RECONCILIATION: Round = {
  name: 'reconcile',
  workflowType: 'reconcile',
  every: '5 minutes',
};
