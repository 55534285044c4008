import type { Round } from '../platform/temporal/periodic-jobs';

/** How often carriers are asked about the packages that are due. */
export const TRACKING_SWEEP: Round = {
  name: 'tracking-sweep',
  workflowType: 'trackingSweep',
  everyMs: 5 * 60_000,
};
