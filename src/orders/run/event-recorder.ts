import { onCommit, type Sql, type Transaction } from '../../platform/postgres';
import type { RunEvent } from '../domain/lifecycle/run-events';
import { type Recording, recordOfEvent } from '../domain/run/recording';
import type { RecordStep } from '../domain/run/run-messages';
import { recordRun, writeRecord } from './record';
import type { RunObserver } from './run-metrics';

/**
 * Records the event with which an activity of an order run ends: in the given transaction, or in one of its own. Repeated calls
 * record once.
 * @returns the step, or undefined when the order run has to record the event itself: the rows are later, Postgres refuses the
 *   record, or nothing changes
 */
export type EventRecorder = (
  queryable: Sql | Transaction,
  recording: Recording,
  event: RunEvent,
) => Promise<RecordStep | undefined>;

/** @param observe measures what a record changed */
export function createEventRecorder(observe: RunObserver): EventRecorder {
  return async (queryable, recording, event) => {
    const record = recordOfEvent(recording, event);
    if (record === null) return undefined;
    const result =
      'begin' in queryable ? await recordRun(queryable, record) : await writeRecord(queryable, record);
    if (result.outcome === 'skipped' || result.outcome === 'refused') return undefined;
    if (result.outcome === 'recorded') onCommit(queryable, () => observe(result.change));
    return { position: record.position, version: record.version };
  };
}
