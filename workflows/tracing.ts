import {
  AsyncLocalStorage,
  ContinueAsNew,
  defaultPayloadConverter,
  type Headers,
  proxySinks,
  type Sinks,
  type WorkflowInterceptors,
  type WorkflowOutboundCallsInterceptor,
  workflowInfo,
} from '@temporalio/workflow';
import {
  formatTraceparent,
  parseTraceparent,
  spanIdOfRun,
  TRACE_HEADER,
  type TraceHeader,
  type WorkflowSpan,
} from '../src/platform/domain/traceparent';

export interface TraceSinks extends Sinks {
  traces: { ended(span: WorkflowSpan): void };
}

/**
 * Interceptor that carries the trace of a workflow from its start to its activities, in headers. Headers are part of commands that the
 * workflow makes anyway, and a replay does not compare them. The span of the workflow has an id that follows from the run id.
 * Spans leave through a sink, which is not called during a replay. A workflow that was started without a trace does nothing here.
 *
 * The workflow, each signal and each update have spans. A signal or update belongs to the trace of its sender, and is linked with
 * the workflow's trace. Activities of an update handler belong to the trace of the update.
 */
export const interceptors = (): WorkflowInterceptors => {
  const { traces } = proxySinks<TraceSinks>();
  const { runId, workflowType, startTime } = workflowInfo();
  let storage: InstanceType<typeof AsyncLocalStorage<string>> | undefined;
  /** `traceparent` that the workflow was started with, and that of the workflow's span. */
  let started: string | undefined;
  let own: string | undefined;

  /** Runs `work` in a span, and reports it. */
  const recorded = async <T>(
    traceparent: string,
    span: Pick<WorkflowSpan, 'name' | 'parent' | 'spanId' | 'startedAt'>,
    work: () => Promise<T>,
  ): Promise<T> => {
    let errorType: string | null = null;
    storage ??= new AsyncLocalStorage<string>();
    try {
      return await storage.run(traceparent, work);
    } catch (error) {
      if (!(error instanceof ContinueAsNew)) errorType = error instanceof Error ? error.name : typeof error;
      throw error;
    } finally {
      const link = span.spanId === null && own !== undefined ? own : null;
      if (parseTraceparent(span.parent)?.traceFlags === 1) {
        traces.ended({ ...span, errorType, link, endedAt: Date.now() });
      }
    }
  };
  /** Handles a message within the trace of its sender. */
  const handled = <T>(name: string, headers: Headers, work: () => Promise<T>): Promise<T> => {
    const parent = traceparentIn(headers);
    if (parent === undefined) return work();
    return recorded(parent, { name, parent, spanId: null, startedAt: Date.now() }, work);
  };
  const carrying = <I extends { readonly headers: Headers }>(input: I, traceparent: string | undefined): I =>
    traceparent === undefined ? input : { ...input, headers: { ...input.headers, ...headerOf(traceparent) } };

  const outbound: WorkflowOutboundCallsInterceptor = {
    scheduleActivity: (input, next) => next(carrying(input, storage?.getStore())),
    scheduleLocalActivity: (input, next) => next(carrying(input, storage?.getStore())),
    startChildWorkflowExecution: (input, next) => next(carrying(input, storage?.getStore())),
    continueAsNew: (input, next) => next(carrying(input, started)),
    getLogAttributes: (input, next) => {
      const trace = parseTraceparent(storage?.getStore() ?? own ?? '');
      return next(trace === undefined ? input : { ...input, trace_id: trace.traceId });
    },
  };
  return {
    inbound: [
      {
        // Without a trace, `next` is returned as it is: another promise would delay the end of the workflow by microtasks, and a
        // history of a run without a trace would not replay.
        execute(input, next) {
          started = traceparentIn(input.headers);
          const parent = parseTraceparent(started ?? '');
          if (started === undefined || parent === undefined) return next(input);
          const spanId = spanIdOfRun(runId);
          own = formatTraceparent({ ...parent, spanId });
          const span = {
            name: `RunWorkflow:${workflowType}`,
            parent: started,
            spanId,
            startedAt: startTime.getTime(),
          };
          return recorded(own, span, () => next(input));
        },
        handleSignal: (input, next) => handled(`HandleSignal:${input.signalName}`, input.headers, () => next(input)),
        handleUpdate: (input, next) => handled(`HandleUpdate:${input.name}`, input.headers, () => next(input)),
      },
    ],
    outbound: [outbound],
  };
};

function traceparentIn(headers: Headers): string | undefined {
  const payload = headers[TRACE_HEADER];
  return payload === undefined ? undefined : defaultPayloadConverter.fromPayload<TraceHeader>(payload).traceparent;
}

function headerOf(traceparent: string): Headers {
  const header: TraceHeader = { traceparent };
  return { [TRACE_HEADER]: defaultPayloadConverter.toPayload(header) };
}
