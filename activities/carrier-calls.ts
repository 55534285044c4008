import { activityInfo, cancellationSignal } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { CarrierUnavailable } from '../src/carriers/carrier';
import { withHeartbeat } from './heartbeats';
import { carriedDetails } from './interceptors/attempts';

/**
 * Runs work that calls a carrier. Heartbeats, one after each call, let Temporal notice a worker that has died, and tell
 * the activity that it was cancelled or has timed out: the signal then aborts. A carrier without a usable response is
 * an expected failure, which Temporal retries.
 * @param retriesMs time after the first attempt was scheduled from which a failure is not retried. Default: no limit
 */
export async function callingCarrier<T>(
  work: (cancelled: AbortSignal) => Promise<T>,
  retriesMs = Number.POSITIVE_INFINITY,
): Promise<T> {
  try {
    // A heartbeat keeps what earlier attempts have left for later ones.
    return await withHeartbeat(() => work(cancellationSignal()), carriedDetails);
  } catch (error) {
    if (!(error instanceof CarrierUnavailable)) throw error;
    throw ApplicationFailure.create({
      message: error.message,
      type: error.name,
      category: ApplicationFailureCategory.BENIGN,
      nonRetryable: Date.now() - activityInfo().scheduledTimestampMs > retriesMs,
    });
  }
}
