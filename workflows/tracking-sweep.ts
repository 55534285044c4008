import { proxyActivities } from '@temporalio/workflow';
import type { ShippingActivities } from '../activities/shipping';

const { sweepTrackings } = proxyActivities<Pick<ShippingActivities, 'sweepTrackings'>>({
  startToCloseTimeout: '4 minutes',
  retry: { maximumAttempts: 3 },
});

/** Packages of one activity, and activities of one sweep: 25,000 packages, then the next sweep goes on. */
const PACKAGES = 500;
const ROUNDS = 50;

/** Asks carriers about the packages that are due; started by a schedule, one for all orders. */
export async function trackingSweep(): Promise<{ checked: number; recorded: number }> {
  let checked = 0;
  let recorded = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const swept = await sweepTrackings({ limit: PACKAGES });
    checked += swept.checked;
    recorded += swept.recorded;
    if (swept.checked < PACKAGES) break;
  }
  return { checked, recorded };
}
