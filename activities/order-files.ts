import { Context } from '@temporalio/activity';
import { fetchOrderFiles, type OrderFilesDeps } from '../src/orders/preparation/order-files';
import type { Logger } from '../src/platform/logging';
import { logOf, type RunIds } from './order-ids';
import { type OrRefusal, type RefusableCall, refused, transient } from './refusals';

/** Back-off between attempts to fetch print files, in milliseconds. Doubles from the first to the longest. */
const FIRST_PAUSE = 2_000;
const LONGEST_PAUSE = 300_000;
/** Shortest time-out of an attempt, also when the window has closed while no worker was running. */
const SHORTEST_ATTEMPT = 30_000;

/** Returns the present attempt. Heartbeats carry the start of the first attempt to the next ones. */
function fileAttempt(windowMs: number) {
  const { info, cancellationSignal, heartbeat } = Context.current();
  const since = (info.heartbeatDetails as { since: number } | undefined)?.since ?? Date.now();
  heartbeat({ since });
  const timer = setInterval(() => heartbeat({ since }), 5_000);
  return {
    signal: cancellationSignal,
    attempt: info.attempt,
    /** Milliseconds until the window closes. */
    left: () => since + windowMs - Date.now(),
    stop: () => clearInterval(timer),
  };
}

/** The activity of the order workflow that fetches files. */
export function createOrderFileActivities(deps: OrderFilesDeps & { readonly log: Logger }) {
  return {
    /**
     * Fetches print files and packing slips. Transient failures are retried within the window. It starts with the first
     * attempt, so that a backlog or a missing worker refuses no order.
     * @param fetching.windowMs how long transient failures are retried, in milliseconds
     * @returns the refusal of a file, whose details have its `code`
     * @throws ApplicationFailure `FileUnreachable` for a transient failure
     */
    async fetchOrderFiles(
      fetching: RunIds & RefusableCall & { readonly windowMs: number },
    ): Promise<OrRefusal<void>> {
      const { signal, left, attempt, stop } = fileAttempt(fetching.windowMs);
      try {
        const timeoutMs = Math.max(left(), Math.min(fetching.windowMs, SHORTEST_ATTEMPT));
        const fault = await fetchOrderFiles(deps, fetching.orderId, { signal, timeoutMs });
        if (fault === null) return;
        const { code, file, message } = fault;
        logOf(deps, fetching).info(
          { code, fileType: file.type, transient: fault.transient, error: fault.error },
          'print file not stored',
        );
        if (!fault.transient || left() <= 0)
          return refused(fetching, 'FileRefused', { message, details: { code, ...file } });
        const pause = Math.min(FIRST_PAUSE * 2 ** (attempt - 1), LONGEST_PAUSE);
        throw transient(message, 'FileUnreachable', Math.min(fault.retryAfterMs ?? pause, left()));
      } finally {
        stop();
      }
    },
  };
}
