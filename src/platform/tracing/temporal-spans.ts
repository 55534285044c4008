import { type Context, type Span, SpanKind } from '@opentelemetry/api';
import type { Context as ActivityContext } from '@temporalio/activity';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import type { ActivityInterceptors } from '@temporalio/worker';
import { formatTraceparent, TRACE_HEADER, type TraceHeader } from '../domain/traceparent';
import { contextOf, currentTraceparent, inSpan, traceFields } from './spans';

function withTrace(headers: Headers, span: Span | undefined): Headers {
  if (span === undefined) return headers;
  const header: TraceHeader = { traceparent: formatTraceparent(span.spanContext()) };
  return { ...headers, [TRACE_HEADER]: defaultPayloadConverter.toPayload(header) };
}

/** Returns the context that headers carry. Without one, spans in it start a new trace. */
function contextOfHeaders(headers: Headers): Context {
  const payload = headers[TRACE_HEADER];
  if (payload === undefined) return contextOf(null);
  return contextOf(defaultPayloadConverter.fromPayload<TraceHeader>(payload).traceparent);
}

/**
 * Interceptor of the client: starts, signals and updates of workflows are spans and carry the trace to the workflow. Calls outside
 * a trace are not recorded. The names of spans are those of Temporal's SDKs.
 */
export const traceClientCalls: WorkflowClientInterceptor = {
  startWithDetails: (input, next) =>
    called('StartWorkflow', input.workflowType, (span) => next({ ...input, headers: withTrace(input.headers, span) })),
  signal: (input, next) =>
    called('SignalWorkflow', input.signalName, (span) => next({ ...input, headers: withTrace(input.headers, span) })),
  startUpdate: (input, next) =>
    called('StartWorkflowUpdate', input.updateName, (span) =>
      next({ ...input, headers: withTrace(input.headers, span) }),
    ),
  query: (input, next) => called('QueryWorkflow', input.queryType, () => next(input)),
};

function called<T>(kind: string, name: string, call: (span: Span | undefined) => Promise<T>): Promise<T> {
  if (currentTraceparent() === null) return call(undefined);
  return inSpan(`${kind}:${name}`, { kind: SpanKind.CLIENT }, call);
}

/**
 * Interceptor that gives every attempt of an activity a span, in the trace of its workflow. Activities of workflows without a trace,
 * such as periodic jobs, start a trace.
 */
export function traceActivity({ info }: ActivityContext): ActivityInterceptors {
  let fields = {};
  return {
    inbound: {
      execute: (input, next) =>
        inSpan(
          `RunActivity:${info.activityType}`,
          {
            attributes: {
              temporalActivityAttempt: info.attempt,
              temporalActivityLocal: info.isLocal,
              ...(info.workflowExecution === undefined
                ? {}
                : {
                    temporalWorkflowID: info.workflowExecution.workflowId,
                    temporalRunID: info.workflowExecution.runId,
                  }),
            },
          },
          async () => {
            fields = traceFields();
            return await next(input);
          },
          contextOfHeaders(input.headers),
        ),
    },
    outbound: { getLogAttributes: (input, next) => next({ ...input, ...fields }) },
  };
}
