import type { Round } from './schedules';

/** Once a day, at three in the night (UTC): what is past its days goes. */
export const MAINTENANCE: Round = {
  name: 'maintenance',
  workflowType: 'maintenance',
  every: '1 day',
  offset: '3 hours',
};
