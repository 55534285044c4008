import { ActivityFailure, ApplicationFailure, isCancellation } from '@temporalio/workflow';
import type { ActivityRefusal, OrRefusal } from '../../activities/refusals';
import { RUN_REFUSALS } from '../../src/orders/domain/lifecycle/requests';
import { STEP_FAILS_PROCESS } from '../../src/orders/domain/run/run-messages';

/**
 * Expected refusals are results in activities and in the domain. Only Temporal rejects an update by a failure (`refuse`,
 * `refuseWith`).
 */

/**
 * Returns the failure that refuses an update.
 * @param type one of RUN_REFUSALS
 * @param reference path of the field at fault
 */
export function refuse(type: string, message: string, reference?: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, type, ...(reference === undefined ? [] : [{ reference }]));
}

/** @throws ApplicationFailure when there is a reason to refuse the update */
export function refuseWith(why: { type: string; message: string } | null): void {
  if (why !== null) throw refuse(why.type, why.message);
}

export type ActivityOutcome<T> =
  | { readonly outcome: 'done'; readonly result: T }
  | { readonly outcome: 'refused'; readonly message: string; readonly details: object | null }
  /** All attempts failed, or the time for them has passed. */
  | { readonly outcome: 'gave_up'; readonly message: string; readonly failsProcess: boolean };

/**
 * Waits for an activity and returns how it ended.
 * @throws the error, when it is a cancellation or a bug
 */
export async function outcomeOf<T>(activity: Promise<OrRefusal<T>>): Promise<ActivityOutcome<T>> {
  try {
    const result = await activity;
    if (isRefusal(result)) {
      const { message, details = null } = result.refusal;
      return { outcome: 'refused', message, details };
    }
    return { outcome: 'done', result };
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    const message = error.cause?.message ?? error.message;
    return { outcome: 'gave_up', message, failsProcess: failsProcess(error) };
  }
}

/** Returns true when an activity has ended the process of its worker each time, so that it is not tried again by itself. */
export function failsProcess(error: unknown): boolean {
  if (!(error instanceof ActivityFailure)) return false;
  return error.cause instanceof ApplicationFailure && error.cause.type === STEP_FAILS_PROCESS;
}

/**
 * Returns the result of an activity that an update waits for.
 * @throws ApplicationFailure that refuses the update, when the activity fails the process of its worker
 */
export async function orRefuse<T>(activity: Promise<T>): Promise<T> {
  return await activity.catch((error: unknown) => {
    throw failsProcess(error) ? refuse(RUN_REFUSALS.conflict, (error as ActivityFailure).cause!.message) : error;
  });
}

export function isRefusal<T>(result: OrRefusal<T>): result is { readonly refusal: ActivityRefusal } {
  return typeof result === 'object' && result !== null && 'refusal' in result;
}
