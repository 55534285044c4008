import type { StoredPlan } from '../src/orders/preparation/prepare-order';
import { type DeliveryDeps, deliverPrintOrder } from '../src/orders/print-orders/delivery';
import { PartnerBusy } from '../src/partners/calls';
import type { Logger } from '../src/platform/logging/logging';
import { logOf, type RunIds } from './order-ids';
import { logResponse, type Retry, undelivered } from './partner-responses';
import type { ActivityRefusal } from './refusals';

/** A partner that has not responded to a call for this long gets no first attempts. They would hold slots for files. */
const UNRESPONSIVE_MS = 2_000;

/**
 * How the first attempt to deliver a print order ended. Without a refusal and a failure, the partner has accepted it.
 * @property refusal of the delivery, as `deliverPrintOrder` returns it
 * @property failure after which the order run has to deliver the same message
 */
export interface FirstDelivery {
  readonly printOrderId: string;
  readonly refusal?: ActivityRefusal;
  readonly failure?: Retry;
}

/**
 * Makes the first attempt to deliver the only print order of a plan that was just recorded.
 * @returns undefined when it made none, or does not know how it ended: the order run delivers the same message
 */
export async function deliverFirst(
  deps: DeliveryDeps & { readonly log: Logger },
  ids: RunIds,
  { printOrders, shippingRevision }: StoredPlan,
): Promise<FirstDelivery | undefined> {
  const [printOrder, ...others] = printOrders;
  // A plan that was stored before has a revision: an earlier attempt of the activity may have delivered it.
  if (printOrder === undefined || others.length > 0 || shippingRevision !== undefined) return undefined;
  const { id: printOrderId, partnerUid } = printOrder;
  if (deps.partnerCalls.heldMs(partnerUid) > UNRESPONSIVE_MS) return undefined;
  const log = logOf(deps, ids);
  try {
    const response = await deliverPrintOrder(deps, printOrderId);
    logResponse(log, { printOrderId }, response, 'print order delivery');
    if (response.outcome === 'retry') return { printOrderId, failure: response };
    return { printOrderId, ...(response.outcome === 'accepted' ? {} : undelivered(response)) };
  } catch (err) {
    if (!(err instanceof PartnerBusy)) log.warn({ err, printOrderId }, 'print order not delivered with its plan');
    return undefined;
  }
}
