import { ActivityFailure, proxyActivities } from '@temporalio/workflow';
import type { ShippingActivities } from '../activities/shipping';
import { addSweeps, NOTHING_SWEPT, type SweepResult } from '../src/shipping/domain/shipping-runs';

const database = proxyActivities<Pick<ShippingActivities, 'carriersToSweep'>>({
  startToCloseTimeout: '1 minute',
  scheduleToCloseTimeout: '4 minutes',
});

/** A step ends by itself after four minutes. Retries continue it; they do not start these minutes again. */
const carriers = proxyActivities<Pick<ShippingActivities, 'sweepCarrier' | 'findPartnerCarriers'>>({
  startToCloseTimeout: '5 minutes',
  scheduleToCloseTimeout: '6 minutes',
  heartbeatTimeout: '1 minute',
  retry: { initialInterval: '2 seconds', maximumInterval: '30 seconds' },
});

export interface TrackingSweep extends SweepResult {
  /** Why steps failed, by carrier uid. `partner codes`: the search for the carriers of partners' tracking codes. */
  readonly errors: Readonly<Record<string, string>>;
}

/**
 * Reads the tracking of all packages that are due. A schedule starts it. Carriers are called
 * concurrently, each by one activity at its own rate: a slow or failing carrier does not delay the others.
 */
export async function trackingSweep(): Promise<TrackingSweep> {
  const errors: Record<string, string> = {};
  let sum = NOTHING_SWEPT;
  const add = async (name: string, step: () => Promise<SweepResult>) => {
    try {
      const swept = await step();
      sum = addSweeps(sum, swept);
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      errors[name] = error.cause?.message ?? error.message;
    }
  };
  const uids = await database.carriersToSweep();
  await Promise.all(uids.map((uid) => add(uid, () => carriers.sweepCarrier({ adapterUid: uid }))));
  // Afterwards, because it calls the same gateways.
  await add('partner codes', () => carriers.findPartnerCarriers());
  return { ...sum, errors };
}
