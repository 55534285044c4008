import type { Context } from '@temporalio/activity';
import type { ActivityInterceptors } from '@temporalio/worker';
import { inSpan, traceFields } from '../../src/platform/tracing/spans';
import { contextOfHeaders } from '../../src/platform/tracing/temporal-spans';

/**
 * Interceptor that gives every attempt of an activity a span, in the trace of its workflow. Activities of workflows without a trace,
 * such as periodic jobs, start a trace.
 */
export function traceActivity({ info }: Context): ActivityInterceptors {
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
