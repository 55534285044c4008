import type { Queryable } from './postgres';

/**
 * Counts that triggers keep. `orders`: orders by status. `open_units`: units to print by partner id. The id of a client: its
 * orders under way, drafts and bytes of files by the names of the quotas.
 */
export type RunningTotal = 'orders' | 'open_units' | (string & {});

/** Changes that one read adds to the totals. Writers make far fewer between two reads. */
const FOLDED = 10_000;

/**
 * Returns the current counts of a name by key. Adds the changes that triggers have written to the totals, so that the cost
 * depends on the changes since the last read and not on the number of counted rows.
 */
export async function readRunningTotals(sql: Queryable, name: RunningTotal): Promise<ReadonlyMap<string, number>> {
  // All parts of the statement see the same snapshot: the totals without the changes, and the changes.
  const rows = await sql<{ key: string; total: string }[]>`
    WITH folded AS (
      DELETE FROM running_total_changes WHERE id = ANY(ARRAY(
        SELECT id FROM running_total_changes ORDER BY id LIMIT ${FOLDED} FOR UPDATE SKIP LOCKED))
      RETURNING name, key, change
    ), kept AS (
      INSERT INTO running_totals AS t (name, key, total)
      SELECT name, key, sum(change) FROM folded GROUP BY 1, 2 HAVING sum(change) <> 0 ORDER BY 1, 2
      ON CONFLICT (name, key) DO UPDATE SET total = t.total + excluded.total
    )
    SELECT key, sum(total) AS total FROM (
      SELECT key, total FROM running_totals WHERE name = ${name}
      UNION ALL SELECT key, change FROM running_total_changes WHERE name = ${name}) AS counted
    GROUP BY 1`;
  return new Map(rows.map(({ key, total }) => [key, Number(total)]));
}
