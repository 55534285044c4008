import { Context } from '@temporalio/activity';
import type { DispatchRequest } from '../src/orders/domain/run/run-messages';
import type { RecordOutcome, RunRecord } from '../src/orders/domain/run/run-record';
import { recordFileDelay } from '../src/orders/planning/file-delays';
import { expectFindings, fetchOrderFiles, type OrderFilesDeps } from '../src/orders/planning/order-files';
import type { PreparationPlan } from '../src/orders/planning/plan-refusals';
import { type PreparationDeps, prepareOrder } from '../src/orders/planning/prepare-order';
import { replanShipments } from '../src/orders/planning/shipment-rest';
import type { VatCheckDeps } from '../src/orders/planning/vat-check';
import { cancelAtPartner, withdrawPrintJobs } from '../src/orders/production/cancel-requests';
import { type DeliveryDeps, deliverPrintOrder } from '../src/orders/production/delivery';
import { type DispatchOrder, dispatchPrintOrder } from '../src/orders/production/dispatch';
import { deliverOrderUpdate, type OrderUpdate, repeatOrderUpdate } from '../src/orders/production/order-updates';
import { writeEffects } from '../src/orders/production/record-effects';
import { planReroute, type ReroutePlanRequest } from '../src/orders/production/reroute-plan';
import { applyShippingChange } from '../src/orders/production/shipping-changes';
import { createRecordWriter } from '../src/orders/run/record-writer';
import { createRunObserver } from '../src/orders/run/run-metrics';
import { isTrackingFollowed } from '../src/orders/run/tracking';
import type { PartnerResponse } from '../src/partners/calls';
import type { Logger } from '../src/platform/logging/logging';
import type { Sql } from '../src/platform/postgres';
import { ShareTaken } from '../src/platform/temporal/slot-shares';
import { voidShipment } from '../src/shipping/label-voids';
import type { PurchaseDeps } from '../src/shipping/purchase';
import { callingCarrier } from './carrier-calls';
import { attemptOf, carry } from './interceptors/attempts';
import { type OrRefusal, refused, transient } from './refusals';

/** The order of a run and the request that submitted it, for log lines. */
export interface RunIds {
  readonly orderId: string;
  readonly requestId: string;
}

export interface OrderRunDeps extends PreparationDeps, VatCheckDeps, OrderFilesDeps, PurchaseDeps, DeliveryDeps {
  /** Connections for records, one for each local activity that can run. Statements have a short timeout. */
  readonly localSql: Sql;
  readonly log: Logger;
}

type LogDeps = Pick<OrderRunDeps, 'log'>;

const logOf = ({ log }: LogDeps, { orderId, requestId }: RunIds): Logger => log.child({ orderId, requestId });

/** Activities of the order workflow. Each can be retried any number of times. */
export function createOrderRunActivities(deps: OrderRunDeps) {
  expectFindings(deps.metrics);
  return {
    recordRun: createRecording(deps),

    checkTracking: async ({ orderId }: RunIds): Promise<{ readonly followed: boolean }> => ({
      followed: await isTrackingFollowed(deps.localSql, orderId),
    }),

    fetchOrderFiles: (fetching: FilesRequest) => fetchFilesAndPlan(deps, fetching),

    async prepareOrder(ids: RunIds): Promise<PreparationPlan> {
      const plan = await prepareOrder(deps, ids.orderId);
      logOf(deps, ids).info({ outcome: plan.outcome }, 'order prepared');
      return plan;
    },

    applyShippingChange: (change: RunIds & { readonly changeId: string }) => applyShippingChange(deps, change),

    planReroute: (request: RunIds & ReroutePlanRequest) => planReroute(deps, request),

    /** Plans the shipments of print orders again, for the units that they have left. */
    replanShipments: (request: RunIds & { readonly printOrderIds: readonly string[]; readonly refunds?: true }) =>
      replanShipments(deps, request),

    /** @returns true for jobs that no partner has got, nor will get */
    withdrawPrintJobs: (request: RunIds & Parameters<typeof withdrawPrintJobs>[1]) => withdrawPrintJobs(deps, request),

    ...createOrderPartnerActivities(deps),

    /** Buys the labels of a print order and makes its documents. @returns the shipment, or the carrier's refusal */
    async dispatchPrintOrder(
      call: RunIds & DispatchOrder & Pick<DispatchRequest, 'inBackground'>,
    ): Promise<OrRefusal<{ readonly shipmentId: string }>> {
      const bought = await callingCarrier(
        (cancelled) => dispatchPrintOrder(deps, call, cancelled),
        DISPATCH_RETRIES_MS[call.inBackground ? 'inBackground' : 'awaited'],
      );
      if (!bought.ok) {
        const { code, message, detail } = bought.refusal;
        return refused({ message, details: { code, message: detail ?? message } });
      }
      const { shipmentId } = bought;
      logOf(deps, call).info({ printOrderId: call.printOrderId, shipmentId }, 'labels bought');
      return { shipmentId };
    },

    /** Voids the labels of a shipment. @returns the carrier's refusal */
    async voidOrderShipment(
      call: RunIds & { readonly printOrderId: string; readonly shipmentId: string },
    ): Promise<OrRefusal<void>> {
      const { printOrderId, shipmentId } = call;
      const voided = await callingCarrier((cancelled) => voidShipment(deps, { shipmentId }, cancelled));
      if (!voided.ok) return refused({ message: voided.reason });
      logOf(deps, call).info({ printOrderId, shipmentId }, 'labels voided');
    },
  };
}

export type OrderRunActivities = ReturnType<typeof createOrderRunActivities>;

/**
 * Time from the request for which a carrier that does not respond is called again. It is short where the partner waits for its
 * labels. In the background, hundreds of labels and a lost worker take longer.
 */
const DISPATCH_RETRIES_MS = { awaited: 2 * 60_000, inBackground: 15 * 60_000 };

/** Returns the activity that writes the record of a step. */
function createRecording({ localSql, log, metrics }: OrderRunDeps) {
  const write = createRecordWriter(writeEffects, createRunObserver(metrics), log);
  return async (record: RunRecord): Promise<RecordOutcome> => {
    const outcome = await write(localSql, record);
    if (outcome === 'skipped') {
      const { orderId, runId, position, version } = record;
      log.warn({ orderId, runId, position, version }, 'record of an order run skipped: the order has a later record');
    }
    return outcome;
  };
}

/** Back-off between attempts to fetch print files, in milliseconds. Doubles from the first to the longest. */
const FIRST_PAUSE = 2_000;
const LONGEST_PAUSE = 300_000;
/** Shortest timeout of an attempt, also when the window has closed while no worker was running. */
const SHORTEST_ATTEMPT = 30_000;

interface FilesRequest extends RunIds {
  /** How long transient failures are retried, in milliseconds. */
  readonly windowMs: number;
}

/**
 * Fetches print files and packing slips, then plans the order. Transient failures of files are retried within the window. It
 * starts with the first attempt, so that a backlog or a missing worker refuses no order.
 * @returns the plan, null when it failed: `prepareOrder` plans then. Or the refusal of a file, whose details have its `code`
 * @throws ApplicationFailure `FileUnreachable` for a transient failure
 */
async function fetchFilesAndPlan(
  deps: OrderFilesDeps & PreparationDeps & VatCheckDeps & LogDeps,
  fetching: FilesRequest,
): Promise<OrRefusal<{ readonly plan: PreparationPlan | null }>> {
  const { orderId, windowMs } = fetching;
  const log = logOf(deps, fetching);
  const { info, cancellationSignal: signal } = Context.current();
  // Heartbeats carry the start of the first attempt to the next ones: while it is made, and with its failure. Temporal writes each
  // to its store, so an attempt that succeeds at once sends none.
  const { since = Date.now() } = (info.heartbeatDetails ?? {}) as { since?: number };
  const left = () => since + windowMs - Date.now();
  const timer = setInterval(() => carry({ since }), 5_000);
  try {
    const timeoutMs = Math.max(left(), Math.min(windowMs, SHORTEST_ATTEMPT));
    const fault = await fetchOrderFiles(deps, orderId, { signal, timeoutMs });
    if (fault === null) {
      const plan = await prepareOrder(deps, orderId).catch((err: unknown) => {
        log.warn({ err }, 'order not planned with its files');
        return null;
      });
      if (plan !== null) log.info({ outcome: plan.outcome }, 'order prepared');
      return { plan };
    }
    const { code, file, message, error } = fault;
    log.info({ code, fileType: file.type, transient: fault.transient, error }, 'print file not stored');
    const isOver = left() <= 0 && fault.isOurs !== true;
    if (!fault.transient || isOver) return refused({ message, details: { code, ...file } });
    const pause = Math.min(FIRST_PAUSE * 2 ** (attemptOf(info) - 1), LONGEST_PAUSE);
    const delay = Math.min(fault.retryAfterMs ?? pause, Math.max(left(), FIRST_PAUSE));
    const nextAttemptAt = new Date(Date.now() + delay).toISOString();
    await recordFileDelay(deps.sql, orderId, since, { message, attempts: attemptOf(info), nextAttemptAt });
    if (fault.isOurs) throw new ShareTaken(message, delay);
    throw transient(message, 'FileUnreachable', delay);
  } catch (error) {
    carry({ since });
    throw error;
  } finally {
    clearInterval(timer);
  }
}

type Retry = Extract<PartnerResponse, { outcome: 'retry' }>;

interface Undelivered {
  readonly outcome: 'refused' | 'unbuildable';
  readonly message: string;
}

/** A delivery that failed for good. The details tell the order run that no partner has refused it. */
const undelivered = ({ outcome, message }: Undelivered) =>
  refused(outcome === 'refused' ? { message } : { message, details: { outcome } });

/** The activities that send messages to partners. */
export function createOrderPartnerActivities(deps: DeliveryDeps & LogDeps) {
  /**
   * Logs a partner's response, as an error when no message could be made, and returns it.
   * @param what the message of the log line
   * @throws ApplicationFailure `PartnerUnreachable` for a transient failure
   */
  function logged<Response extends { readonly outcome: string }>(
    call: RunIds & { readonly printOrderId: string } & Partial<OrderUpdate>,
    response: Response | Retry,
    what: string,
  ): Exclude<Response, Retry> {
    const { printOrderId, shippingRevision, wanted } = call;
    const fields = { printOrderId, shippingRevision, wanted, outcome: response.outcome };
    if ('error' in response) logOf(deps, call).error({ ...fields, err: response.error }, what);
    else logOf(deps, call).info(fields, what);
    if (response.outcome !== 'retry') return response as Exclude<Response, Retry>;
    const { message, retryAfterMs } = response as Retry;
    throw transient(message, 'PartnerUnreachable', retryAfterMs);
  }

  return {
    /**
     * Delivers a print order to its partner. A repeated delivery is followed by the latest order update.
     * @returns the partner's refusal
     */
    async deliverPrintOrder(call: RunIds & { readonly printOrderId: string }): Promise<OrRefusal<void>> {
      const { printOrderId } = call;
      const response = logged(call, await deliverPrintOrder(deps, printOrderId), 'print order delivery');
      if (response.outcome !== 'accepted') return undelivered(response);
      if (response.repeatsUpdate == null) return;
      // One attempt: the partner has accepted this update before.
      const { repeatsUpdate: revision } = response;
      const { outcome } = await repeatOrderUpdate(deps, { printOrderId, revision });
      logOf(deps, call).info({ printOrderId, revision, outcome }, 'order update repeated');
    },

    /** Delivers an order update after a change. @returns the outcome, or the partner's refusal */
    async deliverOrderUpdate(
      call: RunIds & OrderUpdate,
    ): Promise<
      OrRefusal<
        | { readonly outcome: 'accepted'; readonly messageRevision: number }
        | { readonly outcome: 'not_needed' }
        | { readonly outcome: 'no_address'; readonly message: string }
      >
    > {
      const response = logged(call, await deliverOrderUpdate(deps, call), 'order update delivery');
      if (response.outcome === 'refused' || response.outcome === 'unbuildable') return undelivered(response);
      if (response.outcome !== 'accepted') return response;
      return { outcome: 'accepted', messageRevision: response.revision };
    },

    cancelAtPartner: async (call: RunIds & Parameters<typeof cancelAtPartner>[1]) =>
      logged(call, await cancelAtPartner(deps, call), 'cancellation requested from partner'),
  };
}
