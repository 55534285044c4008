import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { onWaited, poolStates, type Sql } from '../postgres';
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

/** Adds the metrics of the process: event loop, heap, memory and CPU time. */
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
