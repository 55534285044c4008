import { audit, hasOpenJobs, isBeforePlanning, openJobs, setItems, updatePrintOrder } from './changes';
import { withdrawReroutes } from './repairs/waiting-reroutes';
import type { EventOf, RunEffect } from './run-events';
import {
  JOB_PROGRESS,
  type JobState,
  NOT_TAKEN,
  type PrintOrderState,
  type RunState,
  type StopRequest,
  type WaitingReroute,
} from './run-state';
import { hasShipped } from './statuses';

/** How clients, operators and partners cancel jobs. `cancelled-units.ts` has how they cancel units of them. */

/** Ends jobs as cancelled. Releases the stock of units that were not printed, and refunds what was invoiced. */
export function endJobs(
  printOrder: PrintOrderState,
  isEnding: (job: JobState) => boolean,
  reason: string,
  effects: RunEffect[],
): PrintOrderState {
  const ending = openJobs(printOrder).filter(isEnding);
  if (ending.length === 0) return printOrder;
  releaseStock(ending, effects);
  effects.push({
    type: 'refund',
    reason,
    printOrderId: printOrder.id,
    jobIds: ending.map(({ id }) => id),
    items: ending.map(({ itemId, quantity }) => ({ itemId, quantity })),
  });
  const jobs = printOrder.jobs.map((job) => (ending.includes(job) ? { ...job, ended: 'cancelled' as const } : job));
  return withoutUnusedLabel({ ...printOrder, jobs }, effects);
}

/** Adds the effect that releases the parts that were reserved for unprinted jobs. */
export function releaseStock(jobs: readonly JobState[], effects: RunEffect[]): void {
  const jobIds = jobs.flatMap(({ id, progress }) => (progress < JOB_PROGRESS.printed ? [id] : []));
  if (jobIds.length > 0) effects.push({ type: 'release_stock', jobIds });
}

/** Voids the labels of a print order that has nothing left to ship. */
export function withoutUnusedLabel(printOrder: PrintOrderState, effects: RunEffect[]): PrintOrderState {
  const { shipment } = printOrder;
  if (shipment === null || printOrder.jobs.some((job) => job.ended === null)) return printOrder;
  effects.push({ type: 'void_shipment', printOrderId: printOrder.id, shipmentId: shipment.id });
  return { ...printOrder, shipment: null };
}

/** The client cancels the order. */
export function cancelRequested(state: RunState, event: EventOf<'cancel_requested'>, effects: RunEffect[]): RunState {
  if (state.items.some((item) => hasShipped(item.status)) || state.phase === 'closed') return state;
  effects.push(audit('cancel_requested', event));
  if (state.phase === 'preparing') return setItems({ ...state, held: false }, 'cancelled', isBeforePlanning);
  const rest = withdrawReroutes(state, () => true, 'cancelled', effects);
  return {
    ...rest,
    held: false,
    printOrders: rest.printOrders.map((printOrder) => cancelAtPartner(printOrder, () => true, event.reason, effects)),
  };
}

/** Asks a partner to cancel these jobs. Not a partner that refused the print order. */
export function requestCancel(
  { id: printOrderId, delivery }: PrintOrderState,
  jobs: readonly JobState[],
  reason: string,
  effects: RunEffect[],
): void {
  if (jobs.length === 0 || NOT_TAKEN.includes(delivery)) return;
  effects.push({ type: 'request_partner_cancel', printOrderId, jobIds: jobs.map(({ id }) => id), reason });
}

/** Requests cancellation from a partner that may have the jobs. Ends the jobs at once when the partner does not have them. */
function cancelAtPartner(
  printOrder: PrintOrderState,
  isEnding: (job: JobState) => boolean,
  reason: string,
  effects: RunEffect[],
): PrintOrderState {
  const open = openJobs(printOrder).filter(isEnding);
  if (open.length === 0) return printOrder;
  if (NOT_TAKEN.includes(printOrder.delivery) || open.every((job) => job.cancelledQuantity === job.quantity)) {
    return endJobs(printOrder, isEnding, reason, effects);
  }
  requestCancel(printOrder, open, reason, effects);
  return { ...printOrder, cancel: 'requested' };
}

/** Returns true when the client or an operator has requested to cancel a job that is still open. */
function isCancelRequested(printOrder: PrintOrderState, job: JobState): boolean {
  // A job that moves to another partner is stopped, not cancelled.
  if (job.stopRequest === 'waiting' || job.stopRequest === 'agreed') return false;
  const byClient = printOrder.cancel === 'requested' || printOrder.cancel === 'refused';
  return job.ended === null && (byClient || job.cancelRequest !== undefined);
}

/**
 * The partner has stopped making these jobs. Ends those that the client or an operator wants to cancel. A client's
 * request is confirmed when no job is left that could still be cancelled.
 */
export function confirmCancel(
  printOrder: PrintOrderState,
  isStopped: (job: JobState) => boolean,
  message: string,
  effects: RunEffect[],
): PrintOrderState {
  const reasonOf = (job: JobState) => job.cancelRequest?.reason ?? (message || 'cancelled');
  const ending = printOrder.jobs.filter((job) => isStopped(job) && isCancelRequested(printOrder, job));
  const next = [...new Set(ending.map(reasonOf))].reduce(
    (left, reason) => endJobs(left, (job) => ending.includes(job) && reasonOf(job) === reason, reason, effects),
    printOrder,
  );
  return { ...next, cancel: hasOpenJobs(next) ? next.cancel : next.cancel && 'confirmed' };
}

/** The partner refused to cancel these jobs. */
function refuseCancel(printOrder: PrintOrderState, isKept: (job: JobState) => boolean): PrintOrderState {
  const jobs = printOrder.jobs.map((job) =>
    isKept(job) && job.cancelRequest !== undefined
      ? { ...job, cancelRequest: { ...job.cancelRequest, refused: true } }
      : job,
  );
  // A client's request covers all open jobs. A refusal of fewer jobs concerns an operator's request.
  const isForClient = printOrder.cancel === 'requested' && openJobs(printOrder).every(isKept);
  return { ...printOrder, jobs, cancel: isForClient ? 'refused' : printOrder.cancel };
}

/** The partner responded to a cancel request. */
export function partnerCancel(state: RunState, event: EventOf<'partner_cancel'>, effects: RunEffect[]): RunState {
  return updatePrintOrder(state, event.printOrderId, (before) => {
    if (before.cancel === 'confirmed') return before;
    const printOrder = withStopResponse(before, event);
    const isNamed = (job: JobState) => event.jobIds?.includes(job.id) ?? true;
    const concerned = printOrder.jobs.filter((job) => isNamed(job) && isCancelRequested(printOrder, job));
    const refused = event.outcome === 'refused' && concerned.length > 0;
    const itemIds = [...new Set(concerned.map(({ itemId }) => itemId))];
    effects.push({
      type: 'log',
      event: `partner_cancel_${event.outcome}`,
      printOrderId: printOrder.id,
      // The client is notified of these items.
      data: { message: event.message, ...(refused ? { itemIds } : {}) },
    });
    // An operator has already cancelled or rerouted the jobs. The response is only logged.
    if (concerned.length === 0) return { ...printOrder };
    return event.outcome === 'refused'
      ? refuseCancel(printOrder, isNamed)
      : confirmCancel(printOrder, isNamed, event.message, effects);
  });
}

/** Adds a partner's response to its jobs whose units are to be rerouted. */
function withStopResponse(
  printOrder: PrintOrderState,
  { jobIds, outcome }: EventOf<'partner_cancel'>,
): PrintOrderState {
  const stopRequest: StopRequest = outcome === 'confirmed' ? 'agreed' : 'refused';
  const jobs = printOrder.jobs.map((job) => {
    const isAsked = job.stopRequest === 'waiting' || job.stopRequest === 'unanswered';
    return isAsked && (jobIds?.includes(job.id) ?? true) ? { ...job, stopRequest } : job;
  });
  return { ...printOrder, jobs };
}

/** Returns true when a cancel needs no agreement: the partner does not have the job, or has cancelled it. */
export function needsNoAgreement(printOrder: PrintOrderState, job: JobState): boolean {
  return NOT_TAKEN.includes(printOrder.delivery) || job.cancelledQuantity === job.quantity;
}

/** What became of a request to cancel items: they are cancelled, or a partner has the request or has refused it. */
export const CANCELLATIONS = ['done', 'requested', 'refused'] as const;
export type Cancellation = (typeof CANCELLATIONS)[number];

/** Returns what became of a request to cancel these items. Null: it was not made, or not for all of them. */
export function cancellationOf(state: RunState, itemIds: readonly string[]): Cancellation | null {
  if (state.items.every(({ id, status }) => !itemIds.includes(id) || status === 'cancelled')) return 'done';
  const requests = state.printOrders.flatMap((printOrder) =>
    openJobs(printOrder)
      .filter((job) => itemIds.includes(job.itemId))
      .map((job) => requestState(printOrder, job)),
  );
  if (requests.length === 0 || requests.includes(null)) return null;
  return requests.includes('refused') ? 'refused' : 'requested';
}

/** Returns what became of a request to cancel units of these items. */
export function unitsCancellationOf(state: RunState, itemIds: readonly string[]): Cancellation {
  const requests = state.printOrders.flatMap((printOrder) =>
    openJobs(printOrder).flatMap(({ itemId, unitsRequest, cancelRequest }) =>
      itemIds.includes(itemId) ? (unitsRequest ?? cancelRequest ?? []) : [],
    ),
  );
  if (requests.length === 0) return 'done';
  return requests.some(({ refused }) => refused) ? 'refused' : 'requested';
}

/** Returns the state of a request to cancel a job. Null without one. */
function requestState({ cancel }: PrintOrderState, { cancelRequest }: JobState): 'requested' | 'refused' | null {
  if (cancelRequest !== undefined) return cancelRequest.refused ? 'refused' : 'requested';
  return cancel === 'requested' || cancel === 'refused' ? cancel : null;
}

/** An operator cancels items, or a client some of them. */
export function cancelItems(state: RunState, event: EventOf<'cancel_items'>, effects: RunEffect[]): RunState {
  const chosen = new Set(event.itemIds);
  if (state.phase === 'preparing') {
    const items = state.items.map((item) =>
      chosen.has(item.id) && isBeforePlanning(item.status) ? { ...item, status: 'cancelled' as const } : item,
    );
    effects.push(audit('cancel_items', event, { itemIds: event.itemIds }));
    return { ...state, items };
  }
  const before = effects.length;
  const isChosen = ({ printOrder }: WaitingReroute) => printOrder.jobs.some((job) => chosen.has(job.itemId));
  const rest = withdrawReroutes(state, isChosen, 'cancelled', effects);
  const printOrders = rest.printOrders.map((printOrder) =>
    cancelJobs(printOrder, (job) => chosen.has(job.itemId), event, effects),
  );
  if (effects.length === before) return state;
  effects.push(audit('cancel_items', event, { itemIds: event.itemIds }));
  return { ...rest, printOrders };
}

/**
 * Ends jobs that need no agreement, and asks the partner to cancel the others. A second request of an operator ends the
 * jobs, a second request of a client changes nothing.
 * @param request.asksOnly true for a client
 */
export function cancelJobs(
  printOrder: PrintOrderState,
  isEnding: (job: JobState) => boolean,
  { reason, asksOnly }: { readonly reason: string; readonly asksOnly?: boolean },
  effects: RunEffect[],
): PrintOrderState {
  const known = openJobs(printOrder).filter(
    (job) =>
      isEnding(job) && job.cancelledQuantity < job.quantity && !(asksOnly && requestState(printOrder, job) !== null),
  );
  requestCancel(printOrder, known, reason, effects);
  const isForced = (job: JobState) => !asksOnly && isCancelRequested(printOrder, job);
  const waits = (job: JobState) => !needsNoAgreement(printOrder, job) && !isForced(job);
  const next = endJobs(printOrder, (job) => isEnding(job) && !waits(job), reason, effects);
  const cancelRequest = { reason, refused: false };
  const jobs = next.jobs.map((job) => (known.includes(job) && waits(job) ? { ...job, cancelRequest } : job));
  return { ...next, jobs };
}
