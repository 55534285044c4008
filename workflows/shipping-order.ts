import {
  ActivityFailure,
  ApplicationFailure,
  ParentClosePolicy,
  proxyActivities,
  proxyLocalActivities,
  startChild,
} from '@temporalio/workflow';
import type { ShippingActivities } from '../activities/shipping';
import { takeBackShippingOrderWorkflowId } from '../src/platform/domain/workflows';
import {
  type Cancellation,
  type LabelToReplace,
  type ReplacedLabel,
  type ShippingOrderInput,
  type ShippingOrderOutcome,
  shippingOrderPurchaseKey,
} from '../src/shipping/domain/shipping-runs';
import { isRefusal } from './order/refusals';

/** Packages that are bought at a time (`buyLabels`), and the time for their calls to the carrier, eight seconds each. */
const AT_ONCE = 5;
const BATCH_MS = 40_000;

/**
 * A client is waiting, so temporary carrier failures are retried a few times within the time that the packages need.
 * @param packages absent in the input of workflows with few
 */
const carrierFor = ({ packages = 1 }: ShippingOrderInput) =>
  proxyActivities<Pick<ShippingActivities, 'purchaseShippingOrder'>>({
    startToCloseTimeout: Math.ceil(packages / AT_ONCE) * BATCH_MS,
    scheduleToCloseTimeout: Math.ceil(packages / AT_ONCE) * BATCH_MS + 2_000,
    heartbeatTimeout: '30 seconds',
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

/** An unused label costs money, so voiding it, and recording one that was bought, is retried for three days. */
const patient = proxyActivities<Pick<ShippingActivities, 'takeBackShipment' | 'cancelShippingOrder' | 'replaceLabel'>>({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '30 seconds',
  scheduleToCloseTimeout: '3 days',
  retry: { initialInterval: '2 seconds', backoffCoefficient: 2, maximumInterval: '30 minutes' },
});

/**
 * Buys the labels of all packages of a shipping order, or of none. When the carrier does not respond in time, the order is
 * refused at once, and a child workflow voids whatever was bought.
 */
export async function shippingOrder(input: ShippingOrderInput): Promise<ShippingOrderOutcome> {
  const { shippingOrderId } = input;
  try {
    return await carrierFor(input).purchaseShippingOrder(input);
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    const outcome = await database.refuseShippingOrder({
      shippingOrderId,
      refusal: {
        code: 'CARRIER_UNAVAILABLE',
        message: 'The carrier gave no usable response in time. Nothing was bought.',
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

/**
 * Workflow that voids labels that nobody uses: those bought under an idempotency key, or some packages of a shipment.
 * @throws ApplicationFailure when the carrier refuses. The workflow fails, so that operators find it in the Temporal UI
 */
export async function takeBackShipment(
  input: { idempotencyKey: string } | { shipmentId: string; positions: number[] },
): Promise<void> {
  const result = await patient.takeBackShipment(input);
  if (isRefusal(result)) throw ApplicationFailure.nonRetryable(result.refusal.message, 'CarrierRefused');
}

/** Cancels a shipping order: voids its labels, unless a carrier has scanned one or refuses to void. */
export async function cancelShippingOrder(input: ShippingOrderInput): Promise<Cancellation> {
  return await patient.cancelShippingOrder(input);
}

/** Buys a new label for a package of a print order, and voids the damaged one. */
export async function replaceLabel(input: LabelToReplace): Promise<ReplacedLabel> {
  return await patient.replaceLabel(input);
}
