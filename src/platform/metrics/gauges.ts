import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { inTransaction, json, onWaited, poolStates, type Queryable, type Sql } from '../postgres';
import type { GaugePoint, Metrics } from './metrics';

const QUANTILES = [0.5, 0.9, 0.99] as const;
const NANOSECONDS = 1e9;

/** Adds the connections of a Postgres pool and the waits for them. Several pools of a process are added up. */
export function addPoolMetrics(metrics: Metrics, sql: Sql): void {
  metrics.expectObservations('pressline_db_connection_wait_seconds', {});
  onWaited(sql, (seconds) => metrics.observe('pressline_db_connection_wait_seconds', {}, seconds));
  metrics.addGauges(() =>
    Object.entries(poolStates(sql)).map(([state, value]) => ({
      name: 'pressline_db_connections',
      labels: { state },
      value,
    })),
  );
}

export function addProcessMetrics(metrics: Metrics): void {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  let countedCpuSeconds = 0;
  metrics.addGauges(() => {
    const { user, system } = process.cpuUsage();
    const cpuSeconds = (user + system) / 1e6;
    metrics.count('process_cpu_seconds_total', {}, cpuSeconds - countedCpuSeconds);
    countedCpuSeconds = cpuSeconds;
    const heap = getHeapStatistics();
    const points: GaugePoint[] = [
      ...QUANTILES.map((quantile) => ({
        name: 'nodejs_eventloop_delay_seconds' as const,
        labels: { quantile: String(quantile) },
        value: delay.count === 0 ? 0 : delay.percentile(quantile * 100) / NANOSECONDS,
      })),
      { name: 'nodejs_heap_used_bytes', labels: {}, value: heap.used_heap_size },
      { name: 'nodejs_heap_limit_bytes', labels: {}, value: heap.heap_size_limit },
      { name: 'process_resident_memory_bytes', labels: {}, value: process.memoryUsage.rss() },
      {
        name: 'process_start_time_seconds',
        labels: {},
        value: Math.round(performance.timeOrigin) / 1_000,
      },
    ];
    delay.reset();
    return points;
  });
}

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
