import { Context } from '@temporalio/activity';
import { preparedBy } from '../src/orders/domain/lifecycle/run-events';
import type { RecordKey, ReservedStep } from '../src/orders/domain/run/run-record';
import { expectFindings, fetchOrderFiles, type OrderFilesDeps } from '../src/orders/preparation/order-files';
import type { PreparationPlan } from '../src/orders/preparation/plan-refusals';
import { type PlanRecorder, type PreparationDeps, prepareOrder } from '../src/orders/preparation/prepare-order';
import type { DeliveryDeps } from '../src/orders/print-orders/delivery';
import type { RecordWriter } from '../src/orders/run/record-writer';
import type { Logger } from '../src/platform/logging/logging';
import type { Sql } from '../src/platform/postgres';
import { deliverFirst, type FirstDelivery } from './first-delivery';
import { attemptOf, carry } from './interceptors/attempts';
import { logOf, type RunIds } from './order-ids';
import { type OrRefusal, refused, transient } from './refusals';

/** Back-off between attempts to fetch print files, in milliseconds. Doubles from the first to the longest. */
const FIRST_PAUSE = 2_000;
const LONGEST_PAUSE = 300_000;
/** Shortest timeout of an attempt, also when the window has closed while no worker was running. */
const SHORTEST_ATTEMPT = 30_000;

const FETCHING = { type: 'fetching_files' } as const;

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
    /** Milliseconds until the window closes. */
    left: () => since + windowMs - Date.now(),
    stop: () => clearInterval(timer),
  };
}

/**
 * What the activity returns when it has also planned the order.
 * @property recorded key of the record that was written with the plan
 * @property delivery how the first attempt to deliver the only print order ended. Absent: the activity made none
 */
export interface FilesAndPlan {
  readonly plan?: PreparationPlan;
  readonly recorded?: RecordKey | undefined;
  readonly delivery?: FirstDelivery | undefined;
}

/**
 * The steps that an order run leaves to `fetchOrderFiles`.
 * @property fetching the status `uploading`. Null when the order had it before
 */
export interface PreparationSteps {
  readonly fetching: ReservedStep | null;
  readonly plan: ReservedStep;
}

/** The activity of the order workflow that fetches files, plans the order, and delivers its print order for the first time. */
export function createOrderFileActivities(
  deps: OrderFilesDeps & PreparationDeps & DeliveryDeps & { readonly localSql: Sql; readonly log: Logger },
  records: RecordWriter,
) {
  expectFindings(deps.metrics);
  /** Plans the order. Returns nothing after an error: the order run then plans in an activity of its own. */
  async function plan(ids: RunIds, reserved: ReservedStep | undefined): Promise<FilesAndPlan> {
    let recorded: RecordKey | undefined;
    try {
      const record: PlanRecorder = async (tx, planned) => {
        recorded = reserved && (await records.writeResult(tx, reserved, preparedBy(planned)));
      };
      const plan = await prepareOrder(deps, ids.orderId, record);
      logOf(deps, ids).info({ outcome: plan.outcome }, 'order prepared');
      const delivery = recorded && plan.outcome === 'planned' ? await deliverFirst(deps, ids, plan) : undefined;
      return { plan, recorded, delivery };
    } catch (err) {
      logOf(deps, ids).warn({ err }, 'order not planned with its files');
      return {};
    }
  }

  return {
    /**
     * Fetches print files and packing slips, plans the order, and makes the first attempt to deliver its print order. Transient
     * failures of files are retried within the window. It starts with the first attempt, so that a backlog or a missing
     * worker refuses no order.
     * @param fetching.windowMs how long transient failures are retried, in milliseconds
     * @param fetching.reserved the steps whose records the activity writes. Absent: the order run records the results
     * @returns the refusal of a file, whose details have its `code`
     * @throws ApplicationFailure `FileUnreachable` for a transient failure
     */
    async fetchOrderFiles(
      fetching: RunIds & { readonly windowMs: number; readonly reserved?: PreparationSteps },
    ): Promise<OrRefusal<FilesAndPlan>> {
      const { reserved } = fetching;
      const { signal, left, attempt, beat, stop } = fileAttempt(fetching.windowMs);
      try {
        if (reserved?.fetching != null) await records.writeResult(deps.localSql, reserved.fetching, FETCHING);
        const timeoutMs = Math.max(left(), Math.min(fetching.windowMs, SHORTEST_ATTEMPT));
        const fault = await fetchOrderFiles(deps, fetching.orderId, { signal, timeoutMs });
        if (fault === null) return await plan(fetching, reserved?.plan);
        const { code, file, message } = fault;
        logOf(deps, fetching).info(
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
