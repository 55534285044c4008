import { hasOpenJobs, raiseAttention, updatePrintOrder } from './changes';
import type { EventOf, PostbackEvent, RunEffect } from './run-events';
import type { PrintOrderState, RunState } from './run-state';

/** How order updates tell partners about a changed address or method, and what happens when a partner does not get one. */

/** Plans the update of a print order after a shipping change. A partner gets it after it has accepted the print order. */
export function withUpdate(printOrder: PrintOrderState, revision: number, effects: RunEffect[]): PrintOrderState {
  if (!hasOpenJobs(printOrder)) return printOrder;
  return sendWaitingUpdate({ ...printOrder, update: { revision, status: 'waiting' } }, effects);
}

/** Sends a waiting update when the partner has accepted the print order. */
export function sendWaitingUpdate(printOrder: PrintOrderState, effects: RunEffect[]): PrintOrderState {
  const { update, delivery } = printOrder;
  if (update?.status !== 'waiting' || delivery !== 'accepted') return printOrder;
  effects.push({ type: 'deliver_order_update', printOrderId: printOrder.id, revision: update.revision });
  return { ...printOrder, update: { ...update, status: 'sending' } };
}

/** The delivery of an order update ended. The result of an update that a newer change has replaced is ignored. */
export function orderUpdated(state: RunState, event: EventOf<'order_update'>, effects: RunEffect[]): RunState {
  const { printOrderId, revision, outcome, message } = event;
  const isAccepted = outcome === 'accepted' || outcome === 'not_needed';
  const next = updatePrintOrder(state, printOrderId, (printOrder) => {
    if (printOrder.update?.revision !== revision) return printOrder;
    return { ...printOrder, update: { revision, status: isAccepted ? 'accepted' : 'failed' } };
  });
  if (next === state || outcome === 'not_needed') return next;
  if (isAccepted) {
    effects.push({ type: 'log', event: 'order_update_accepted', printOrderId, data: { revision } });
    return next;
  }
  effects.push({
    type: 'log',
    event: 'partner_not_updated',
    printOrderId,
    data: { revision, outcome, message },
  });
  return raiseAttention(next, 'partner_not_updated');
}

/**
 * Returns true when a `shipped` postback reports a parcel to an outdated address: the partner has not accepted the order
 * update, and shipped without a label of the current revision. When it had a label that was voided, `voided_label` reports
 * the parcel, unless the postback has a tracking code of the partner's own carrier.
 */
export function shipsToOldAddress(printOrder: PrintOrderState, event: PostbackEvent): boolean {
  const { update, shipment, labelTakenBack } = printOrder;
  if (event.status !== 'shipped' || update === undefined || update.status === 'accepted') return false;
  return shipment === null && (event.trackingCode !== null || labelTakenBack !== true);
}
