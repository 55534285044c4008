import { setTimeout as sleep } from 'node:timers/promises';
import { context, DiagLogLevel, diag, SpanKind } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  RandomIdGenerator,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Config } from '../config';
import { parseTraceparent, type WorkflowSpan } from '../domain/traceparent';
import type { Logger } from '../logging/logging';
import { contextOf, markFailedAs, setTracer, startSpan } from './spans';

interface Tracing {
  /** Sends the remaining spans, for at most five seconds, and turns tracing off. */
  stop(): Promise<void>;
}

export function tracesUrl(config: Config): string | undefined {
  if (config.OTEL_SDK_DISABLED || config.OTEL_TRACES_EXPORTER === 'none') return undefined;
  if (config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT !== undefined) return config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  const base = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  return base === undefined ? undefined : `${base}${base.endsWith('/') ? '' : '/'}v1/traces`;
}

/**
 * Starts to record spans and to send them to the OTLP endpoint of the configuration. Headers, compression and certificates come from
 * the standard OTEL_EXPORTER_OTLP_* variables, which the exporter reads itself. Call it once per process, before connections are made.
 * @returns undefined when no endpoint is configured. The process then records nothing
 */
export function startTracing(config: Config, log: Logger): Tracing | undefined {
  const url = tracesUrl(config);
  if (url === undefined) return undefined;
  const report = problemReporter(log);
  const quiet = () => undefined;
  diag.setLogger(
    { error: report, warn: report, info: quiet, debug: quiet, verbose: quiet },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(detectResources({ detectors: [envDetector] }))
      .merge(resourceFromAttributes({ 'service.name': config.OTEL_SERVICE_NAME })),
    sampler: samplerOf(config),
    idGenerator: ids,
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ url }),
        scheduledDelayMillis: config.OTEL_BSP_SCHEDULE_DELAY,
        exportTimeoutMillis: config.OTEL_BSP_EXPORT_TIMEOUT,
        maxQueueSize: config.OTEL_BSP_MAX_QUEUE_SIZE,
        maxExportBatchSize: config.OTEL_BSP_MAX_EXPORT_BATCH_SIZE,
      }),
    ],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager());
  setTracer(provider.getTracer('pressline'));
  return {
    async stop() {
      setTracer(undefined);
      const ended = new AbortController();
      const limit = sleep(STOP_MS, undefined, { signal: ended.signal }).catch(() => undefined);
      await Promise.race([provider.shutdown(), limit]).catch((error: unknown) =>
        log.warn({ err: error }, 'the last spans could not be sent'),
      );
      ended.abort();
      context.disable();
      diag.disable();
    },
  };
}

const STOP_MS = 5_000;
/** A collector that is down fails every export. */
const REPORT_EVERY_MS = 60_000;

/** Returns a function that logs problems of the SDK, each at most once in a minute. */
function problemReporter(log: Logger): (message: string) => void {
  const reportedAt = new Map<string, number>();
  return (text) => {
    // The SDK reports errors as JSON, with their stacks.
    const problem = /"message":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? text;
    const now = performance.now();
    if (now - (reportedAt.get(problem) ?? Number.NEGATIVE_INFINITY) < REPORT_EVERY_MS) return;
    reportedAt.set(problem, now);
    log.warn({ problem }, 'traces could not be sent');
  };
}

function samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }: Config): Sampler {
  const root = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  }[name.replace('parentbased_', '') as 'always_on' | 'always_off' | 'traceidratio']();
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

/** Generates random ids, except for a span whose id is known before it is recorded. */
class SpanIds extends RandomIdGenerator {
  known: string | null = null;

  override generateSpanId(): string {
    return this.known ?? super.generateSpanId();
  }
}

const ids = new SpanIds();

/** Records a span that ended in a workflow. Its times are those of the workflow's clock. */
export function recordWorkflowSpan(
  { workflowId, runId }: { readonly workflowId: string; readonly runId: string },
  { name, parent, spanId, startedAt, endedAt, errorType, link }: WorkflowSpan,
): void {
  const linked = link === null ? undefined : parseTraceparent(link);
  const options = {
    kind: SpanKind.INTERNAL,
    startTime: new Date(startedAt),
    attributes: { temporalWorkflowID: workflowId, temporalRunID: runId },
    links: linked === undefined ? [] : [{ context: linked }],
  };
  ids.known = spanId;
  const span = startSpan(name, options, contextOf(parent));
  ids.known = null;
  if (span !== undefined && errorType !== null) markFailedAs(span, errorType);
  span?.end(new Date(endedAt));
}
