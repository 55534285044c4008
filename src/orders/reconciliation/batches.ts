import type { Logger } from '../../platform/logging/logging';
import { progressed } from '../../platform/progress';
import { isUnavailable } from '../../platform/unavailable';
import { type Counts, tally } from './differences';
import { mapConcurrently } from './runs';

const BATCH = 500;

/**
 * Processes all rows of a query in batches.
 * @param read returns up to `limit` rows after a row, or the first ones
 */
export async function inBatches<Row>(
  read: (after: Row | undefined, limit: number) => Promise<readonly Row[]>,
  settle: (rows: readonly Row[]) => Promise<Counts>,
): Promise<Counts> {
  let counts: Counts = {};
  let rows = await read(undefined, BATCH);
  while (rows.length > 0) {
    counts = tally(counts, await settle(rows));
    rows = rows.length < BATCH ? [] : await read(rows.at(-1), BATCH);
  }
  return counts;
}

/**
 * Settles items concurrently. An error that concerns one item alone is logged and counted, and does not stop the others.
 * @param describe returns what the log line names the item by
 * @throws when Postgres or Temporal is unavailable
 */
export async function settleEach<T>(
  log: Logger,
  items: readonly T[],
  describe: (item: T) => object,
  settle: (item: T) => Promise<Counts>,
): Promise<Counts> {
  const counts = await mapConcurrently(items, async (item): Promise<Counts> => {
    try {
      return await settle(item);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      log.error({ err: error, ...describe(item) }, 'a difference between Postgres and Temporal could not be settled');
      return { unchecked: 1 };
    } finally {
      progressed();
    }
  });
  return tally(...counts);
}
