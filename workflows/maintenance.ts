import { ActivityFailure, ApplicationFailure, proxyActivities } from '@temporalio/workflow';
import type { MaintenanceActivities } from '../activities/maintenance';
import type { PersonalDataActivities } from '../activities/personal-data';

const work = proxyActivities<MaintenanceActivities>({
  startToCloseTimeout: '4 hours',
  scheduleToCloseTimeout: '12 hours',
  heartbeatTimeout: '1 minute',
  // Some 20 minutes. Then the part has failed, and so has the job.
  retry: { initialInterval: '10 seconds', maximumInterval: '30 minutes', backoffCoefficient: 3, maximumAttempts: 6 },
});

export type MaintenanceResult = Readonly<Record<string, number>>;

/**
 * Deletes expired data. A Temporal Schedule starts it once a day. A failed part does not stop the others; it runs again the
 * next day.
 * @throws ApplicationFailure at the end, when a part has failed: the job has then failed
 */
export async function maintenance(): Promise<MaintenanceResult> {
  const removed: Record<string, number> = {};
  const failed: string[] = [];
  const part = async (name: string, counts: () => Promise<Readonly<Record<string, number>>>) => {
    try {
      Object.assign(removed, await counts());
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      failed.push(`${name}: ${error.cause?.message ?? error.message}`);
    }
  };
  // Sequential, to keep the load on the database low.
  await part('partitions', async () => ({ ...(await work.renewPartitions()) }));
  await part('deadMessages', async () => ({ deadMessages: await work.pruneDeadMessages() }));
  await part('bulkRepairs', async () => ({ bulkRepairs: await work.pruneBulkRepairs() }));
  await part('objects', async () => ({ ...(await work.collectGarbage()) }));
  if (failed.length > 0) throw ApplicationFailure.nonRetryable(failed.join('; '), 'MaintenanceFailed', removed);
  return removed;
}

const jobs = proxyActivities<PersonalDataActivities & Pick<MaintenanceActivities, 'sumReports'>>({
  startToCloseTimeout: '2 hours',
  heartbeatTimeout: '2 minutes',
  retry: { initialInterval: '10 seconds', maximumInterval: '5 minutes', maximumAttempts: 5 },
});

export interface ErasedPersonalData {
  readonly waiting: number;
  readonly expired: number;
}

/** Erases personal data whose retention time is over, or whose orders have ended after a request. A Temporal Schedule starts it. */
export async function erasePersonalData(): Promise<ErasedPersonalData> {
  return { waiting: await jobs.eraseWaiting(), expired: await jobs.eraseExpired() };
}

/** Adds up the orders of each day for reports. A Temporal Schedule starts it. Returns the number of days. */
export async function sumReports(): Promise<number> {
  return await jobs.sumReports();
}
