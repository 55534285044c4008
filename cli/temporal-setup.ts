import type { Connection } from '@temporalio/client';
import { ensureSearchAttributes } from '../src/platform/temporal/connection';
import { ensureSchedule } from '../src/platform/temporal/periodic-jobs';
import type { Services } from './composition-root';
import { PERIODIC_JOBS } from './periodic-jobs';

/** Registers the search attributes and schedules that workflows need. Can be called again, and by several processes. */
export async function setUpTemporal({ temporal, config }: Services): Promise<void> {
  await ensureSearchAttributes(temporal.connection as Connection, config.TEMPORAL_NAMESPACE);
  for (const job of PERIODIC_JOBS) await ensureSchedule(temporal, config, job);
}
