import { ActivityFailure, proxyActivities } from '@temporalio/workflow';
import type { MaintenanceActivities } from '../activities/maintenance';

const work = proxyActivities<MaintenanceActivities>({
  startToCloseTimeout: '4 hours',
  scheduleToCloseTimeout: '12 hours',
  heartbeatTimeout: '1 minute',
  retry: { initialInterval: '10 seconds', maximumInterval: '30 minutes', backoffCoefficient: 3 },
});

/** Rows and objects removed; a part that could not be done says why, and is done the next day. */
export interface MaintenanceResult {
  readonly removed: Readonly<Record<string, number>>;
  readonly failed: Readonly<Record<string, string>>;
}

/** Removes what is past its days; started by a schedule once a day. A part that fails holds no other up. */
export async function maintenance(): Promise<MaintenanceResult> {
  const removed: Record<string, number> = {};
  const failed: Record<string, string> = {};
  const part = async (name: string, counts: () => Promise<Readonly<Record<string, number>>>) => {
    try {
      Object.assign(removed, await counts());
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      failed[name] = error.cause?.message ?? error.message;
    }
  };
  // One after the other: nobody waits for it, and the database has other things to do.
  await part('idempotencyKeys', async () => ({ idempotencyKeys: await work.pruneIdempotencyKeys() }));
  await part('deliveries', async () => ({ deliveries: await work.pruneDeliveries() }));
  await part('objects', async () => ({ ...(await work.collectGarbage()) }));
  return { removed, failed };
}
