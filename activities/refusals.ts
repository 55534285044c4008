import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';

/** Expected refusals are results of activities. Only transient failures are thrown, because Temporal retries them. */

/** An activity's result, or the reason why a partner, carrier or file host refuses for good. */
export type OrRefusal<T> = T | { readonly refusal: ActivityRefusal };

export interface ActivityRefusal {
  readonly message: string;
  readonly details?: object;
}

export function refused(refusal: ActivityRefusal): { readonly refusal: ActivityRefusal } {
  return { refusal };
}

/** Returns a transient failure. The activity is retried by its retry policy, or after the time that the other side names. */
export function transient(message: string, type: string, retryAfterMs: number | null | undefined): ApplicationFailure {
  return ApplicationFailure.create({
    message,
    type,
    category: ApplicationFailureCategory.BENIGN,
    ...(retryAfterMs == null ? {} : { nextRetryDelay: retryAfterMs }),
  });
}
