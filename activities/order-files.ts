import { Context } from '@temporalio/activity';
import { expectFindings, fetchOrderFiles, type OrderFilesDeps } from '../src/orders/planning/order-files';
import type { PreparationPlan } from '../src/orders/planning/plan-refusals';
import { type PreparationDeps, prepareOrder } from '../src/orders/planning/prepare-order';
import type { Logger } from '../src/platform/logging/logging';
import { attemptOf, carry } from './interceptors/attempts';
import { logOf, type RunIds } from './order-ids';
import { type OrRefusal, refused, transient } from './refusals';

/** Back-off between attempts to fetch print files, in milliseconds. Doubles from the first to the longest. */
const FIRST_PAUSE = 2_000;
const LONGEST_PAUSE = 300_000;
/** Shortest timeout of an attempt, also when the window has closed while no worker was running. */
const SHORTEST_ATTEMPT = 30_000;

/**
 * Returns the current attempt. Heartbeats carry the start of the first attempt to the next ones: while it is made, and with its
 * failure. Temporal writes each to its store, so an attempt that succeeds at once sends none.
 */
function fileAttempt(windowMs: number) {
  const { info, cancellationSignal } = Context.current();
  const { since = Date.now() } = (info.heartbeatDetails ?? {}) as { since?: number };
  const beat = () => carry({ since });
  const timer = setInterval(beat, 5_000);
  return {
    beat,
    signal: cancellationSignal,
    attempt: attemptOf(info),
    left: () => since + windowMs - Date.now(),
    stop: () => clearInterval(timer),
  };
}

export function createOrderFileActivities(deps: OrderFilesDeps & PreparationDeps & { readonly log: Logger }) {
  expectFindings(deps.metrics);
  return {
    /**
     * Fetches print files and packing slips, then plans the order. Transient failures of files are retried within the window. It
     * starts with the first attempt, so that a backlog or a missing worker refuses no order.
     * @param fetching.windowMs how long transient failures are retried, in milliseconds
     * @returns the plan, null when it failed: `prepareOrder` plans then. Or the refusal of a file, whose details have its `code`
     * @throws ApplicationFailure `FileUnreachable` for a transient failure
     */
    async fetchOrderFiles(
      fetching: RunIds & { readonly windowMs: number },
    ): Promise<OrRefusal<{ readonly plan: PreparationPlan | null }>> {
      const log = logOf(deps, fetching);
      const { signal, left, attempt, beat, stop } = fileAttempt(fetching.windowMs);
      try {
        const timeoutMs = Math.max(left(), Math.min(fetching.windowMs, SHORTEST_ATTEMPT));
        const fault = await fetchOrderFiles(deps, fetching.orderId, { signal, timeoutMs });
        if (fault === null) {
          const plan = await prepareOrder(deps, fetching.orderId).catch((err: unknown) => {
            log.warn({ err }, 'order not planned with its files');
            return null;
          });
          if (plan !== null) log.info({ outcome: plan.outcome }, 'order prepared');
          return { plan };
        }
        const { code, file, message } = fault;
        log.info(
          { code, fileType: file.type, transient: fault.transient, error: fault.error },
          'print file not stored',
        );
        const isOver = left() <= 0 && fault.isOurs !== true;
        if (!fault.transient || isOver) return refused({ message, details: { code, ...file } });
        const pause = Math.min(FIRST_PAUSE * 2 ** (attempt - 1), LONGEST_PAUSE);
        throw transient(
          message,
          'FileUnreachable',
          Math.min(fault.retryAfterMs ?? pause, Math.max(left(), FIRST_PAUSE)),
        );
      } catch (error) {
        beat();
        throw error;
      } finally {
        stop();
      }
    },
  };
}
