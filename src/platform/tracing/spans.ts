import {
  type Attributes,
  type Context,
  context,
  ROOT_CONTEXT,
  type Span,
  type SpanOptions,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { formatTraceparent, parseTraceparent } from '../domain/traceparent';

/** The tracer of this process. Undefined: tracing is off, and nothing below does any work. */
let tracer: Tracer | undefined;

/** Sets the tracer of this process, or turns tracing off. Returns the tracer before it. */
export function setTracer(next: Tracer | undefined): Tracer | undefined {
  const previous = tracer;
  tracer = next;
  return previous;
}

export function isTracing(): boolean {
  return tracer !== undefined;
}

export function activeSpan(): Span | undefined {
  if (tracer === undefined) return undefined;
  const span = trace.getActiveSpan();
  return span?.isRecording() ? span : undefined;
}

/** Returns the trace context of the running code as a `traceparent`, or null without one. */
export function currentTraceparent(): string | null {
  if (tracer === undefined) return null;
  const span = trace.getActiveSpan();
  return span === undefined ? null : formatTraceparent(span.spanContext());
}

/** Returns the context whose spans are children of a `traceparent`. Without a valid one, they start a new trace. */
export function contextOf(traceparent: string | null | undefined): Context {
  const parent = traceparent == null ? undefined : parseTraceparent(traceparent);
  return parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true });
}

/** Starts a span that the caller ends. Returns undefined while tracing is off. */
export function startSpan(name: string, options: SpanOptions, parent: Context): Span | undefined {
  return tracer?.startSpan(name, options, parent);
}

/** Runs `work` in a span of its own, which ends with it. Without tracing, only runs `work`. */
export async function inSpan<T>(
  name: string,
  options: SpanOptions,
  work: (span: Span | undefined) => Promise<T>,
  parent: Context = context.active(),
): Promise<T> {
  const span = startSpan(name, options, parent);
  if (span === undefined) return await work(undefined);
  try {
    return await context.with(trace.setSpan(parent, span), () => work(span));
  } catch (error) {
    markFailed(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/** Marks a span as failed, with the class of the error. Messages of errors may contain personal data. */
export function markFailed(span: Span, error: unknown): void {
  markFailedAs(span, error instanceof Error ? error.name : typeof error);
}

/** @param type a word with few values: the class of an error, or an HTTP status */
export function markFailedAs(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Adds a link from the active span to another trace. Does nothing without a valid `traceparent`. */
export function linkTo(traceparent: string | null | undefined, attributes: Attributes = {}): void {
  const span = activeSpan();
  const linked = traceparent == null ? undefined : parseTraceparent(traceparent);
  if (span !== undefined && linked !== undefined) span.addLink({ context: linked, attributes });
}

/**
 * Runs `work` for several callers at once. With one caller, in the caller's span. With more, in a span that is a child of the first
 * caller's span and is linked with the spans of the others, both ways.
 */
export async function inSharedSpan<T>(
  name: string,
  callers: readonly (Span | undefined)[],
  work: () => Promise<T>,
): Promise<T> {
  if (tracer === undefined) return await work();
  const [first, ...others] = callers.filter((span) => span !== undefined);
  if (first === undefined) return await context.with(ROOT_CONTEXT, work);
  const parent = trace.setSpan(ROOT_CONTEXT, first);
  if (others.length === 0) return await context.with(parent, work);
  const links = others.map((span) => ({ context: span.spanContext() }));
  return await inSpan(
    name,
    { links },
    (shared) => {
      for (const span of others) span.addLink({ context: shared!.spanContext() });
      return work();
    },
    parent,
  );
}

/** Returns the fields of log lines that lead to the trace of the running code. */
export function traceFields(): { readonly trace_id?: string } {
  const traceId = tracer === undefined ? undefined : trace.getActiveSpan()?.spanContext().traceId;
  return traceId === undefined ? {} : { trace_id: traceId };
}
