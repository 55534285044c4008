import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { type CarrierRefusal, CarrierUnavailable } from '../src/carriers/carrier';
import type { Logger } from '../src/platform/logging';
import type {
  Cancellation,
  CancellationInput,
  ShippingOrderInput,
  ShippingOrderOutcome,
} from '../src/shipping/domain/shipping-order-run';
import { type PurchaseDeps, type ToVoid, voidShipment } from '../src/shipping/purchase';
import { cancelShippingOrder } from '../src/shipping/shipping-order-cancellation';
import { purchaseShippingOrder, refuseShippingOrder } from '../src/shipping/shipping-orders';
import { type SweepResult, sweepTrackings } from '../src/shipping/tracking-sweep';
import { type OrRefusal, type RefusableCall, refused } from './refusals';

export interface ShippingDeps extends PurchaseDeps {
  readonly log: Logger;
}

/** Marks a carrier without a usable answer as an expected, retryable failure. */
async function retryWhileUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CarrierUnavailable)) throw error;
    throw ApplicationFailure.create({
      message: error.message,
      type: error.name,
      category: ApplicationFailureCategory.BENIGN,
    });
  }
}

/** Activities of the shipping workflows. Each one is idempotent. */
export function createShippingActivities(deps: ShippingDeps) {
  return {
    async purchaseShippingOrder({
      shippingOrderId,
      requestId,
    }: ShippingOrderInput): Promise<ShippingOrderOutcome> {
      const outcome = await retryWhileUnavailable(() => purchaseShippingOrder(deps, shippingOrderId));
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

    /** Voids the labels of a shipping order and records the outcome. */
    async cancelShippingOrder({ shippingOrderId, requestId }: CancellationInput): Promise<Cancellation> {
      const cancellation = await retryWhileUnavailable(() => cancelShippingOrder(deps, shippingOrderId));
      deps.log.info({ shippingOrderId, requestId, ...cancellation }, 'shipping order cancellation completed');
      return cancellation;
    },

    /** Asks carriers about packages whose tracking check is due. */
    async sweepTrackings(sweep: { limit: number }): Promise<SweepResult> {
      const result = await sweepTrackings(deps, sweep);
      if (result.away.length > 0)
        deps.log.warn({ carriers: result.away }, 'carriers did not answer the tracking sweep');
      return result;
    },

    /** Voids labels that nobody uses. Returns the carrier's refusal. */
    async takeBackShipment(call: ToVoid & RefusableCall): Promise<OrRefusal<void>> {
      const { refusalsAsResults, ...labels } = call;
      const voided = await retryWhileUnavailable(() => voidShipment(deps, labels));
      if (!voided.ok) {
        deps.log.error({ ...labels, reason: voided.reason }, 'carrier refused to void an unused label');
        return refused(call, 'CarrierRefused', { message: voided.reason });
      }
    },
  };
}

export type ShippingActivities = ReturnType<typeof createShippingActivities>;
