import { audit, hasOpenJobs, isBeforePlanning, openJobs, setItems, updatePrintOrder } from './changes';
import { withdrawReroutes } from './repairs/waiting-reroutes';
import type { EventOf, ItemUnits, RunEffect } from './run-events';
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

/** How clients, operators and partners cancel jobs. */

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
function needsNoAgreement(printOrder: PrintOrderState, job: JobState): boolean {
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
  const printOrders = rest.printOrders.map((printOrder) => {
    const isEnding = (job: JobState) => chosen.has(job.itemId);
    const known = openJobs(printOrder).filter(
      (job) =>
        isEnding(job) &&
        job.cancelledQuantity < job.quantity &&
        !(event.asksOnly && requestState(printOrder, job) !== null),
    );
    requestCancel(printOrder, known, event.reason, effects);
    // A second request of an operator ends the jobs, a second request of a client changes nothing.
    const isForced = (job: JobState) => !event.asksOnly && isCancelRequested(printOrder, job);
    const waits = (job: JobState) => !needsNoAgreement(printOrder, job) && !isForced(job);
    const next = endJobs(printOrder, (job) => isEnding(job) && !waits(job), event.reason, effects);
    const cancelRequest = { reason: event.reason, refused: false };
    const jobs = next.jobs.map((job) => (known.includes(job) && waits(job) ? { ...job, cancelRequest } : job));
    return { ...next, jobs };
  });
  if (effects.length === before) return state;
  effects.push(audit('cancel_items', event, { itemIds: event.itemIds }));
  return { ...rest, printOrders };
}

/** Returns true for a job with units that its partner has cancelled and no operator has handled. */
export const hasCancelledUnits = ({ ended, cancelledQuantity }: JobState): boolean =>
  ended === null && cancelledQuantity > 0;

/** An operator refunds units that partners have cancelled. They end, and the rest of their jobs goes on. */
export function refundItems(state: RunState, event: EventOf<'refund_items'>, effects: RunEffect[]): RunState {
  const { reason, itemIds } = event;
  const isChosen = (job: JobState) => itemIds.includes(job.itemId) && hasCancelledUnits(job);
  if (!state.printOrders.some(({ jobs }) => jobs.some(isChosen))) return state;
  effects.push(audit('refund_items', event, { itemIds }));
  const printOrders = state.printOrders.map((printOrder) => {
    const ending = printOrder.jobs.filter(isChosen).map((job): [string, number] => [job.id, job.cancelledQuantity]);
    const isPart = (job: JobState) => isChosen(job) && job.cancelledQuantity < job.quantity;
    const kept = printOrder.jobs.map((job) => (isPart(job) ? { ...job, cancelledQuantity: 0 } : job));
    return endUnits({ ...printOrder, jobs: kept }, new Map(ending), reason, effects);
  });
  return { ...state, printOrders };
}

/** Ends units of open jobs: refunds them, releases their stock and plans the shipment of the rest again. @param units by job id */
function endUnits(
  printOrder: PrintOrderState,
  units: ReadonlyMap<string, number>,
  reason: string,
  effects: RunEffect[],
): PrintOrderState {
  if (units.size === 0) return printOrder;
  const isWhole = ({ id, quantity }: JobState) => (units.get(id) ?? 0) >= quantity;
  const jobs = printOrder.jobs.map((job): JobState => {
    const { id, itemId, progress } = job;
    const ended = units.get(id);
    if (ended === undefined || isWhole(job)) return job;
    const quantity = job.quantity - ended;
    const items = [{ itemId, quantity: ended }];
    effects.push({ type: 'refund', reason, jobIds: [`${id}-${job.quantity}`], items });
    if (progress < JOB_PROGRESS.printed) effects.push({ type: 'reduce_stock', jobs: [{ id, units: quantity }] });
    return { ...job, quantity };
  });
  const whole = printOrder.jobs.filter(isWhole).map(({ id }) => id);
  const next = endJobs({ ...printOrder, jobs }, ({ id }) => whole.includes(id), reason, effects);
  if (hasOpenJobs(next)) effects.push({ type: 'replan_shipments', printOrderIds: [next.id] });
  return next;
}

/** Returns the units of an open job that its partner has not shipped and has not cancelled. */
const unitsLeft = ({ ended, progress, quantity, cancelledQuantity }: JobState): number =>
  ended === null && progress !== JOB_PROGRESS.shipped ? quantity - cancelledQuantity : 0;

/** Returns the units of an item that can be cancelled. */
export function cancellableUnits(state: RunState, itemId: string): number {
  if (state.phase === 'preparing') return state.items.find(({ id }) => id === itemId)?.quantity ?? 0;
  const jobs = state.printOrders.flatMap((printOrder) => printOrder.jobs.filter((job) => job.itemId === itemId));
  return jobs.reduce((sum, job) => sum + unitsLeft(job), 0);
}

/** Ends single units of items. Before the plan, the item has fewer: `prepared` ends the units that the plan has in addition. */
export function cancelUnits(state: RunState, event: EventOf<'cancel_units'>, effects: RunEffect[]): RunState {
  if (!event.units.some(({ itemId }) => cancellableUnits(state, itemId) > 0)) return state;
  effects.push(audit('cancel_units', event, { units: event.units }));
  if (state.phase === 'preparing') {
    const ended = new Map(event.units.map(({ itemId, quantity }) => [itemId, quantity]));
    const items = state.items.map((item) => ({
      ...item,
      quantity: Math.max(item.quantity - (ended.get(item.id) ?? 0), 0),
    }));
    return { ...state, items };
  }
  return { ...state, printOrders: withoutUnits(state.printOrders, event.units, event.reason, effects) };
}

/** Ends units of items, in the order of the print orders. */
export function withoutUnits(
  printOrders: readonly PrintOrderState[],
  units: readonly ItemUnits[],
  reason: string,
  effects: RunEffect[],
): PrintOrderState[] {
  const left = new Map(units.map(({ itemId, quantity }) => [itemId, quantity]));
  return printOrders.map((printOrder) => {
    const ending = new Map<string, number>();
    for (const job of printOrder.jobs) {
      const wanted = left.get(job.itemId) ?? 0;
      const taken = Math.min(wanted, unitsLeft(job));
      if (taken === 0) continue;
      ending.set(job.id, taken);
      left.set(job.itemId, wanted - taken);
    }
    return endUnits(printOrder, ending, reason, effects);
  });
}
