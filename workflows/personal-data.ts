import { proxyActivities } from '@temporalio/workflow';
import type { PersonalDataActivities } from '../activities/personal-data';

const work = proxyActivities<PersonalDataActivities>({
  startToCloseTimeout: '2 hours',
  heartbeatTimeout: '2 minutes',
  retry: { initialInterval: '10 seconds', maximumInterval: '5 minutes', maximumAttempts: 5 },
});

/** Numbers of orders and shipping orders. */
export interface ErasedPersonalData {
  readonly waiting: number;
  readonly expired: number;
}

/** Erases personal data whose retention time is over, or whose orders have ended after a request. A Temporal Schedule starts it. */
export async function erasePersonalData(): Promise<ErasedPersonalData> {
  return { waiting: await work.eraseWaiting(), expired: await work.eraseExpired() };
}
