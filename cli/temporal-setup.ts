import type { Connection } from '@temporalio/client';
import { RECONCILIATION } from '../src/orders/reconciliation/job';
import { STOCK_POLL } from '../src/partners/stock-poll-job';
import { MAINTENANCE } from '../src/platform/maintenance-job';
import { ensureSearchAttributes } from '../src/platform/temporal/connection';
import { ensureSchedule } from '../src/platform/temporal/periodic-jobs';
import { TRACKING_SWEEP } from '../src/shipping/tracking-sweep-job';
import type { Services } from './composition-root';

/** Everything that comes round by itself. */
export const ROUNDS = [STOCK_POLL, TRACKING_SWEEP, RECONCILIATION, MAINTENANCE] as const;

/** What a Temporal namespace must hold before runs start: search attributes and schedules. Safe to repeat. */
export async function setUpTemporal({ temporal, config }: Services): Promise<void> {
  await ensureSearchAttributes(temporal.connection as Connection, config.TEMPORAL_NAMESPACE);
  for (const round of ROUNDS) await ensureSchedule(temporal, config, round);
}
