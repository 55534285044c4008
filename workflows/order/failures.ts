import { ActivityFailure, ApplicationFailure, isCancellation } from '@temporalio/workflow';
import type { RunEvent } from '../../src/orders/domain/lifecycle/run-events';
import { RUN_REFUSALS } from '../../src/orders/domain/run/run-messages';

/**
 * What a message that a run cannot fulfil is answered with.
 * @param type one of RUN_REFUSALS
 * @param reference path of the field that is at fault
 */
export function refusal(type: string, message: string, reference?: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, type, ...(reference === undefined ? [] : [{ reference }]));
}

/** @throws ApplicationFailure unless there is no reason to refuse */
export function refuseWith(why: { type: string; message: string } | null): void {
  if (why !== null) throw refusal(why.type, why.message);
}

/**
 * The failure that an activity ended with.
 * @throws what it was given, when that is a cancellation or a bug
 */
export function applicationFailure(error: unknown): ApplicationFailure {
  if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
  const { cause } = error;
  if (cause instanceof ApplicationFailure) return cause;
  return ApplicationFailure.nonRetryable(cause?.message ?? error.message, RUN_REFUSALS.unavailable);
}

/** The order's refusal for a file that could not be taken in. @throws like applicationFailure */
export function fileRefusal(error: unknown): Extract<RunEvent, { type: 'refused' }> {
  const failure = applicationFailure(error);
  const details = (failure.details?.[0] as { code?: string } | undefined) ?? null;
  // Without details it is no fault of a file's, but a step of ours that was ended.
  if (details?.code === undefined) {
    return {
      type: 'refused',
      code: 'file_unreachable',
      reason: 'The files of the order could not be taken in within the time for it.',
      details: null,
    };
  }
  return { type: 'refused', code: details.code, reason: failure.message, details };
}
