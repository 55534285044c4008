import { hasOpenJobs, raiseAttention, updatePrintOrder } from './changes';
import { endRequestedUnits, isAskedForUnits, refuseRequestedUnits } from './ended-units';
import type { EventOf, PostbackEvent, RunEffect } from './run-events';
import type { OrderUpdateState, PrintOrderState, RunState } from './run-state';

/**
 * How order updates tell partners about a changed address or method and ask them to make fewer units, and what happens when a
 * partner does not accept one.
 */

/** Plans the update of a print order after a shipping change. A partner gets it after it has accepted the print order. */
export function withUpdate(printOrder: PrintOrderState, effects: RunEffect[]): PrintOrderState {
  const { update } = printOrder;
  const withUnits = isPending(update) && update.changes !== undefined;
  return withNext(printOrder, withUnits ? 'both' : undefined, effects);
}

/** Plans the update that states the units of a print order which are still wanted. */
export function withUnitsUpdate(printOrder: PrintOrderState, effects: RunEffect[]): PrintOrderState {
  const { update } = printOrder;
  return withNext(printOrder, isPending(update) && update.changes !== 'units' ? 'both' : 'units', effects);
}

/** Returns true when the partner has not accepted an update. The next one has its changes, too. */
const isPending = (update: OrderUpdateState | undefined): update is OrderUpdateState =>
  update !== undefined && update.status !== 'accepted';

function withNext(
  printOrder: PrintOrderState,
  changes: OrderUpdateState['changes'],
  effects: RunEffect[],
): PrintOrderState {
  if (!hasOpenJobs(printOrder)) return printOrder;
  const revision = (printOrder.update?.revision ?? 0) + 1;
  const update: OrderUpdateState = { revision, status: 'waiting', ...(changes === undefined ? {} : { changes }) };
  return sendWaitingUpdate({ ...printOrder, update }, effects);
}

/** Sends a waiting update when the partner has accepted the print order. */
export function sendWaitingUpdate(printOrder: PrintOrderState, effects: RunEffect[]): PrintOrderState {
  const { update, delivery, id: printOrderId } = printOrder;
  if (update?.status !== 'waiting' || delivery !== 'accepted') return printOrder;
  const { revision, changes } = update;
  const units = changes === undefined ? {} : ({ units: true } as const);
  effects.push({ type: 'deliver_order_update', printOrderId, revision, ...units });
  return { ...printOrder, update: { ...update, status: 'sending' } };
}

/**
 * The delivery of an order update ended. The result of an update that a newer one has replaced is ignored. The partner's
 * response decides about the units that it was asked not to make.
 */
export function orderUpdated(state: RunState, event: EventOf<'order_update'>, effects: RunEffect[]): RunState {
  const { printOrderId, revision, outcome, message } = event;
  const isAccepted = outcome === 'accepted' || outcome === 'not_needed';
  const next = updatePrintOrder(state, printOrderId, (printOrder) => {
    const { update } = printOrder;
    if (update?.revision !== revision) return printOrder;
    if (isAccepted) return endRequestedUnits({ ...printOrder, update: { ...update, status: 'accepted' } }, effects);
    // After the refusal of a request, the partner has what is valid.
    const isOnlyAsked = update.changes === 'units' && printOrder.jobs.some(isAskedForUnits);
    const status = isOnlyAsked ? 'accepted' : 'failed';
    return refuseRequestedUnits({ ...printOrder, update: { ...update, status } }, message, effects);
  });
  if (next === state || outcome === 'not_needed') return next;
  if (isAccepted) {
    effects.push({ type: 'log', event: 'order_update_accepted', printOrderId, data: { revision } });
    return next;
  }
  if (next.printOrders.find(({ id }) => id === printOrderId)?.update?.status === 'accepted') return next;
  effects.push({ type: 'log', event: 'partner_not_updated', printOrderId, data: { revision, outcome, message } });
  return raiseAttention(next, 'partner_not_updated');
}

/**
 * Returns true when a `shipped` postback reports a parcel to an outdated address: the partner has not accepted the order
 * update, and shipped without a label of the current revision. When it had a label that was voided, `voided_label` reports
 * the parcel, unless the postback has a tracking code of the partner's own carrier.
 */
export function shipsToOldAddress(printOrder: PrintOrderState, event: PostbackEvent): boolean {
  const { update, shipment, labelTakenBack } = printOrder;
  if (event.status !== 'shipped' || !isPending(update) || update.changes === 'units') return false;
  return shipment === null && (event.trackingCode !== null || labelTakenBack !== true);
}
