import {
  ActivityFailure,
  ParentClosePolicy,
  proxyActivities,
  proxyLocalActivities,
  startChild,
} from '@temporalio/workflow';
import type { ShippingActivities } from '../activities/shipping';
import { takeBackShippingOrderWorkflowId } from '../src/platform/domain/workflows';
import {
  type ShippingOrderInput,
  type ShippingOrderOutcome,
  shippingOrderPurchaseKey,
} from '../src/shipping/domain/shipping-order-run';

/**
 * A client waits: passing faults of a carrier are tried a few times within forty seconds. An attempt has time to end
 * by itself (its calls end after eight seconds each), so that no two attempts are ever at it together.
 */
const carrier = proxyActivities<Pick<ShippingActivities, 'purchaseShippingOrder'>>({
  startToCloseTimeout: '40 seconds',
  scheduleToCloseTimeout: '42 seconds',
  retry: {
    initialInterval: '500 milliseconds',
    backoffCoefficient: 2,
    maximumInterval: '5 seconds',
    maximumAttempts: 4,
  },
});

const database = proxyLocalActivities<Pick<ShippingActivities, 'refuseShippingOrder'>>({
  startToCloseTimeout: '10 seconds',
});

/** A label that nobody uses still costs money: taking it back is tried for three days. */
const voiding = proxyActivities<Pick<ShippingActivities, 'takeBackShipment'>>({
  startToCloseTimeout: '60 seconds',
  scheduleToCloseTimeout: '3 days',
  retry: { initialInterval: '2 seconds', backoffCoefficient: 2, maximumInterval: '30 minutes' },
});

/**
 * Buys the labels of a shipping order, all packages or none. When the carrier gives no answer in time the order is
 * refused at once, and a run of its own takes back whatever was bought.
 */
export async function shippingOrder(input: ShippingOrderInput): Promise<ShippingOrderOutcome> {
  const { shippingOrderId } = input;
  try {
    return await carrier.purchaseShippingOrder(input);
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    const outcome = await database.refuseShippingOrder({
      shippingOrderId,
      refusal: {
        code: 'CARRIER_UNAVAILABLE',
        message: 'The carrier gave no usable answer in time. Nothing was bought.',
      },
    });
    if (outcome.outcome === 'refused') {
      await startChild(takeBackShipment, {
        workflowId: takeBackShippingOrderWorkflowId(shippingOrderId),
        args: [{ idempotencyKey: shippingOrderPurchaseKey(shippingOrderId) }],
        parentClosePolicy: ParentClosePolicy.ABANDON,
      });
    }
    return outcome;
  }
}

/** Voids the labels bought under a key. */
export async function takeBackShipment(input: { idempotencyKey: string }): Promise<void> {
  await voiding.takeBackShipment(input);
}
