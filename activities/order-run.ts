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
import { planReplacement, type ReplacementRequest } from '../src/orders/print-orders/replacement';
import { recordRun } from '../src/orders/run/record';
import type { SafeClient } from '../src/platform/http/safe-client';
import type { Logger } from '../src/platform/logging';
import type { LinkSigner } from '../src/platform/objects/signed-links';
import { type PurchaseDeps, voidShipment } from '../src/shipping/purchase';

export interface OrderRunDeps extends PreparationDeps, OrderFilesDeps, PurchaseDeps {
  readonly client: SafeClient;
  readonly links: LinkSigner;
  readonly log: Logger;
}

/** Whose step it is, in every log line: the run's order, and the request that submitted it. */
interface RunIds {
  readonly orderId: string;
  readonly requestId: string;
}

/** A passing fault: tried again by the activity's retry policy, sooner or later when the other side says so. */
function passing(message: string, type: string, retryAfterMs: number | null | undefined): ApplicationFailure {
  return ApplicationFailure.create({
    message,
    type,
    category: ApplicationFailureCategory.BENIGN,
    ...(retryAfterMs == null ? {} : { nextRetryDelay: retryAfterMs }),
  });
}

/** Pauses between tries for print files, in milliseconds: doubling from the first. */
const FIRST_FILE_PAUSE = 2_000;
const LONGEST_FILE_PAUSE = 300_000;
/** A try has at least this long, also when the window has closed while no worker was there. */
const SHORTEST_FILE_TRY = 30_000;

/** A no that the run deals with: not tried again, and no fault to be alarmed at. */
function refusal(message: string, type: string, detail?: object): ApplicationFailure {
  return ApplicationFailure.create({
    message,
    type,
    nonRetryable: true,
    category: ApplicationFailureCategory.BENIGN,
    ...(detail === undefined ? {} : { details: [detail] }),
  });
}

/** This try of the activity that fetches files: when the first began is told from try to try by heartbeats. */
function fileTry(windowMs: number) {
  const { info, cancellationSignal, heartbeat } = Context.current();
  const since = (info.heartbeatDetails as { since: number } | undefined)?.since ?? Date.now();
  heartbeat({ since });
  const beat = setInterval(() => heartbeat({ since }), 5_000);
  return {
    signal: cancellationSignal,
    attempt: info.attempt,
    /** Milliseconds until the window closes. */
    left: () => since + windowMs - Date.now(),
    stop: () => clearInterval(beat),
  };
}

/** The steps of an order's run. Each may be tried any number of times. */
export function createOrderRunActivities(deps: OrderRunDeps) {
  const logOf = ({ orderId, requestId }: RunIds) => deps.log.child({ orderId, requestId });

  return {
    /**
     * Fetches print files and packing slips. Passing faults are tried again within the window; it begins with the
     * first try, so that a backlog or a missing worker refuses nobody's order.
     * Fails with `FileRefused` for good, with `FileUnreachable` until the next try.
     * @param fetching.windowMs how long passing faults are tried
     */
    async fetchOrderFiles(fetching: RunIds & { readonly windowMs: number }): Promise<void> {
      const { signal, left, attempt, stop } = fileTry(fetching.windowMs);
      try {
        const timeoutMs = Math.max(left(), Math.min(fetching.windowMs, SHORTEST_FILE_TRY));
        const fault = await fetchOrderFiles(deps, fetching.orderId, { signal, timeoutMs });
        if (fault === null) return;
        const { code, file, message } = fault;
        logOf(fetching).info({ code, fileType: file.type, passing: fault.passing }, 'print file not taken');
        if (!fault.passing || left() <= 0) throw refusal(message, 'FileRefused', { code, ...file });
        const pause = Math.min(FIRST_FILE_PAUSE * 2 ** (attempt - 1), LONGEST_FILE_PAUSE);
        throw passing(message, 'FileUnreachable', Math.min(fault.retryAfterMs ?? pause, left()));
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

    /** Fails with `PrintOrderRefused` when the partner says no, `PartnerUnreachable` while it says nothing. */
    async deliverPrintOrder(ids: RunIds & { readonly printOrderId: string }): Promise<void> {
      const answer = await deliverPrintOrder(deps, ids.printOrderId);
      logOf(ids).info({ printOrderId: ids.printOrderId, outcome: answer.outcome }, 'print order delivery');
      switch (answer.outcome) {
        case 'accepted':
          return;
        case 'refused':
          throw refusal(answer.message, 'PrintOrderRefused');
        case 'retry':
          throw passing(answer.message, 'PartnerUnreachable', answer.retryAfterMs);
      }
    },

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
        'cancellation asked of partner',
      );
      if (answer.outcome === 'retry')
        throw passing(answer.message, 'PartnerUnreachable', answer.retryAfterMs);
      return answer;
    },

    /** Fails with `CarrierRefused` when the carrier says no; other faults are tried again. */
    async dispatchPrintOrder(ids: RunIds & DispatchOrder) {
      const bought = await dispatchPrintOrder(deps, ids);
      if (!bought.ok) {
        const { code, message, detail } = bought.refusal;
        throw refusal(message, RUN_REFUSALS.carrier, {
          code,
          message: detail ?? message,
        });
      }
      const { shipmentId } = bought.shipment;
      logOf(ids).info({ printOrderId: ids.printOrderId, shipmentId }, 'labels bought');
      return { shipmentId };
    },

    /** Fails with `VoidRefused` when the carrier says no; other faults are tried again. */
    async voidOrderShipment(
      ids: RunIds & { readonly printOrderId: string; readonly shipmentId: string },
    ): Promise<void> {
      const voided = await voidShipment(deps, { shipmentId: ids.shipmentId });
      if (!voided.ok) throw refusal(voided.reason, 'VoidRefused');
      logOf(ids).info({ printOrderId: ids.printOrderId, shipmentId: ids.shipmentId }, 'labels voided');
    },
  };
}

export type OrderRunActivities = ReturnType<typeof createOrderRunActivities>;
