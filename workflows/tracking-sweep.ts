import { ActivityFailure, proxyActivities } from '@temporalio/workflow';
import type { ShippingActivities } from '../activities/shipping';

type Sweep = Awaited<ReturnType<ShippingActivities['sweepCarrier']>>;

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

/** Result of a sweep. */
export interface TrackingSweep {
  readonly checked: number;
  readonly recorded: number;
  /** Packages without a usable response, or whose events could not be recorded. */
  readonly failed: number;
  /** Uids of carriers that gave no usable response. */
  readonly away: readonly string[];
  /** Why steps failed, by carrier uid. `partner codes`: the search for the carriers of partners' tracking codes. */
  readonly errors: Readonly<Record<string, string>>;
}

/**
 * Asks carriers about the packages of all orders whose tracking check is due. A schedule starts it. Carriers are asked
 * concurrently, each by one activity at its own rate: a slow or failing carrier does not delay the others.
 */
export async function trackingSweep(): Promise<TrackingSweep> {
  const away: string[] = [];
  const errors: Record<string, string> = {};
  let [checked, recorded, failed] = [0, 0, 0];
  const add = async (name: string, step: () => Promise<Sweep>) => {
    try {
      const swept = await step();
      checked += swept.checked;
      recorded += swept.recorded;
      failed += swept.failed;
      away.push(...swept.away.filter((uid) => !away.includes(uid)));
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      errors[name] = error.cause?.message ?? error.message;
    }
  };
  const uids = await database.carriersToSweep();
  await Promise.all(uids.map((uid) => add(uid, () => carriers.sweepCarrier({ adapterUid: uid }))));
  // Afterwards, because it asks the same gateways.
  await add('partner codes', () => carriers.findPartnerCarriers());
  return { checked, recorded, failed, away, errors };
}
