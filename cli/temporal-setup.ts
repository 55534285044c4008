import type { Connection } from '@temporalio/client';
import { PERIODIC_JOBS } from '../src/platform/domain/periodic-jobs';
import { ensureSearchAttributes } from '../src/platform/temporal/connection';
import { ensureSchedule } from '../src/platform/temporal/schedules';
import type { Services } from './composition-root';

/** Registers the search attributes and schedules that workflows need. Can be called again, and by several processes. */
export async function setUpTemporal({ temporal, config }: Services): Promise<void> {
  await ensureSearchAttributes(temporal.connection as Connection, config.TEMPORAL_NAMESPACE);
  for (const job of PERIODIC_JOBS) await ensureSchedule(temporal, config, job);
}
