import { hasOpenJobs, isAskedForUnits } from '../facts/jobs';
import type { EventOf, RunEffect } from '../run-events';
import { JOB_PROGRESS, type OrderUpdateState, type PrintOrderState, type RunState } from '../run-state';
import { changePrintOrder, type PrintOrder, printOrderLog, type Run, raiseAttention } from './change';
import { endRequestedUnits, refuseRequestedUnits } from './ended-jobs';

/**
 * How order updates tell partners about a changed address or method, send them replaced files and ask them to make fewer units,
 * and what happens when a partner does not accept one.
 */

/** What a client reads when its replaced file is not printed. Operators read the words of the partner in the log. */
const FILE_NOT_TAKEN = 'The print partner did not take the new file. It prints the former one.';
const NOTHING_TO_PRINT = 'The item has been printed or cancelled.';

/** Plans the update of a print order after a shipping change. A partner gets it after it has accepted the print order. */
export function updateShipping(printOrder: PrintOrder): RunEffect[] {
  const { update } = printOrder;
  const withUnits = isPending(update) && (update.changes === 'units' || update.changes === 'both');
  return planUpdate(printOrder, withUnits ? 'both' : undefined);
}

/** Plans the update that states the units of a print order which are still wanted. */
export function updateUnits(printOrder: PrintOrder): RunEffect[] {
  return planUpdate(printOrder, hasPendingShipping(printOrder.update) ? 'both' : 'units');
}

/**
 * Units of a print order were cancelled or moved: the goods that are left decide whether all partners' messages have VAT on
 * the import. A partner whose message has not changed gets no update.
 */
export function updateTaxes(before: RunState, run: Run): RunEffect[] {
  const units = ({ jobs }: PrintOrderState) =>
    jobs.map(({ ended, quantity }) => (ended === null ? quantity : 0)).join();
  const pairs = before.printOrders.map((was) => ({ was, is: run.printOrders.find(({ id }) => id === was.id)! }));
  if (pairs.every(({ was, is }) => units(was) === units(is))) return [];
  return pairs.flatMap(({ was, is }) => {
    if (is.ioss !== true || is.update?.revision !== was.update?.revision) return [];
    return planUpdate(is, isPending(is.update) ? is.update.changes : 'none');
  });
}

/** A file of an item was replaced and checked. The partners that make the item get it, unless they have printed it. */
export function fileReplaced(run: Run, { itemId }: EventOf<'file_replaced'>): RunEffect[] {
  const makers = run.printOrders.filter(({ jobs }) =>
    jobs.some((job) => job.itemId === itemId && job.ended === null && job.progress < JOB_PROGRESS.printed),
  );
  if (makers.length === 0) return [{ type: 'end_replacements', of: { itemId }, refusal: NOTHING_TO_PRINT }];
  return makers.flatMap((printOrder) => {
    const { update } = printOrder;
    return planUpdate(printOrder, isPending(update) ? update.changes : 'none', true);
  });
}

/** The order has ended: replaced files that its partner has not accepted are not printed. */
export function refuseReplacedFiles({ id: printOrderId, update }: PrintOrder): RunEffect[] {
  if (update?.files !== true) return [];
  delete update.files;
  return [{ type: 'end_replacements', of: { printOrderId }, refusal: NOTHING_TO_PRINT }];
}

/** Returns true when the partner has not accepted an update. The next one has its changes, too. */
function isPending(update: OrderUpdateState | undefined): update is OrderUpdateState {
  return update !== undefined && update.status !== 'accepted';
}

/** Returns true when the partner has not accepted an update of the address or the method. */
export function hasPendingShipping(update: PrintOrderState['update']): boolean {
  return isPending(update) && update.changes !== 'units' && update.changes !== 'none';
}

function planUpdate(
  printOrder: PrintOrder,
  changes: OrderUpdateState['changes'],
  withFiles = isPending(printOrder.update) && printOrder.update.files === true,
): RunEffect[] {
  if (!hasOpenJobs(printOrder)) return [];
  printOrder.update = {
    revision: (printOrder.update?.revision ?? 0) + 1,
    status: 'waiting',
    ...(changes === undefined ? {} : { changes }),
    ...(withFiles ? { files: true } : {}),
  };
  return sendWaitingUpdate(printOrder);
}

/** Sends a waiting update when the partner has accepted the print order. */
export function sendWaitingUpdate({ update, delivery, id: printOrderId }: PrintOrder): RunEffect[] {
  if (update?.status !== 'waiting' || delivery !== 'accepted') return [];
  update.status = 'sending';
  const { revision, changes, files } = update;
  const units = changes === 'units' || changes === 'both' || files === true ? ({ units: true } as const) : {};
  return [{ type: 'deliver_order_update', printOrderId, revision, ...units }];
}

/**
 * The delivery of an order update ended. The result of an update that a newer one has replaced is ignored. The partner's
 * response decides about the units that it was asked not to make, and about replaced files.
 */
export function orderUpdated(run: Run, event: EventOf<'order_update'>): RunEffect[] {
  const { printOrderId, revision, outcome, message, messageRevision } = event;
  const isAccepted = outcome === 'accepted' || outcome === 'not_needed';
  return changePrintOrder(run, printOrderId, (printOrder) => {
    const { update } = printOrder;
    if (update?.revision !== revision) return [];
    // After the refusal of a request, the partner has what is valid.
    const isOnlyAsked = update.changes === 'units' && update.files !== true && printOrder.jobs.some(isAskedForUnits);
    update.status = isAccepted || isOnlyAsked ? 'accepted' : 'failed';
    const effects: RunEffect[] = [];
    if (update.files === true) {
      const refusal = isAccepted ? null : FILE_NOT_TAKEN;
      effects.push({ type: 'end_replacements', of: { printOrderId }, refusal });
      delete update.files;
    }
    effects.push(...(isAccepted ? endRequestedUnits(printOrder) : refuseRequestedUnits(printOrder, message)));
    if (outcome === 'accepted')
      effects.push(printOrderLog('order_update_accepted', printOrderId, { revision: messageRevision }));
    if (update.status === 'failed') {
      raiseAttention(run, 'partner_not_updated');
      effects.push(printOrderLog('partner_not_updated', printOrderId, { outcome, message }));
    }
    return effects;
  });
}
