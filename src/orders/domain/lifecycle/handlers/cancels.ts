import { cancellableUnits, cancelRequestState, losesPart, unitsByJob } from '../facts/cancellations';
import { isBeforePlanning } from '../facts/items';
import { hasCancelledUnits, hasLeft, hasOpenJobs, isCancelRequested, needsNoAgreement, openJobs } from '../facts/jobs';
import type { EventOf, RunEffect } from '../run-events';
import type { JobState } from '../run-state';
import { hasShipped } from '../statuses';
import { audit, changePrintOrder, type PrintOrder, printOrderLog, type Run, raiseAttention, setItems } from './change';
import { endJobs, endUnits, removeRequested, requestCancel } from './ended-jobs';
import { updateUnits } from './order-updates';
import { withdrawReroutes } from './reroutes';

/**
 * How clients, operators and partners cancel jobs and units of them. A cancel request asks the partner for whole jobs. An order
 * update asks it for units, because it states the units that are still wanted.
 */

/** The client cancels the order. */
export function cancelRequested(run: Run, event: EventOf<'cancel_requested'>): RunEffect[] {
  if (run.items.some(({ status }) => hasShipped(status)) || run.phase === 'closed') return [];
  run.held = false;
  const log = audit('cancel_requested', event);
  if (run.phase === 'preparing') {
    setItems(run, 'cancelled', isBeforePlanning);
    return [log];
  }
  const withdrawn = withdrawReroutes(run, () => true, 'cancelled');
  return [log, ...withdrawn, ...run.printOrders.flatMap((each) => cancelAtPartner(each, event.reason))];
}

/** Requests cancellation from a partner that may have open jobs. Ends the jobs at once when the partner does not have them. */
function cancelAtPartner(printOrder: PrintOrder, reason: string): RunEffect[] {
  const open = openJobs(printOrder);
  if (open.length === 0) return [];
  if (open.every((job) => needsNoAgreement(printOrder, job))) return endJobs(printOrder, () => true, reason);
  printOrder.cancel = 'requested';
  return requestCancel(printOrder, open, reason);
}

/**
 * The partner has stopped making these jobs. Ends those that the client or an operator wants to cancel. A client's
 * request is confirmed when no job is left that could still be cancelled.
 */
export function confirmCancel(
  printOrder: PrintOrder,
  isStopped: (job: JobState) => boolean,
  message: string,
): RunEffect[] {
  const reasonOf = (job: JobState) => job.cancelRequest?.reason ?? (message || 'cancelled');
  const ending: JobState[] = printOrder.jobs.filter((job) => isStopped(job) && isCancelRequested(printOrder, job));
  const effects = [...new Set(ending.map(reasonOf))].flatMap((reason) =>
    endJobs(printOrder, (job) => ending.includes(job) && reasonOf(job) === reason, reason),
  );
  if (printOrder.cancel !== null && !hasOpenJobs(printOrder)) printOrder.cancel = 'confirmed';
  return effects;
}

/** The partner responded to a cancel request. */
export function partnerCancel(run: Run, event: EventOf<'partner_cancel'>): RunEffect[] {
  const { printOrderId, jobIds, outcome, message } = event;
  return changePrintOrder(run, printOrderId, (printOrder) => {
    if (printOrder.cancel === 'confirmed') return [];
    const isNamed = ({ id }: JobState) => jobIds?.includes(id) ?? true;
    for (const job of printOrder.jobs.filter(isNamed)) {
      const isAsked = job.stopRequest === 'waiting' || job.stopRequest === 'unanswered';
      if (isAsked) job.stopRequest = outcome === 'confirmed' ? 'agreed' : 'refused';
    }
    const concerned = printOrder.jobs.filter((job) => isNamed(job) && isCancelRequested(printOrder, job));
    // The client is notified of these items.
    const itemIds = [...new Set(concerned.map(({ itemId }) => itemId))];
    const refused = outcome === 'refused' && concerned.length > 0;
    const log = printOrderLog(`partner_cancel_${outcome}`, printOrderId, { message, ...(refused ? { itemIds } : {}) });
    // Without a request, an operator has already cancelled or rerouted the jobs. The response is only logged.
    if (concerned.length === 0) return [log];
    if (outcome === 'confirmed') {
      if (concerned.some((job) => hasLeft(job, printOrder))) raiseAttention(run, 'cancelled_shipped');
      return [log, ...confirmCancel(printOrder, isNamed, message)];
    }
    refuseCancel(printOrder, isNamed);
    return [log];
  });
}

/** The partner refused to cancel these jobs. */
function refuseCancel(printOrder: PrintOrder, isKept: (job: JobState) => boolean): void {
  for (const { cancelRequest } of printOrder.jobs.filter(isKept)) {
    if (cancelRequest !== undefined) cancelRequest.refused = true;
  }
  // A client's request covers all open jobs. A refusal of fewer jobs concerns an operator's request.
  if (printOrder.cancel === 'requested' && openJobs(printOrder).every(isKept)) printOrder.cancel = 'refused';
}

/** An operator cancels items, or a client some of them. */
export function cancelItems(run: Run, event: EventOf<'cancel_items'>): RunEffect[] {
  const log = audit('cancel_items', event, { itemIds: event.itemIds });
  if (run.phase === 'preparing') {
    setItems(run, 'cancelled', (item) => event.itemIds.includes(item.id) && isBeforePlanning(item));
    return [log];
  }
  const isChosen = ({ itemId }: JobState) => event.itemIds.includes(itemId);
  const effects = [
    ...withdrawReroutes(run, ({ printOrder }) => printOrder.jobs.some(isChosen), 'cancelled'),
    ...run.printOrders.flatMap((each) => cancelJobs(each, isChosen, event)),
  ];
  return effects.length === 0 ? [] : [...effects, log];
}

/**
 * Ends jobs that need no agreement, and asks the partner to cancel the others. A second request of an operator ends the
 * jobs, a second request of a client changes nothing.
 * @param request.asksOnly true for a client
 */
function cancelJobs(
  printOrder: PrintOrder,
  isEnding: (job: JobState) => boolean,
  { reason, asksOnly }: { readonly reason: string; readonly asksOnly?: boolean },
): RunEffect[] {
  const known = openJobs(printOrder).filter(
    (job) =>
      isEnding(job) &&
      job.cancelledQuantity < job.quantity &&
      !(asksOnly && cancelRequestState(printOrder, job) !== null),
  );
  const isForced = (job: JobState) => !asksOnly && isCancelRequested(printOrder, job);
  const waits = (job: JobState) => !needsNoAgreement(printOrder, job) && !isForced(job);
  const asked = known.filter(waits);
  const effects = [
    ...requestCancel(printOrder, known, reason),
    ...endJobs(printOrder, (job) => isEnding(job) && !waits(job), reason),
  ];
  for (const job of asked) job.cancelRequest = { reason, refused: false };
  return effects;
}

/**
 * Cancels single units of items. Before the plan, the item has fewer: `prepared` ends the units that the plan has in addition.
 * A job that would lose all its units is cancelled as a whole, by a cancel request.
 */
export function cancelUnits(run: Run, event: EventOf<'cancel_units'>): RunEffect[] {
  if (!event.units.some(({ itemId }) => cancellableUnits(run, itemId) > 0)) return [];
  const log = audit('cancel_units', event, { units: event.units });
  if (run.phase === 'preparing') {
    const ended = new Map(event.units.map(({ itemId, quantity }) => [itemId, quantity]));
    for (const item of run.items) item.quantity = Math.max(item.quantity - (ended.get(item.id) ?? 0), 0);
    return [log];
  }
  const units = unitsByJob(run.printOrders, event.units);
  return [log, ...run.printOrders.flatMap((each) => cancelUnitsOf(each, units, event))];
}

/** Cancels units of the jobs of a print order: asks its partner, or ends them when the partner need not agree. */
function cancelUnitsOf(
  printOrder: PrintOrder,
  units: ReadonlyMap<string, number>,
  { reason, force }: EventOf<'cancel_units'>,
): RunEffect[] {
  const part = printOrder.jobs.filter((job) => losesPart(job, units));
  const whole = printOrder.jobs.filter(({ id }) => units.has(id) && part.every((job) => job.id !== id));
  const ending = new Map<string, number>();
  for (const job of part) {
    const quantity = units.get(job.id)!;
    const isForced = job.unitsRequest !== undefined || force?.withoutUpdates.includes(printOrder.id);
    if (needsNoAgreement(printOrder, job) || (force !== undefined && isForced)) {
      ending.set(job.id, quantity);
      removeRequested(job, quantity);
    } else {
      job.unitsRequest = { quantity, reason, refused: false };
    }
  }
  const isWhole = (job: JobState) => whole.some(({ id }) => id === job.id);
  return [
    ...endUnits(printOrder, ending, reason),
    ...cancelJobs(printOrder, isWhole, { reason, asksOnly: force === undefined }),
    ...(part.length === 0 ? [] : updateUnits(printOrder)),
  ];
}

/** An operator refunds units that partners have cancelled. They end, and the rest of their jobs goes on. */
export function refundItems(run: Run, event: EventOf<'refund_items'>): RunEffect[] {
  const { reason, itemIds } = event;
  const isChosen = (job: JobState) => itemIds.includes(job.itemId) && hasCancelledUnits(job);
  if (!run.printOrders.some(({ jobs }) => jobs.some(isChosen))) return [];
  const ended = run.printOrders.flatMap((printOrder) => {
    const chosen = printOrder.jobs.filter(isChosen);
    const units = new Map(chosen.map(({ id, cancelledQuantity }) => [id, cancelledQuantity]));
    for (const job of chosen) if (job.cancelledQuantity < job.quantity) job.cancelledQuantity = 0;
    return endUnits(printOrder, units, reason);
  });
  return [audit('refund_items', event, { itemIds }), ...ended];
}
