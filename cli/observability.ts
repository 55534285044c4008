import { channelGauges } from '../src/channels/channel-orders';
import { orderGauges } from '../src/orders/reading/attention-counts';
import { expectPartners } from '../src/partners/health';
import type { Config } from '../src/platform/config';
import { healthPages } from '../src/platform/health';
import { addPoolMetrics, addProcessMetrics, createGaugeSnapshot } from '../src/platform/metrics/gauges';
import { type MetricsServer, startMetricsServer } from '../src/platform/metrics/metrics-server';
import { outboxGauges } from '../src/platform/outbox/messages';
import { partitionGauges } from '../src/platform/schema/partitioned-tables';
import { jobGauges } from '../src/platform/temporal/periodic-jobs';
import type { Services } from './composition-root';
import { readTemporalMetrics } from './temporal-runtime';

/**
 * Adds the gauges of this process and of the database to the metrics, and serves them with the health probes.
 * @returns undefined with METRICS_PORT=off
 * @throws ConfigError when METRICS_HOST and METRICS_PORT cannot be used
 */
export async function startObservability(
  { metrics, sql, log, health }: Pick<Services, 'metrics' | 'sql' | 'log' | 'health'>,
  config: Config,
): Promise<MetricsServer | undefined> {
  if (config.METRICS_PORT === 'off') return undefined;
  addProcessMetrics(metrics);
  addPoolMetrics(metrics, sql);
  await expectPartners(sql, metrics).catch((error: unknown) =>
    log.warn({ err: error }, 'the partners could not be read, their metrics start with their first message'),
  );
  metrics.addGauges(createGaugeSnapshot(sql, [orderGauges, channelGauges, outboxGauges, jobGauges, partitionGauges]));
  metrics.append(readTemporalMetrics);
  return await startMetricsServer(config, metrics, log, healthPages(health));
}
