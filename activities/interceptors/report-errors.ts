import type { Context } from '@temporalio/activity';
import { CancelledFailure, TemporalFailure } from '@temporalio/common';
import type { ActivityInboundCallsInterceptor, ActivityInterceptors } from '@temporalio/worker';
import { CarrierUnavailable } from '../../src/carriers/carrier';
import type { ErrorReporter, Logger } from '../../src/platform/logging/logging';
import { ShareTaken } from '../../src/platform/temporal/slot-shares';
import { isUnavailable } from '../../src/platform/unavailable';
import { attemptOf } from './attempts';

/**
 * Returns the interceptor that reports unexpected exceptions of activities, once for each activity: at its first attempt that
 * throws one. Failures of Temporal, servers that are unavailable, busy partners and carriers without a response are expected.
 */
export function reportActivityErrors(report: ErrorReporter, log: Logger): (context: Context) => ActivityInterceptors {
  return ({ info }) => {
    const inbound: ActivityInboundCallsInterceptor = {
      async execute(input, next) {
        try {
          return await next(input);
        } catch (error) {
          if (attemptOf(info) === 1 && isUnexpected(error)) {
            const { activityType, workflowExecution } = info;
            const requestId = requestIdOf(input.args);
            report(
              error,
              log.child({
                activityType,
                workflowId: workflowExecution?.workflowId,
                ...(requestId && { requestId }),
              }),
              'an activity failed with an unexpected error',
            );
          }
          throw error;
        }
      },
    };
    return { inbound };
  };
}

function isUnexpected(error: unknown): boolean {
  const expected =
    error instanceof TemporalFailure ||
    error instanceof CancelledFailure ||
    error instanceof CarrierUnavailable ||
    error instanceof ShareTaken ||
    isUnavailable(error);
  return !expected && (error as { name?: unknown } | null)?.name !== 'CompleteAsyncError';
}

/** Activities of orders have the id of the request that submitted the order in their first argument. */
function requestIdOf([first]: unknown[]): string | undefined {
  const id = (first as { requestId?: unknown } | undefined)?.requestId;
  return typeof id === 'string' ? id : undefined;
}
