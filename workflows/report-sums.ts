import { proxyActivities } from '@temporalio/workflow';
import type { MaintenanceActivities } from '../activities/maintenance';

const { sumReports: sum } = proxyActivities<Pick<MaintenanceActivities, 'sumReports'>>({
  startToCloseTimeout: '2 hours',
  heartbeatTimeout: '1 minute',
  retry: { initialInterval: '10 seconds', maximumInterval: '5 minutes', maximumAttempts: 5 },
});

/** Adds up the orders of each day for reports. A Temporal Schedule starts it. Returns the number of days. */
export async function sumReports(): Promise<number> {
  return await sum();
}
