import { hasOpenJobs, isAskedForUnits } from '../facts/jobs';
import type { EventOf, RunEffect } from '../run-events';
import { JOB_PROGRESS, type OrderUpdateState, type PrintOrderState, type RunState } from '../run-state';
import { type Change, change, changePrintOrder, changePrintOrders, printOrderLog, raiseAttention } from './change';
import { endRequestedUnits, refuseRequestedUnits } from './ended-jobs';

/**
 * How order updates tell partners about a changed address or method, send them replaced files and ask them to make fewer units,
 * and what happens when a partner does not accept one.
 */

/** What a client reads when its replaced file is not printed. Operators read the words of the partner in the log. */
const FILE_NOT_TAKEN = 'The print partner did not take the new file. It prints the former one.';
const NOTHING_TO_PRINT = 'The item has been printed or cancelled.';

/** Plans the update of a print order after a shipping change. A partner gets it after it has accepted the print order. */
export function withShippingUpdate(printOrder: PrintOrderState): Change<PrintOrderState> {
  const { update } = printOrder;
  const withUnits = isPending(update) && (update.changes === 'units' || update.changes === 'both');
  return withNext(printOrder, withUnits ? 'both' : undefined);
}

/** Plans the update that states the units of a print order which are still wanted. */
export function withUnitsUpdate(printOrder: PrintOrderState): Change<PrintOrderState> {
  return withNext(printOrder, hasPendingShipping(printOrder.update) ? 'both' : 'units');
}

/** A file of an item was replaced and checked. The partners that make the item get it, unless they have printed it. */
export function fileReplaced(state: RunState, { itemId }: EventOf<'file_replaced'>): Change {
  const makes = ({ jobs }: PrintOrderState) =>
    jobs.some((job) => job.itemId === itemId && job.ended === null && job.progress < JOB_PROGRESS.printed);
  if (!state.printOrders.some(makes)) {
    return change(state, { type: 'end_replacements', of: { itemId }, refusal: NOTHING_TO_PRINT });
  }
  return changePrintOrders(state, (printOrder) => {
    if (!makes(printOrder)) return change(printOrder);
    const { update } = printOrder;
    return withNext(printOrder, isPending(update) ? update.changes : 'none', true);
  });
}

/** The order has ended: replaced files that its partner has not accepted are not printed. */
export function refuseReplacedFiles(printOrder: PrintOrderState): Change<PrintOrderState> {
  if (printOrder.update?.files !== true) return change(printOrder);
  const { files: _refused, ...update } = printOrder.update;
  const refusal = { of: { printOrderId: printOrder.id }, refusal: NOTHING_TO_PRINT };
  return change({ ...printOrder, update }, { type: 'end_replacements', ...refusal });
}

/** Returns true when the partner has not accepted an update. The next one has its changes, too. */
function isPending(update: OrderUpdateState | undefined): update is OrderUpdateState {
  return update !== undefined && update.status !== 'accepted';
}

/** Returns true when the partner has not accepted an update of the address or the method. */
export function hasPendingShipping(update: OrderUpdateState | undefined): boolean {
  return isPending(update) && update.changes !== 'units' && update.changes !== 'none';
}

function withNext(
  printOrder: PrintOrderState,
  changes: OrderUpdateState['changes'],
  withFiles = isPending(printOrder.update) && printOrder.update.files === true,
): Change<PrintOrderState> {
  if (!hasOpenJobs(printOrder)) return change(printOrder);
  const update: OrderUpdateState = {
    revision: (printOrder.update?.revision ?? 0) + 1,
    status: 'waiting',
    ...(changes === undefined ? {} : { changes }),
    ...(withFiles ? { files: true } : {}),
  };
  return sendWaitingUpdate({ ...printOrder, update });
}

/** Sends a waiting update when the partner has accepted the print order. */
export function sendWaitingUpdate(printOrder: PrintOrderState): Change<PrintOrderState> {
  const { update, delivery, id: printOrderId } = printOrder;
  if (update?.status !== 'waiting' || delivery !== 'accepted') return change(printOrder);
  const { revision, changes, files } = update;
  const units = changes === undefined && files === undefined ? {} : ({ units: true } as const);
  return change(
    { ...printOrder, update: { ...update, status: 'sending' } },
    { type: 'deliver_order_update', printOrderId, revision, ...units },
  );
}

/**
 * The delivery of an order update ended. The result of an update that a newer one has replaced is ignored. The partner's
 * response decides about the units that it was asked not to make, and about replaced files.
 */
export function orderUpdated(state: RunState, event: EventOf<'order_update'>): Change {
  const { printOrderId, revision, outcome, message } = event;
  const isAccepted = outcome === 'accepted' || outcome === 'not_needed';
  const next = changePrintOrder(state, printOrderId, (printOrder) => {
    if (printOrder.update?.revision !== revision) return change(printOrder);
    const { files, ...update } = printOrder.update;
    const replaced: RunEffect[] =
      files === true
        ? [{ type: 'end_replacements', of: { printOrderId }, refusal: isAccepted ? null : FILE_NOT_TAKEN }]
        : [];
    // After the refusal of a request, the partner has what is valid.
    const isOnlyAsked = update.changes === 'units' && files === undefined && printOrder.jobs.some(isAskedForUnits);
    const status = isAccepted || isOnlyAsked ? 'accepted' : 'failed';
    const updated = { ...printOrder, update: { ...update, status } as const };
    const { state: settled, effects } = isAccepted
      ? endRequestedUnits(updated)
      : refuseRequestedUnits(updated, message);
    return change(settled, ...replaced, ...effects);
  });
  if (next.state === state || outcome === 'not_needed') return next;
  if (isAccepted) {
    return change(next.state, ...next.effects, printOrderLog('order_update_accepted', printOrderId, { revision }));
  }
  if (next.state.printOrders.find(({ id }) => id === printOrderId)?.update?.status === 'accepted') return next;
  return change(
    raiseAttention(next.state, 'partner_not_updated'),
    ...next.effects,
    printOrderLog('partner_not_updated', printOrderId, { revision, outcome, message }),
  );
}
