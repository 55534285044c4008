import { ActivityFailure, proxyActivities } from '@temporalio/workflow';
import type { MaintenanceActivities } from '../activities/maintenance';

const work = proxyActivities<MaintenanceActivities>({
  startToCloseTimeout: '4 hours',
  scheduleToCloseTimeout: '12 hours',
  heartbeatTimeout: '1 minute',
  retry: { initialInterval: '10 seconds', maximumInterval: '30 minutes', backoffCoefficient: 3 },
});

/** Numbers of removed rows and objects, and why parts have failed. A failed part runs again the next day. */
export interface MaintenanceResult {
  readonly removed: Readonly<Record<string, number>>;
  readonly failed: Readonly<Record<string, string>>;
}

/** Deletes expired data. A Temporal Schedule starts it once a day. A failed part does not stop the others. */
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
  // Sequential, to keep the load on the database low.
  await part('idempotencyKeys', async () => ({ idempotencyKeys: await work.pruneIdempotencyKeys() }));
  await part('deliveries', async () => ({ deliveries: await work.pruneDeliveries() }));
  await part('objects', async () => ({ ...(await work.collectGarbage()) }));
  return { removed, failed };
}
