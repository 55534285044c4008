import type { Connection } from '@temporalio/client';
import { RECONCILIATION } from '../orders/reconcile-schedule';
import { STOCK_POLL } from '../partners/stock-poll-schedule';
import { MAINTENANCE } from '../platform/maintenance-schedule';
import { ensureSchedule } from '../platform/schedules';
import { ensureSearchAttributes } from '../platform/temporal';
import { TRACKING_SWEEP } from '../shipping/tracking-sweep-schedule';
import type { Services } from './services';

/** Everything that comes round by itself. */
export const ROUNDS = [STOCK_POLL, TRACKING_SWEEP, RECONCILIATION, MAINTENANCE] as const;

/** What a Temporal namespace must hold before runs start: search attributes and schedules. Safe to repeat. */
export async function setUpTemporal({ temporal, config }: Services): Promise<void> {
  await ensureSearchAttributes(temporal.connection as Connection, config.TEMPORAL_NAMESPACE);
  for (const round of ROUNDS) await ensureSchedule(temporal, config, round);
}
