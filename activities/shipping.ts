import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { type CarrierRefusal, CarrierUnavailable } from '../src/carriers/carrier';
import type { Logger } from '../src/platform/logging';
import type { ShippingOrderInput, ShippingOrderOutcome } from '../src/shipping/domain/shipping-order-run';
import { type PurchaseDeps, voidShipment } from '../src/shipping/purchase';
import { purchaseShippingOrder, refuseShippingOrder } from '../src/shipping/shipping-orders';
import { type SweepResult, sweepTrackings } from '../src/shipping/tracking-sweep';

export interface ShippingDeps extends PurchaseDeps {
  readonly log: Logger;
}

/** A carrier that gives no usable answer: expected, and tried again. */
async function whileCarrierAway<T>(work: () => Promise<T>): Promise<T> {
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

/** The steps of buying labels for shipping orders. Each may be tried any number of times. */
export function createShippingActivities(deps: ShippingDeps) {
  return {
    async purchaseShippingOrder({
      shippingOrderId,
      requestId,
    }: ShippingOrderInput): Promise<ShippingOrderOutcome> {
      const outcome = await whileCarrierAway(() => purchaseShippingOrder(deps, shippingOrderId));
      deps.log.info({ shippingOrderId, requestId, outcome: outcome.outcome }, 'shipping order ended');
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

    /** Asks carriers about packages that are due. */
    async sweepTrackings(sweep: { limit: number }): Promise<SweepResult> {
      const result = await sweepTrackings(deps, sweep);
      if (result.away.length > 0)
        deps.log.warn({ carriers: result.away }, 'carriers not reached by the tracking sweep');
      return result;
    },

    /** Takes back what was bought under a key; a carrier that will not is an operator's matter and ends the tries. */
    async takeBackShipment({ idempotencyKey }: { idempotencyKey: string }): Promise<void> {
      const voided = await whileCarrierAway(() => voidShipment(deps, { idempotencyKey }));
      if (!voided.ok) {
        deps.log.error(
          { idempotencyKey, reason: voided.reason },
          'carrier did not void a label that nobody uses',
        );
        throw ApplicationFailure.nonRetryable(voided.reason, 'CarrierRefused');
      }
    },
  };
}

export type ShippingActivities = ReturnType<typeof createShippingActivities>;
