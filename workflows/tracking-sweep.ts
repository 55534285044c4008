import { proxyActivities } from '@temporalio/workflow';
import type { ShippingActivities } from '../activities/shipping';

const { sweepTrackings } = proxyActivities<Pick<ShippingActivities, 'sweepTrackings'>>({
  startToCloseTimeout: '4 minutes',
  retry: { maximumAttempts: 3 },
});

/** Packages per activity, and activities per sweep. A sweep checks up to 25,000 packages; the next one continues. */
const PACKAGES = 500;
const ACTIVITIES = 50;

/** Asks carriers about the packages of all orders whose tracking check is due. A schedule starts it. */
export async function trackingSweep(): Promise<{ checked: number; recorded: number }> {
  let checked = 0;
  let recorded = 0;
  for (let activity = 0; activity < ACTIVITIES; activity++) {
    const swept = await sweepTrackings({ limit: PACKAGES });
    checked += swept.checked;
    recorded += swept.recorded;
    if (swept.checked < PACKAGES) break;
  }
  return { checked, recorded };
}
