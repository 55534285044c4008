import type { Round } from './temporal/periodic-jobs';

/** Once a day, at three in the night (UTC): what is past its days goes. */
export const MAINTENANCE: Round = {
  name: 'maintenance',
  workflowType: 'maintenance',
  everyMs: 24 * 3_600_000,
  offsetMs: 3 * 3_600_000,
};
