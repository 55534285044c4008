import { hasOpenJobs, raiseAttention, updatePrintOrder } from './changes';
import { endRequestedUnits, isAskedForUnits, refuseRequestedUnits } from './ended-units';
import type { EventOf, PostbackEvent, RunEffect } from './run-events';
import { JOB_PROGRESS, type OrderUpdateState, type PrintOrderState, type RunState } from './run-state';

/**
 * How order updates tell partners about a changed address or method, send them replaced files and ask them to make fewer units,
 * and what happens when a partner does not accept one.
 */

/** What a client reads when its replaced file is not printed. Operators read the words of the partner in the log. */
const FILE_NOT_TAKEN = 'The print partner did not take the new file. It prints the former one.';
const NOTHING_TO_PRINT = 'The item has been printed or cancelled.';

/** Plans the update of a print order after a shipping change. A partner gets it after it has accepted the print order. */
export function withUpdate(printOrder: PrintOrderState, effects: RunEffect[]): PrintOrderState {
  const { update } = printOrder;
  const withUnits = isPending(update) && (update.changes === 'units' || update.changes === 'both');
  return withNext(printOrder, withUnits ? 'both' : undefined, effects);
}

/** Plans the update that states the units of a print order which are still wanted. */
export function withUnitsUpdate(printOrder: PrintOrderState, effects: RunEffect[]): PrintOrderState {
  const { update } = printOrder;
  const withShipping = isPending(update) && update.changes !== 'units' && update.changes !== 'none';
  return withNext(printOrder, withShipping ? 'both' : 'units', effects);
}

/** A file of an item was replaced and checked. The partners that make the item get it, unless they have printed it. */
export function fileReplaced(state: RunState, { itemId }: EventOf<'file_replaced'>, effects: RunEffect[]): RunState {
  const makes = ({ jobs }: PrintOrderState) =>
    jobs.some((job) => job.itemId === itemId && job.ended === null && job.progress < JOB_PROGRESS.printed);
  if (!state.printOrders.some(makes)) {
    effects.push({ type: 'end_replacements', of: { itemId }, refusal: NOTHING_TO_PRINT });
    return { ...state };
  }
  const printOrders = state.printOrders.map((printOrder) => {
    if (!makes(printOrder)) return printOrder;
    const { update } = printOrder;
    return withNext(printOrder, isPending(update) ? update.changes : 'none', effects, true);
  });
  return { ...state, printOrders };
}

/** The order has ended: replaced files that its partner has not accepted are not printed. */
export function refuseReplacedFiles(printOrder: PrintOrderState, effects: RunEffect[]): PrintOrderState {
  if (printOrder.update?.files !== true) return printOrder;
  const { files: _refused, ...update } = printOrder.update;
  effects.push({ type: 'end_replacements', of: { printOrderId: printOrder.id }, refusal: NOTHING_TO_PRINT });
  return { ...printOrder, update };
}

/** Returns true when the partner has not accepted an update. The next one has its changes, too. */
const isPending = (update: OrderUpdateState | undefined): update is OrderUpdateState =>
  update !== undefined && update.status !== 'accepted';

function withNext(
  printOrder: PrintOrderState,
  changes: OrderUpdateState['changes'],
  effects: RunEffect[],
  withFiles = isPending(printOrder.update) && printOrder.update.files === true,
): PrintOrderState {
  if (!hasOpenJobs(printOrder)) return printOrder;
  const revision = (printOrder.update?.revision ?? 0) + 1;
  const update: OrderUpdateState = {
    revision,
    status: 'waiting',
    ...(changes === undefined ? {} : { changes }),
    ...(withFiles ? { files: true } : {}),
  };
  return sendWaitingUpdate({ ...printOrder, update }, effects);
}

/** Sends a waiting update when the partner has accepted the print order. */
export function sendWaitingUpdate(printOrder: PrintOrderState, effects: RunEffect[]): PrintOrderState {
  const { update, delivery, id: printOrderId } = printOrder;
  if (update?.status !== 'waiting' || delivery !== 'accepted') return printOrder;
  const { revision, changes, files } = update;
  const units = changes === undefined && files === undefined ? {} : ({ units: true } as const);
  effects.push({ type: 'deliver_order_update', printOrderId, revision, ...units });
  return { ...printOrder, update: { ...update, status: 'sending' } };
}

/**
 * The delivery of an order update ended. The result of an update that a newer one has replaced is ignored. The partner's
 * response decides about the units that it was asked not to make, and about replaced files.
 */
export function orderUpdated(state: RunState, event: EventOf<'order_update'>, effects: RunEffect[]): RunState {
  const { printOrderId, revision, outcome, message } = event;
  const isAccepted = outcome === 'accepted' || outcome === 'not_needed';
  const next = updatePrintOrder(state, printOrderId, (printOrder) => {
    if (printOrder.update?.revision !== revision) return printOrder;
    const { files, ...update } = printOrder.update;
    if (files === true) {
      effects.push({ type: 'end_replacements', of: { printOrderId }, refusal: isAccepted ? null : FILE_NOT_TAKEN });
    }
    if (isAccepted) return endRequestedUnits({ ...printOrder, update: { ...update, status: 'accepted' } }, effects);
    // After the refusal of a request, the partner has what is valid.
    const isOnlyAsked = update.changes === 'units' && files === undefined && printOrder.jobs.some(isAskedForUnits);
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
  if (event.status !== 'shipped' || !isPending(update)) return false;
  if (update.changes === 'units' || update.changes === 'none') return false;
  return shipment === null && (event.trackingCode !== null || labelTakenBack !== true);
}
