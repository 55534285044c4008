/**
 * Trace context in the form of the header `traceparent` (W3C Trace Context, level 1). Rows, workflow headers and HTTP requests
 * carry it as this text. `tracestate` and baggage are not carried.
 */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  /** 1 when the trace is sampled. */
  readonly traceFlags: number;
}

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-|$)/;
const ZEROS = /^0+$/;

/** Parses a `traceparent`. Returns undefined for any text that is not valid. */
export function parseTraceparent(text: string): TraceParent | undefined {
  const [, version, traceId = '', spanId = '', flags = '', end] = FORM.exec(text) ?? [];
  // Version 00 has exactly four fields. Later versions may append fields. Version ff is not valid.
  if (version === undefined || version === 'ff' || (version === '00' && end !== '')) return undefined;
  if (ZEROS.test(traceId) || ZEROS.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1 };
}

export function formatTraceparent({ traceId, spanId, traceFlags }: TraceParent): string {
  return `00-${traceId}-${spanId}-0${traceFlags & 1}`;
}

/** Header of workflow starts, signals, updates and activities. Temporal's SDKs use the same name and form. */
export const TRACE_HEADER = '_tracer-data';

export interface TraceHeader {
  readonly traceparent: string;
}

/**
 * Returns the span id of a workflow run: the last 16 digits of its run id, which are random. The workflow's activities name it
 * as their parent before its span exists, and a replay finds the same id.
 */
export function spanIdOfRun(runId: string): string {
  return runId.replaceAll('-', '').slice(-16);
}

/** A span that ended in a workflow. The interceptor of workflows/tracing.ts reports it, and the worker records it. */
export interface WorkflowSpan {
  readonly name: string;
  readonly parent: string;
  /** Null: the worker chooses one, because no other span refers to it. */
  readonly spanId: string | null;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** Class of the error that ended it, or null. */
  readonly errorType: string | null;
  /** `traceparent` of a span of another trace. */
  readonly link: string | null;
}
