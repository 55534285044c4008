import type { Connection } from '@temporalio/client';
import { ensureStockPollSchedule } from '../partners/stock-poll-schedule';
import { ensureSearchAttributes } from '../platform/temporal';
import { ensureTrackingSweepSchedule } from '../shipping/tracking-sweep-schedule';
import type { Services } from './services';

/** What a Temporal namespace must hold before runs start: search attributes and schedules. Safe to repeat. */
export async function setUpTemporal({ temporal, config }: Services): Promise<void> {
  await ensureSearchAttributes(temporal.connection as Connection, config.TEMPORAL_NAMESPACE);
  await ensureStockPollSchedule(temporal, config);
  await ensureTrackingSweepSchedule(temporal, config);
}
