import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import type { CarrierRefusal } from '../src/carriers/carrier';
import { flagOrder } from '../src/orders/run/flags';
import type { Logger } from '../src/platform/logging/logging';
import {
  addSweeps,
  type Cancellation,
  type LabelToReplace,
  NOTHING_SWEPT,
  type ReplacedLabel,
  type ShippingOrderInput,
  type ShippingOrderOutcome,
  type SweepResult,
} from '../src/shipping/domain/shipping-runs';
import { orderOfLabels, type ToVoid, voidShipment } from '../src/shipping/label-voids';
import type { PurchaseDeps } from '../src/shipping/purchase';
import { replaceLabel } from '../src/shipping/replacement-label';
import {
  cancelShippingOrder,
  purchaseShippingOrder,
  refuseShippingOrder,
} from '../src/shipping/shipping-orders/shipping-orders';
import type { SweepBounds } from '../src/shipping/tracking/carrier-inquiry';
import { carriersToSweep, sweepCarrier } from '../src/shipping/tracking/carrier-sweep';
import { findPartnerCarriers } from '../src/shipping/tracking/partner-code-search';
import { callingCarrier } from './carrier-calls';
import { withHeartbeat } from './heartbeats';
import { type OrRefusal, refused } from './refusals';

export interface ShippingDeps extends PurchaseDeps {
  readonly log: Logger;
}

/** Longest time of one step of a sweep. The next sweep starts five minutes after this one. */
const SWEEP_MS = 4 * 60_000;

/**
 * Runs a step of a sweep until its time is up. Heartbeats carry what is done to the next attempt, which continues with the
 * packages that are still due.
 */
async function sweepUntilDue(log: Logger, step: (bounds: SweepBounds) => Promise<SweepResult>): Promise<SweepResult> {
  const { heartbeatDetails, scheduledTimestampMs } = activityInfo();
  const before = (heartbeatDetails as SweepResult | undefined) ?? NOTHING_SWEPT;
  let soFar = before;
  const bounds: SweepBounds = {
    limit: Infinity,
    deadline: scheduledTimestampMs + SWEEP_MS,
    report(swept) {
      soFar = addSweeps(before, swept);
      heartbeat(soFar);
      cancellationSignal().throwIfAborted();
    },
  };
  const swept = await withHeartbeat(
    () => step(bounds),
    () => soFar,
  );
  const result = addSweeps(before, swept);
  const { unavailable } = result;
  if (unavailable.length > 0) log.warn({ carriers: unavailable }, 'carriers did not respond to the tracking sweep');
  return result;
}

/** Activities of the shipping workflows. Each one is idempotent. */
export function createShippingActivities(deps: ShippingDeps) {
  return {
    async purchaseShippingOrder({ shippingOrderId, requestId }: ShippingOrderInput): Promise<ShippingOrderOutcome> {
      const outcome = await callingCarrier((cancelled) => purchaseShippingOrder(deps, shippingOrderId, cancelled));
      deps.log.info({ shippingOrderId, requestId, outcome: outcome.outcome }, 'shipping order completed');
      return outcome;
    },

    async refuseShippingOrder({
      shippingOrderId,
      refusal,
    }: {
      shippingOrderId: string;
      refusal: CarrierRefusal;
    }): Promise<ShippingOrderOutcome> {
      return await refuseShippingOrder(deps.sql, shippingOrderId, refusal);
    },

    async cancelShippingOrder({ shippingOrderId, requestId }: ShippingOrderInput): Promise<Cancellation> {
      const cancellation = await callingCarrier((cancelled) => cancelShippingOrder(deps, shippingOrderId, cancelled));
      deps.log.info({ shippingOrderId, requestId, ...cancellation }, 'shipping order cancellation completed');
      return cancellation;
    },

    /** Returns the uids of the carriers that have packages whose tracking check is due. */
    carriersToSweep: (): Promise<string[]> => carriersToSweep(deps),

    /** Reads the tracking of a carrier's packages that are due, until none is left or the time is up. */
    sweepCarrier: ({ adapterUid }: { adapterUid: string }): Promise<SweepResult> =>
      sweepUntilDue(deps.log, (bounds) => sweepCarrier(deps, adapterUid, bounds)),

    /** Searches the gateways for the carriers of partners' tracking codes. */
    findPartnerCarriers: (): Promise<SweepResult> =>
      sweepUntilDue(deps.log, (bounds) => findPartnerCarriers(deps, bounds)),

    async replaceLabel(label: LabelToReplace): Promise<ReplacedLabel> {
      const replaced = await callingCarrier((cancelled) => replaceLabel(deps, label, cancelled));
      deps.log.info({ ...label, ...replaced }, 'label replacement completed');
      return replaced;
    },

    /** Voids labels that nobody uses. Flags the order when the carrier refuses. Returns the refusal. */
    async takeBackShipment(labels: ToVoid): Promise<OrRefusal<void>> {
      const voided = await callingCarrier((cancelled) => voidShipment(deps, labels, cancelled));
      if (!voided.ok) {
        deps.log.error({ ...labels, reason: voided.reason }, 'carrier refused to void an unused label');
        const orderId = await orderOfLabels(deps.sql, labels);
        if (orderId !== null) await flagOrder(deps.sql, orderId, 'label_without_parcel', voided.reason);
        return refused({ message: voided.reason });
      }
    },
  };
}

export type ShippingActivities = ReturnType<typeof createShippingActivities>;
