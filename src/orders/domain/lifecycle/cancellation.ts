import { audit, setItems, updatePrintOrder } from './changes';
import type { RunEffect, RunEvent } from './run-events';
import { JOB_PROGRESS, type JobState, type PrintOrderState, type RunState } from './run-state';
import { hasShipped, ITEM_TRANSITIONS } from './statuses';

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

/** Whether somebody wants a job cancelled, and its partner's word would do it. */
function isWanted(printOrder: PrintOrderState, job: JobState): boolean {
  const byClient = printOrder.cancel === 'requested' || printOrder.cancel === 'refused';
  return job.ended === null && (byClient || job.cancelRequest !== undefined);
}

/**
 * The partner lets go of these jobs: those that somebody wants cancelled end. A client's wish is fulfilled when none is
 * left that could still be cancelled.
 */
export function confirmCancel(
  printOrder: PrintOrderState,
  isLetGo: (job: JobState) => boolean,
  message: string,
  effects: RunEffect[],
): PrintOrderState {
  const reasonOf = (job: JobState) => job.cancelRequest?.reason ?? (message || 'cancelled');
  const ending = printOrder.jobs.filter((job) => isLetGo(job) && isWanted(printOrder, job));
  const next = [...new Set(ending.map(reasonOf))].reduce(
    (left, reason) =>
      endJobs(left, (job) => ending.includes(job) && reasonOf(job) === reason, reason, effects),
    printOrder,
  );
  const left = next.jobs.some((job) => job.ended === null && job.progress !== JOB_PROGRESS.shipped);
  return { ...next, cancel: left ? next.cancel : next.cancel && 'confirmed' };
}

/** The partner goes on making these jobs. */
function refuseCancel(printOrder: PrintOrderState, isKept: (job: JobState) => boolean): PrintOrderState {
  const open = printOrder.jobs.filter((job) => job.ended === null);
  const jobs = printOrder.jobs.map((job) =>
    isKept(job) && job.cancelRequest !== undefined
      ? { ...job, cancelRequest: { ...job.cancelRequest, refused: true } }
      : job,
  );
  // A client cancels everything that is open: a no to less was another wish's.
  const isClients = printOrder.cancel === 'requested' && open.every(isKept);
  return { ...printOrder, jobs, cancel: isClients ? 'refused' : printOrder.cancel };
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
    const isMeant = (job: JobState) => event.jobIds?.includes(job.id) ?? true;
    // The word on jobs that an operator has cancelled or moved already: kept for the record.
    if (!printOrder.jobs.some((job) => isMeant(job) && isWanted(printOrder, job))) return { ...printOrder };
    return event.outcome === 'refused'
      ? refuseCancel(printOrder, isMeant)
      : confirmCancel(printOrder, isMeant, event.message, effects);
  });
}

/**
 * Whether an operator's cancel needs nobody's word: the partner does not have the job, or was asked before and has not
 * agreed.
 */
function isDecided(printOrder: PrintOrderState, job: JobState): boolean {
  return (
    printOrder.delivery === 'refused' || job.cancelledQuantity === job.quantity || isWanted(printOrder, job)
  );
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
    const waits = (job: JobState) => event.asksPartner === true && !isDecided(printOrder, job);
    const next = endJobs(printOrder, (job) => isEnding(job) && !waits(job), event.reason, effects);
    const cancelRequest = { reason: event.reason, refused: false };
    const jobs = next.jobs.map((job) =>
      known.includes(job) && waits(job) ? { ...job, cancelRequest } : job,
    );
    return { ...next, jobs };
  });
  if (effects.length === before) return state;
  effects.push(audit('cancel_items', event, { itemIds: event.itemIds }));
  return { ...state, printOrders };
}
