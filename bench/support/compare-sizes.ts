import { connectPostgres, type Sql } from '../../src/platform/postgres';
import { type Row, spreadOf } from './report';

/** A database with `rows` rows. */
export interface Filled {
  readonly url: string;
  readonly sql: Sql;
  readonly rows: number;
}

/** One read. Equal turns read the same relative position of both sizes. */
export type Reading = (from: Filled, turn: number) => Promise<unknown>;

/** Limit for the ratio of the 99th percentiles with a million and with ten thousand rows. */
const MAX_RATIO = { value: 1.3, atLeast: false };

function percentile(times: readonly number[], share: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

/**
 * Reads both sizes alternately, so that other load affects both, and compares the 99th percentiles.
 * @param turns reads of each size per round
 */
export async function compareSizes(
  readings: Readonly<Record<string, Reading>>,
  [small, large]: readonly [Filled, Filled],
  { turns, rounds }: { readonly turns: number; readonly rounds: number },
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, read] of Object.entries(readings)) {
    const timed = async (from: Filled, turn: number) => {
      const began = performance.now();
      await read(from, turn);
      return performance.now() - began;
    };
    // The first reads fill caches and prepare statements. They do not count.
    for (let turn = 0; turn < 20; turn += 1) for (const from of [small, large]) await timed(from, turn);
    const median: number[] = [];
    const ratios: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const times = { small: [] as number[], large: [] as number[] };
      for (let turn = round * turns; turn < (round + 1) * turns; turn += 1) {
        times.small.push(await timed(small, turn));
        times.large.push(await timed(large, turn));
      }
      median.push(percentile(times.large, 0.5));
      ratios.push(percentile(times.large, 0.99) / percentile(times.small, 0.99));
    }
    const indexes = await indexesRead(large, read);
    process.stderr.write(`${name}: ${indexes.join(', ')}\n`);
    rows.push(
      { what: `${name}: median of ${large.rows} rows`, unit: 'ms', value: spreadOf(median) },
      {
        what: `${name}: p99 against ${small.rows} rows`,
        unit: 'ratio',
        value: spreadOf(ratios),
        target: MAX_RATIO,
      },
    );
  }
  return rows;
}

/** Returns what a read scans, from Postgres' statistics: index names, and tables with a sequential scan. */
async function indexesRead({ url, rows }: Filled, read: Reading): Promise<string[]> {
  // One connection, which flushes its statistics on request.
  const sql = connectPostgres(url, { max: 1, applicationName: 'bench-plans' });
  const scans = async () => {
    await sql`SELECT pg_stat_force_next_flush()`;
    const counts = await sql<{ name: string; scans: number }[]>`
      SELECT indexrelname AS name, idx_scan::int AS scans FROM pg_stat_user_indexes
      UNION ALL SELECT 'all of ' || relname, seq_scan::int FROM pg_stat_user_tables WHERE n_live_tup > 1000`;
    return new Map(counts.map(({ name, scans }) => [name, scans]));
  };
  try {
    await scans();
    const before = await scans();
    for (let turn = 0; turn < 5; turn += 1) await read({ url, sql, rows }, turn);
    await scans();
    const after = await scans();
    return [...after].filter(([name, count]) => count > (before.get(name) ?? 0)).map(([name]) => name);
  } finally {
    await sql.end({ timeout: 5 });
  }
}
