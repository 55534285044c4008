import type { Counter, Histogram, ObservableGauge } from '@opentelemetry/api';
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import {
  AggregationTemporality,
  DataPointType,
  InstrumentType,
  MeterProvider,
  type MetricData,
  MetricReader,
} from '@opentelemetry/sdk-metrics';
import { type CounterName, type GaugeName, type HistogramName, METRICS, type MetricLabels } from './metric-table';

export type GaugePoint = {
  [Name in GaugeName]: { readonly name: Name; readonly labels: MetricLabels<Name>; readonly value: number };
}[GaugeName];

export interface Metrics {
  /** Adds to a counter. With 0, the series exists from now on. */
  count<Name extends CounterName>(name: Name, labels: MetricLabels<Name>, by?: number): void;
  /** Adds a duration in seconds to a histogram. */
  observe<Name extends HistogramName>(name: Name, labels: MetricLabels<Name>, seconds: number): void;
  /** Exposes a histogram with these labels with zero observations, until it has one. */
  expectObservations<Name extends HistogramName>(name: Name, labels: MetricLabels<Name>): void;
  /** Registers a function that returns gauge values. It is called at every scrape. Values of equal labels are added up. */
  addGauges(read: () => Promise<readonly GaugePoint[]> | readonly GaugePoint[]): void;
  /** Registers text in the Prometheus format that is appended to every scrape: the metrics of the Temporal SDK. */
  append(read: () => Promise<string>): void;
  /** Returns all metrics in the Prometheus text format 0.0.4. */
  expose(): Promise<string>;
}

/** Collects only when asked to. */
class ScrapeReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

type AnyLabels = Readonly<Record<string, string>>;
/** A histogram that may have no observations. */
interface ExpectedHistogram {
  readonly name: HistogramName;
  readonly labels: AnyLabels;
}
const seriesKey = (name: string, labels: AnyLabels) =>
  JSON.stringify([name, ...Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))]);

/** @param onError called when a source of gauges or text fails. Its metrics are missing from that scrape */
export function createMetrics(onError: (error: unknown) => void = () => undefined): Metrics {
  const zeros = new Map<string, ExpectedHistogram>();
  const gaugeReaders: (() => Promise<readonly GaugePoint[]> | readonly GaugePoint[])[] = [];
  const texts: (() => Promise<string>)[] = [];
  const reader = new ScrapeReader({});
  const provider = new MeterProvider({ readers: [reader] });
  const meter = provider.getMeter('pressline');
  const serializer = new PrometheusSerializer(undefined, false, undefined, true, true);

  const counters = new Map<string, Counter>();
  const histograms = new Map<string, Histogram>();
  const gauges = new Map<string, ObservableGauge>();
  for (const [name, definition] of Object.entries(METRICS)) {
    const description = definition.help;
    if (definition.type === 'counter') counters.set(name, meter.createCounter(name, { description }));
    else if (definition.type === 'gauge') gauges.set(name, meter.createObservableGauge(name, { description }));
    else {
      const advice = { explicitBucketBoundaries: [...definition.bounds] };
      histograms.set(name, meter.createHistogram(name, { description, unit: 's', advice }));
    }
    if (definition.type === 'counter' && definition.labels.length === 0) counters.get(name)!.add(0);
  }
  meter.addBatchObservableCallback(
    async (result) => {
      const points = await Promise.all(
        gaugeReaders.map(async (read) => {
          try {
            return await read();
          } catch (error) {
            onError(error);
            return [];
          }
        }),
      );
      const sums = new Map<string, GaugePoint>();
      for (const point of points.flat()) {
        const key = seriesKey(point.name, point.labels);
        sums.set(key, { ...point, value: point.value + (sums.get(key)?.value ?? 0) });
      }
      for (const { name, labels, value } of sums.values()) result.observe(gauges.get(name)!, value, labels);
    },
    [...gauges.values()],
  );

  return {
    count: (name, labels, by = 1) => counters.get(name)!.add(by, labels),
    observe(name, labels, seconds) {
      zeros.delete(seriesKey(name, labels));
      histograms.get(name)!.record(seconds, labels);
    },
    expectObservations(name, labels) {
      zeros.set(seriesKey(name, labels), { name, labels });
    },
    addGauges: (read) => void gaugeReaders.push(read),
    append: (read) => void texts.push(read),
    async expose() {
      const { resourceMetrics, errors } = await reader.collect();
      for (const error of errors) onError(error);
      const scope = { scope: { name: 'pressline' }, metrics: [...zeros.values()].map(zeroHistogram) };
      const own = serializer.serialize({
        ...resourceMetrics,
        scopeMetrics: [...resourceMetrics.scopeMetrics, scope],
      });
      const others = await Promise.all(
        texts.map((read) =>
          read().catch((error: unknown) => {
            onError(error);
            return '';
          }),
        ),
      );
      return [own, ...others].map((text) => (text.endsWith('\n') ? text : `${text}\n`)).join('');
    },
  };
}

/** Returns a histogram without observations. The SDK exposes a series only after its first observation. */
function zeroHistogram({ name, labels }: ExpectedHistogram): MetricData {
  const definition = METRICS[name];
  const boundaries = [...definition.bounds];
  const now: [number, number] = [Math.floor(Date.now() / 1_000), 0];
  return {
    descriptor: {
      name,
      description: definition.help,
      unit: 's',
      type: InstrumentType.HISTOGRAM,
      valueType: 1,
      advice: {},
    },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
    dataPointType: DataPointType.HISTOGRAM,
    dataPoints: [
      {
        startTime: now,
        endTime: now,
        attributes: labels,
        value: { buckets: { boundaries, counts: [...boundaries.map(() => 0), 0] }, sum: 0, count: 0 },
      },
    ],
  } as MetricData;
}
