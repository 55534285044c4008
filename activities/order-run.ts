import { Context } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { type DispatchOrder, dispatchPrintOrder } from '../src/orders/dispatch/dispatch';
import { applyShippingChange } from '../src/orders/dispatch/shipping-changes';
import type { RunRecord } from '../src/orders/domain/run/run-messages';
import { RUN_REFUSALS } from '../src/orders/domain/run/run-messages';
import { fetchOrderFiles, type OrderFilesDeps } from '../src/orders/preparation/order-files';
import { type PreparationDeps, prepareOrder } from '../src/orders/preparation/prepare-order';
import { cancelAtPartner } from '../src/orders/print-orders/cancellation';
import { deliverPrintOrder } from '../src/orders/print-orders/delivery';
import { deliverOrderUpdate, type OrderUpdate } from '../src/orders/print-orders/order-updates';
import { planReplacement, type ReplacementRequest } from '../src/orders/print-orders/replacement';
import { recordRun } from '../src/orders/run/record';
import { isTrackingFollowed } from '../src/orders/run/tracking';
import type { SafeClient } from '../src/platform/http/safe-client';
import type { Logger } from '../src/platform/logging';
import type { LinkSigner } from '../src/platform/objects/signed-links';
import { type PurchaseDeps, voidShipment } from '../src/shipping/purchase';

export interface OrderRunDeps extends PreparationDeps, OrderFilesDeps, PurchaseDeps {
  readonly client: SafeClient;
  readonly links: LinkSigner;
  readonly log: Logger;
}

/** The order of the run and the request that submitted it, for log lines. */
interface RunIds {
  readonly orderId: string;
  readonly requestId: string;
}

/** Arguments of an activity that can refuse. Workflows of versions before 2026-11-22 expect a failure instead of a result. */
interface RefusableCall extends RunIds {
  readonly refusalsAsResults?: true;
}

/** An activity's result, or the reason why a partner, carrier or file host refuses for good. */
export type OrRefusal<T> = T | { readonly refusal: ActivityRefusal };

export interface ActivityRefusal {
  readonly message: string;
  readonly details?: object;
}

/** @throws ApplicationFailure of this type, for a workflow of an older version */
function refused(
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
function transient(
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

/** Back-off between attempts to fetch print files, in milliseconds. Doubles from the first to the longest. */
const FIRST_FILE_PAUSE = 2_000;
const LONGEST_FILE_PAUSE = 300_000;
/** Shortest time-out of an attempt, also when the window has closed while no worker was running. */
const SHORTEST_FILE_ATTEMPT = 30_000;

/** Returns the present attempt to fetch files. Heartbeats carry the start of the first attempt to the next ones. */
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

/** Activities of the order workflow. Each can be retried any number of times. */
export function createOrderRunActivities(deps: OrderRunDeps) {
  const logOf = ({ orderId, requestId }: RunIds) => deps.log.child({ orderId, requestId });

  return {
    /**
     * Fetches print files and packing slips. Transient failures are retried within the window. It starts with the first
     * attempt, so that a backlog or a missing worker refuses no order.
     * @param fetching.windowMs how long transient failures are retried, in milliseconds
     * @returns the refusal of a file, whose details have its `code`
     * @throws ApplicationFailure `FileUnreachable` for a transient failure
     */
    async fetchOrderFiles(fetching: RefusableCall & { readonly windowMs: number }): Promise<OrRefusal<void>> {
      const { signal, left, attempt, stop } = fileAttempt(fetching.windowMs);
      try {
        const timeoutMs = Math.max(left(), Math.min(fetching.windowMs, SHORTEST_FILE_ATTEMPT));
        const fault = await fetchOrderFiles(deps, fetching.orderId, { signal, timeoutMs });
        if (fault === null) return;
        const { code, file, message } = fault;
        logOf(fetching).info(
          { code, fileType: file.type, transient: fault.transient },
          'print file not stored',
        );
        if (!fault.transient || left() <= 0)
          return refused(fetching, 'FileRefused', { message, details: { code, ...file } });
        const pause = Math.min(FIRST_FILE_PAUSE * 2 ** (attempt - 1), LONGEST_FILE_PAUSE);
        throw transient(message, 'FileUnreachable', Math.min(fault.retryAfterMs ?? pause, left()));
      } finally {
        stop();
      }
    },

    async prepareOrder(ids: RunIds) {
      const plan = await prepareOrder(deps, ids.orderId);
      logOf(ids).info({ outcome: plan.outcome }, 'order prepared');
      return plan;
    },

    async recordRun(record: RunRecord): Promise<void> {
      await recordRun(deps.sql, record);
    },

    async applyShippingChange(change: RunIds & { readonly changeId: string }) {
      return await applyShippingChange(deps, change);
    },

    async planReplacement(request: RunIds & ReplacementRequest) {
      return await planReplacement(deps, request);
    },

    /**
     * Delivers a print order to its partner.
     * @returns the partner's refusal
     * @throws ApplicationFailure `PartnerUnreachable` for a transient failure
     */
    async deliverPrintOrder(
      call: RefusableCall & { readonly printOrderId: string },
    ): Promise<OrRefusal<void>> {
      const answer = await deliverPrintOrder(deps, call.printOrderId);
      logOf(call).info({ printOrderId: call.printOrderId, outcome: answer.outcome }, 'print order delivery');
      switch (answer.outcome) {
        case 'accepted':
          return;
        case 'refused':
          return refused(call, 'PrintOrderRefused', { message: answer.message });
        case 'retry':
          throw transient(answer.message, 'PartnerUnreachable', answer.retryAfterMs);
      }
    },

    /**
     * Delivers an order update after a change of address or method.
     * @returns the outcome, or the partner's refusal
     * @throws ApplicationFailure `PartnerUnreachable` for a transient failure
     */
    async deliverOrderUpdate(
      call: RefusableCall & OrderUpdate,
    ): Promise<
      OrRefusal<
        | { readonly outcome: 'accepted' | 'not_needed' }
        | { readonly outcome: 'no_address'; readonly message: string }
      >
    > {
      const { printOrderId, shippingRevision } = call;
      const answer = await deliverOrderUpdate(deps, { printOrderId, shippingRevision });
      logOf(call).info({ printOrderId, shippingRevision, outcome: answer.outcome }, 'order update delivery');
      switch (answer.outcome) {
        case 'accepted':
          return { outcome: 'accepted' };
        case 'refused':
          return refused(call, 'OrderUpdateRefused', { message: answer.message });
        case 'retry':
          throw transient(answer.message, 'PartnerUnreachable', answer.retryAfterMs);
        default:
          return answer;
      }
    },

    /** Asks a partner to cancel print jobs. @throws ApplicationFailure `PartnerUnreachable` for a transient failure */
    async cancelAtPartner(
      request: RunIds & {
        readonly printOrderId: string;
        readonly jobIds: readonly string[];
        readonly reason: string;
      },
    ) {
      const answer = await cancelAtPartner(deps, request);
      logOf(request).info(
        { printOrderId: request.printOrderId, outcome: answer.outcome },
        'cancellation requested from partner',
      );
      if (answer.outcome === 'retry')
        throw transient(answer.message, 'PartnerUnreachable', answer.retryAfterMs);
      return answer;
    },

    /** Returns whether a carrier follows a parcel of the order. */
    async checkTracking({ orderId }: RunIds): Promise<{ readonly followed: boolean }> {
      return { followed: await isTrackingFollowed(deps.sql, orderId) };
    },

    /** Buys the labels of a print order and makes its documents. @returns the carrier's refusal */
    async dispatchPrintOrder(
      call: RefusableCall & DispatchOrder,
    ): Promise<OrRefusal<{ readonly shipmentId: string }>> {
      const bought = await dispatchPrintOrder(deps, call);
      if (!bought.ok) {
        const { code, message, detail } = bought.refusal;
        return refused(call, RUN_REFUSALS.carrier, {
          message,
          details: { code, message: detail ?? message },
        });
      }
      const { shipmentId } = bought.shipment;
      logOf(call).info({ printOrderId: call.printOrderId, shipmentId }, 'labels bought');
      return { shipmentId };
    },

    /** Voids the labels of a shipment. @returns the carrier's refusal */
    async voidOrderShipment(
      call: RefusableCall & { readonly printOrderId: string; readonly shipmentId: string },
    ): Promise<OrRefusal<void>> {
      const voided = await voidShipment(deps, { shipmentId: call.shipmentId });
      if (!voided.ok) return refused(call, 'VoidRefused', { message: voided.reason });
      logOf(call).info({ printOrderId: call.printOrderId, shipmentId: call.shipmentId }, 'labels voided');
    },
  };
}

export type OrderRunActivities = ReturnType<typeof createOrderRunActivities>;
