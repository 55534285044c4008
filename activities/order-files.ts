import { Context } from '@temporalio/activity';
import { preparedBy } from '../src/orders/domain/lifecycle/run-events';
import { type Recording, recordingAfter } from '../src/orders/domain/run/recording';
import type { RecordStep } from '../src/orders/domain/run/run-messages';
import { fetchOrderFiles, type OrderFilesDeps } from '../src/orders/preparation/order-files';
import type { PreparationPlan } from '../src/orders/preparation/plan-refusals';
import { type PreparationDeps, prepareOrder } from '../src/orders/preparation/prepare-order';
import type { EventRecorder } from '../src/orders/run/event-recorder';
import type { Logger } from '../src/platform/logging';
import { attemptOf, carry } from './attempts';
import { logOf, type RunIds } from './order-ids';
import { type OrRefusal, refused, transient } from './refusals';

/** Back-off between attempts to fetch print files, in milliseconds. Doubles from the first to the longest. */
const FIRST_PAUSE = 2_000;
const LONGEST_PAUSE = 300_000;
/** Shortest time-out of an attempt, also when the window has closed while no worker was running. */
const SHORTEST_ATTEMPT = 30_000;

const FETCHING = { type: 'fetching_files' } as const;

/** Returns the present attempt. Heartbeats carry the start of the first attempt to the next ones. */
function fileAttempt(windowMs: number) {
  const { info, cancellationSignal } = Context.current();
  const { since = Date.now() } = (info.heartbeatDetails ?? {}) as { since?: number };
  const beat = () => carry({ since });
  beat();
  const timer = setInterval(beat, 5_000);
  return {
    signal: cancellationSignal,
    attempt: attemptOf(info),
    /** Milliseconds until the window closes. */
    left: () => since + windowMs - Date.now(),
    stop: () => clearInterval(timer),
  };
}

/**
 * What the activity returns when it has also planned the order.
 * @property recorded the record that was written with the plan
 */
export interface FilesAndPlan {
  readonly plan?: PreparationPlan;
  readonly recorded?: RecordStep | undefined;
}

/** The activity of the order workflow that fetches files and plans the order. */
export function createOrderFileActivities(
  deps: OrderFilesDeps & PreparationDeps & { readonly log: Logger },
  recordEvent: EventRecorder,
) {
  /** Plans the order. Returns nothing after an error: the order run then plans in an activity of its own. */
  async function plan(ids: RunIds, recording: Recording): Promise<FilesAndPlan> {
    let recorded: RecordStep | undefined;
    try {
      const plan = await prepareOrder(deps, ids.orderId, async (tx, planned) => {
        recorded = await recordEvent(tx, recording, preparedBy(planned));
      });
      logOf(deps, ids).info({ outcome: plan.outcome }, 'order prepared');
      return { plan, recorded };
    } catch (err) {
      logOf(deps, ids).warn({ err }, 'order not planned with its files');
      return {};
    }
  }

  return {
    /**
     * Fetches print files and packing slips. Transient failures are retried within the window. It starts with the first
     * attempt, so that a backlog or a missing worker refuses no order.
     * @param fetching.windowMs how long transient failures are retried, in milliseconds
     * @param fetching.recording records the status `uploading`, the plan and its statuses. Absent in calls of older versions,
     *   which plan in an activity of its own
     * @returns the refusal of a file, whose details have its `code`
     * @throws ApplicationFailure `FileUnreachable` for a transient failure
     */
    async fetchOrderFiles(
      fetching: RunIds & { readonly windowMs: number; readonly recording?: Recording },
    ): Promise<OrRefusal<FilesAndPlan | undefined>> {
      const { recording } = fetching;
      const { signal, left, attempt, stop } = fileAttempt(fetching.windowMs);
      try {
        if (recording !== undefined) await recordEvent(deps.sql, recording, FETCHING);
        const timeoutMs = Math.max(left(), Math.min(fetching.windowMs, SHORTEST_ATTEMPT));
        const fault = await fetchOrderFiles(deps, fetching.orderId, { signal, timeoutMs });
        if (fault === null) return recording && (await plan(fetching, recordingAfter(recording, FETCHING)));
        const { code, file, message } = fault;
        logOf(deps, fetching).info(
          { code, fileType: file.type, transient: fault.transient, error: fault.error },
          'print file not stored',
        );
        if (!fault.transient || left() <= 0) return refused({ message, details: { code, ...file } });
        const pause = Math.min(FIRST_PAUSE * 2 ** (attempt - 1), LONGEST_PAUSE);
        throw transient(message, 'FileUnreachable', Math.min(fault.retryAfterMs ?? pause, left()));
      } finally {
        stop();
      }
    },
  };
}
