import { inTransaction, json, type Queryable, type Sql } from '../postgres';
import type { GaugePoint } from './metrics';

/** Reads gauges of one feature from Postgres. */
export type GaugeQuery = (tx: Queryable) => Promise<readonly GaugePoint[]>;

/** Gauges are read again when they are older. With the time of the queries they stay below 15 s. */
const MAX_AGE_SECONDS = 10;
/** A scrape has 10 s by default (Prometheus, scrape_timeout). */
const QUERY_TIMEOUT_MS = 8_000;

/**
 * Returns a function that reads the gauges that are stored in Postgres. All processes share one stored snapshot: the first
 * scrape after 10 s reads the tables, all others read the snapshot. The cost does not depend on the number of scrapes and
 * processes.
 */
export function createGaugeSnapshot(sql: Sql, queries: readonly GaugeQuery[]): () => Promise<readonly GaugePoint[]> {
  return async () => {
    const stored = await freshPoints(sql);
    if (stored !== undefined) return stored;
    return await inTransaction(sql, async (tx) => {
      await tx`SELECT set_config('statement_timeout', ${`${QUERY_TIMEOUT_MS}ms`}, true)`;
      // Concurrent scrapes wait here, and then find what the first one has read.
      await tx`SELECT 1 FROM gauge_snapshot FOR UPDATE`;
      const readMeanwhile = await freshPoints(tx);
      if (readMeanwhile !== undefined) return readMeanwhile;
      const points: GaugePoint[] = [];
      for (const query of queries) points.push(...(await query(tx)));
      await tx`UPDATE gauge_snapshot SET points = ${json(tx, points)}, read_at = clock_timestamp()`;
      return points;
    });
  };
}

async function freshPoints(tx: Queryable): Promise<readonly GaugePoint[] | undefined> {
  const [row] = await tx<{ points: readonly GaugePoint[] }[]>`
    SELECT points FROM gauge_snapshot WHERE read_at > clock_timestamp() - make_interval(secs => ${MAX_AGE_SECONDS})`;
  return row?.points;
}
