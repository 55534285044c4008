import type { RunEffect, RunEvent } from '../run-events';
import { JOB_PROGRESS, type JobState, type PrintOrderState, type RunState } from '../run-state';
import { hasShipped, ITEM_TRANSITIONS } from '../statuses';
import { audit, setItems, updatePrintOrder } from './changes';

/** Ends jobs for good; units that were not printed free their stock, and what was invoiced is refunded. */
export function endJobs(
  printOrder: PrintOrderState,
  isEnding: (job: JobState) => boolean,
  reason: string,
  effects: RunEffect[],
): PrintOrderState {
  const ending = printOrder.jobs.filter(
    (job) => job.ended === null && job.progress !== JOB_PROGRESS.shipped && isEnding(job),
  );
  if (ending.length === 0) return printOrder;
  const unprinted = ending.filter((job) => job.progress < JOB_PROGRESS.printed);
  if (unprinted.length > 0) effects.push({ type: 'release_stock', jobIds: unprinted.map((job) => job.id) });
  effects.push({
    type: 'refund',
    reason,
    jobIds: ending.map(({ id }) => id),
    items: ending.map(({ itemId, quantity }) => ({ itemId, quantity })),
  });
  const jobs = printOrder.jobs.map((job) =>
    ending.includes(job) ? { ...job, ended: 'cancelled' as const } : job,
  );
  return withoutUnusedLabel({ ...printOrder, jobs }, effects);
}

/** Labels of a print order that has nothing left to ship are taken back. */
export function withoutUnusedLabel(printOrder: PrintOrderState, effects: RunEffect[]): PrintOrderState {
  const { shipment } = printOrder;
  if (shipment === null || printOrder.jobs.some((job) => job.ended === null)) return printOrder;
  effects.push({ type: 'void_shipment', printOrderId: printOrder.id, shipmentId: shipment.id });
  return { ...printOrder, shipment: null };
}

export function cancelRequested(
  state: RunState,
  event: Extract<RunEvent, { type: 'cancel_requested' }>,
  effects: RunEffect[],
): RunState {
  if (state.items.some((item) => hasShipped(item.status)) || state.phase === 'closed') return state;
  effects.push(audit('cancel_requested', event));
  if (state.phase === 'preparing') return setItems({ ...state, held: false }, 'cancelled');
  return {
    ...state,
    held: false,
    printOrders: state.printOrders.map((printOrder) =>
      cancelAtPartner(printOrder, () => true, event.reason, effects),
    ),
  };
}

/** A partner that may have taken the order is asked; one that surely has not needs no word. */
function cancelAtPartner(
  printOrder: PrintOrderState,
  isEnding: (job: JobState) => boolean,
  reason: string,
  effects: RunEffect[],
): PrintOrderState {
  const open = printOrder.jobs.filter((job) => job.ended === null && isEnding(job));
  if (open.length === 0) return printOrder;
  if (printOrder.delivery === 'refused' || open.every((job) => job.cancelledQuantity === job.quantity)) {
    return endJobs(printOrder, isEnding, reason, effects);
  }
  effects.push({
    type: 'request_partner_cancel',
    printOrderId: printOrder.id,
    jobIds: open.map((job) => job.id),
    reason,
  });
  return { ...printOrder, cancel: 'requested' };
}

/** The partner lets go of these jobs; the wish is fulfilled when none is left that could still be cancelled. */
export function confirmCancel(
  printOrder: PrintOrderState,
  isLetGo: (job: JobState) => boolean,
  message: string,
  effects: RunEffect[],
): PrintOrderState {
  const next = endJobs(printOrder, isLetGo, message || 'cancelled', effects);
  const left = next.jobs.some((job) => job.ended === null && job.progress !== JOB_PROGRESS.shipped);
  return { ...next, cancel: left ? next.cancel : 'confirmed' };
}

export function partnerCancel(
  state: RunState,
  event: Extract<RunEvent, { type: 'partner_cancel' }>,
  effects: RunEffect[],
): RunState {
  return updatePrintOrder(state, event.printOrderId, (printOrder) => {
    if (printOrder.cancel === 'confirmed') return printOrder;
    effects.push({
      type: 'log',
      event: `partner_cancel_${event.outcome}`,
      printOrderId: printOrder.id,
      data: { message: event.message },
    });
    // The word on jobs that an operator has cancelled or moved already: kept for the record.
    if (printOrder.cancel === null) return { ...printOrder };
    if (event.outcome === 'refused') return { ...printOrder, cancel: 'refused' };
    return confirmCancel(printOrder, () => true, event.message, effects);
  });
}

export function cancelItems(
  state: RunState,
  event: Extract<RunEvent, { type: 'cancel_items' }>,
  effects: RunEffect[],
): RunState {
  const chosen = new Set(event.itemIds);
  if (state.phase === 'preparing') {
    const items = state.items.map((item) =>
      chosen.has(item.id) && ITEM_TRANSITIONS[item.status].includes('cancelled')
        ? { ...item, status: 'cancelled' as const }
        : item,
    );
    effects.push(audit('cancel_items', event, { itemIds: event.itemIds }));
    return { ...state, items };
  }
  const before = effects.length;
  const printOrders = state.printOrders.map((printOrder) => {
    const isEnding = (job: JobState) => chosen.has(job.itemId);
    const open = printOrder.jobs.filter((job) => job.ended === null && isEnding(job));
    const known = open.filter(
      (job) => job.cancelledQuantity < job.quantity && job.progress !== JOB_PROGRESS.shipped,
    );
    if (known.length > 0 && printOrder.delivery !== 'refused') {
      effects.push({
        type: 'request_partner_cancel',
        printOrderId: printOrder.id,
        jobIds: known.map((job) => job.id),
        reason: event.reason,
      });
    }
    return endJobs(printOrder, isEnding, event.reason, effects);
  });
  if (effects.length === before) return state;
  effects.push(audit('cancel_items', event, { itemIds: event.itemIds }));
  return { ...state, printOrders };
}
