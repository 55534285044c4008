import type { Sql } from '../../platform/postgres';
import { LONGEST_HISTORY } from '../domain/run/run-position';
import type { RecordKey } from '../domain/run/run-record';

/**
 * A step that an order run takes back from an activity.
 * @property key of the activity's record
 * @property follows the records that the activity may find: a step that it records before, and the one before that
 */
export interface WithheldStep {
  readonly orderId: string;
  readonly key: RecordKey;
  readonly follows: readonly RecordKey[];
}

/**
 * Keeps an activity from recording a step that was reserved for it: the activity then finds another position in the order's row,
 * of the same length of the history. So every later record of the run is later than it. A repeated call changes nothing.
 * @returns false when the activity has recorded the step already
 */
export async function withholdStep(sql: Sql, { orderId, key, follows }: WithheldStep): Promise<boolean> {
  const isRecorded = sql`(run_position = ${key.position} AND run_version = ${key.version})`;
  const isFollowed = follows.map((each) => sql`OR (run_position = ${each.position} AND run_version = ${each.version})`);
  const [row] = await sql<{ isRecorded: boolean }[]>`
    UPDATE orders SET run_position = run_position + CASE WHEN ${isRecorded} THEN 0 ELSE ${LONGEST_HISTORY} END
    WHERE id = ${orderId} AND (${isRecorded} ${isFollowed})
    RETURNING ${isRecorded} AS is_recorded`;
  return row?.isRecorded !== true;
}
