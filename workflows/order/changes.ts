import { patched } from '@temporalio/workflow';

/** Changes that older runs lack. Each has a marker of its own in the runs that started before one marker stood for all. */
export type Change =
  | 'plans-as-activities'
  | 'deadlines-by-key'
  | 'due-date'
  | 'parked-continues-as-new'
  | 'silent-partners-are-reminded'
  | 'change-until-order-shipped'
  | 'order-updates'
  | 'operator-cancel-asks-partner'
  | 'replacement-asks-partners';

/**
 * Tells which changes of the workflow code apply to a run. A marker costs two history events, so one at the start of the run
 * stands for all changes before 2026-11-22, 14:00 UTC, and for records that activities write.
 */
export class Changes {
  /** Since 2026-11-22. The first activity also plans the order, and activities write the records of their results. */
  readonly activitiesRecord = patched('activities-record');

  /** Call it only where the change decides: it writes the marker of a run that started before. */
  has(change: Change): boolean {
    return this.activitiesRecord || patched(change);
  }
}
