import { SpanKind } from '@opentelemetry/api';
import { parseTraceparent, type WorkflowSpan } from '../domain/traceparent';
import { contextOf, markFailedAs, startSpan } from './spans';
import { withSpanId } from './tracing';

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
  const start = () => startSpan(name, options, contextOf(parent));
  const span = spanId === null ? start() : withSpanId(spanId, start);
  if (span !== undefined && errorType !== null) markFailedAs(span, errorType);
  span?.end(new Date(endedAt));
}
