import type { Connection } from '@temporalio/client';
import { RECONCILIATION } from '../src/orders/reconciliation/job';
import { STOCK_POLL } from '../src/partners/stock-poll-job';
import { ensureSearchAttributes } from '../src/platform/temporal/connection';
import { MAINTENANCE } from '../src/platform/temporal/maintenance-job';
import { ensureSchedule } from '../src/platform/temporal/periodic-jobs';
import { ERASURE } from '../src/privacy/erasure-job';
import { TRACKING_SWEEP } from '../src/shipping/tracking-sweep/job';
import type { Services } from './composition-root';

/** All periodic jobs. */
export const PERIODIC_JOBS = [STOCK_POLL, TRACKING_SWEEP, RECONCILIATION, MAINTENANCE, ERASURE] as const;

/** Registers the search attributes and schedules that workflows need. Can be called again, and by several processes. */
export async function setUpTemporal({ temporal, config }: Services): Promise<void> {
  await ensureSearchAttributes(temporal.connection as Connection, config.TEMPORAL_NAMESPACE);
  for (const job of PERIODIC_JOBS) await ensureSchedule(temporal, config, job);
}
