import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';

/** Expected refusals are results of activities. Only transient failures are thrown, because Temporal retries them. */

/** An activity's result, or the reason why a partner, carrier or file host refuses for good. */
export type OrRefusal<T> = T | { readonly refusal: ActivityRefusal };

export interface ActivityRefusal {
  readonly message: string;
  readonly details?: object;
}

/** Arguments of an activity that can refuse. */
export interface RefusableCall {
  /** Absent in calls of versions before 2026-11-22, whose workflows expect a failure instead of a result. */
  readonly refusalsAsResults?: true;
}

/** @throws ApplicationFailure of this type, for a workflow of an older version */
export function refused(
  call: RefusableCall,
  type: string,
  refusal: ActivityRefusal,
): { readonly refusal: ActivityRefusal } {
  if (call.refusalsAsResults) return { refusal };
  const { message, details } = refusal;
  throw ApplicationFailure.create({
    message,
    type,
    nonRetryable: true,
    category: ApplicationFailureCategory.BENIGN,
    ...(details === undefined ? {} : { details: [details] }),
  });
}

/** Returns a transient failure. The activity is retried by its retry policy, or after the time that the other side names. */
export function transient(
  message: string,
  type: string,
  retryAfterMs: number | null | undefined,
): ApplicationFailure {
  return ApplicationFailure.create({
    message,
    type,
    category: ApplicationFailureCategory.BENIGN,
    ...(retryAfterMs == null ? {} : { nextRetryDelay: retryAfterMs }),
  });
}
