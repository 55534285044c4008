import { cancellableUnits, cancelRequestState, losesPart, unitsByJob } from '../facts/cancellations';
import { isBeforePlanning } from '../facts/items';
import { hasCancelledUnits, hasOpenJobs, isCancelRequested, needsNoAgreement, openJobs } from '../facts/jobs';
import type { EventOf } from '../run-events';
import type { JobState, PrintOrderState, RunState, StopRequest } from '../run-state';
import { hasShipped } from '../statuses';
import {
  andThen,
  audit,
  type Change,
  change,
  changePrintOrder,
  changePrintOrders,
  printOrderLog,
  setItems,
} from './change';
import { endJobs, endUnits, requestCancel, withoutRequested } from './ended-jobs';
import { withUnitsUpdate } from './order-updates';
import { withdrawReroutes } from './reroutes';

/**
 * How clients, operators and partners cancel jobs and units of them. A cancel request asks the partner for whole jobs. An order
 * update asks it for units, because it states the units that are still wanted.
 */

/** The client cancels the order. */
export function cancelRequested(state: RunState, event: EventOf<'cancel_requested'>): Change {
  if (state.items.some((item) => hasShipped(item.status)) || state.phase === 'closed') return change(state);
  const requested = change({ ...state, held: false }, audit('cancel_requested', event));
  return state.phase === 'preparing'
    ? andThen(requested, (next) => change(setItems(next, 'cancelled', isBeforePlanning)))
    : andThen(
        requested,
        (next) => withdrawReroutes(next, () => true, 'cancelled'),
        (next) => changePrintOrders(next, (printOrder) => cancelAtPartner(printOrder, event.reason)),
      );
}

/** Requests cancellation from a partner that may have open jobs. Ends the jobs at once when the partner does not have them. */
function cancelAtPartner(printOrder: PrintOrderState, reason: string): Change<PrintOrderState> {
  const open = openJobs(printOrder);
  if (open.length === 0) return change(printOrder);
  if (open.every((job) => needsNoAgreement(printOrder, job))) return endJobs(printOrder, () => true, reason);
  return change({ ...printOrder, cancel: 'requested' }, ...requestCancel(printOrder, open, reason));
}

/**
 * The partner has stopped making these jobs. Ends those that the client or an operator wants to cancel. A client's
 * request is confirmed when no job is left that could still be cancelled.
 */
export function confirmCancel(
  printOrder: PrintOrderState,
  isStopped: (job: JobState) => boolean,
  message: string,
): Change<PrintOrderState> {
  const reasonOf = (job: JobState) => job.cancelRequest?.reason ?? (message || 'cancelled');
  const ending = printOrder.jobs.filter((job) => isStopped(job) && isCancelRequested(printOrder, job));
  const reasons = [...new Set(ending.map(reasonOf))];
  return andThen(
    change(printOrder),
    ...reasons.map(
      (reason) => (left: PrintOrderState) =>
        endJobs(left, (job) => ending.includes(job) && reasonOf(job) === reason, reason),
    ),
    (left) => change(hasOpenJobs(left) || left.cancel === null ? left : { ...left, cancel: 'confirmed' }),
  );
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
export function partnerCancel(state: RunState, event: EventOf<'partner_cancel'>): Change {
  const { printOrderId, jobIds, outcome, message } = event;
  return changePrintOrder(state, printOrderId, (before) => {
    if (before.cancel === 'confirmed') return change(before);
    const printOrder = withStopResponse(before, event);
    const isNamed = (job: JobState) => jobIds?.includes(job.id) ?? true;
    const concerned = printOrder.jobs.filter((job) => isNamed(job) && isCancelRequested(printOrder, job));
    const refused = outcome === 'refused' && concerned.length > 0;
    // The client is notified of these items.
    const itemIds = [...new Set(concerned.map(({ itemId }) => itemId))];
    const log = printOrderLog(`partner_cancel_${outcome}`, printOrderId, { message, ...(refused ? { itemIds } : {}) });
    // Without a request, an operator has already cancelled or rerouted the jobs. The response is only logged.
    if (concerned.length === 0) return change(printOrder, log);
    if (refused) return change(refuseCancel(printOrder, isNamed), log);
    return andThen(change(printOrder, log), (next) => confirmCancel(next, isNamed, message));
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

/** An operator cancels items, or a client some of them. */
export function cancelItems(state: RunState, event: EventOf<'cancel_items'>): Change {
  const isChosen = ({ itemId }: { itemId: string }) => event.itemIds.includes(itemId);
  const log = audit('cancel_items', event, { itemIds: event.itemIds });
  if (state.phase === 'preparing') {
    const items = state.items.map((item) =>
      isChosen({ itemId: item.id }) && isBeforePlanning(item.status) ? { ...item, status: 'cancelled' as const } : item,
    );
    return change({ ...state, items }, log);
  }
  const next = andThen(
    withdrawReroutes(state, ({ printOrder }) => printOrder.jobs.some(isChosen), 'cancelled'),
    (rest) => changePrintOrders(rest, (printOrder) => cancelJobs(printOrder, isChosen, event)),
  );
  return next.effects.length === 0 ? change(state) : change(next.state, ...next.effects, log);
}

/**
 * Ends jobs that need no agreement, and asks the partner to cancel the others. A second request of an operator ends the
 * jobs, a second request of a client changes nothing.
 * @param request.asksOnly true for a client
 */
function cancelJobs(
  printOrder: PrintOrderState,
  isEnding: (job: JobState) => boolean,
  { reason, asksOnly }: { readonly reason: string; readonly asksOnly?: boolean },
): Change<PrintOrderState> {
  const known = openJobs(printOrder).filter(
    (job) =>
      isEnding(job) &&
      job.cancelledQuantity < job.quantity &&
      !(asksOnly && cancelRequestState(printOrder, job) !== null),
  );
  const isForced = (job: JobState) => !asksOnly && isCancelRequested(printOrder, job);
  const waits = (job: JobState) => !needsNoAgreement(printOrder, job) && !isForced(job);
  return andThen(
    change(printOrder, ...requestCancel(printOrder, known, reason)),
    (next) => endJobs(next, (job) => isEnding(job) && !waits(job), reason),
    (next) => {
      const cancelRequest = { reason, refused: false };
      const isAsked = (job: JobState) => known.includes(job) && waits(job);
      if (!next.jobs.some(isAsked)) return change(next);
      return change({ ...next, jobs: next.jobs.map((job) => (isAsked(job) ? { ...job, cancelRequest } : job)) });
    },
  );
}

/**
 * Cancels single units of items. Before the plan, the item has fewer: `prepared` ends the units that the plan has in addition.
 * A job that would lose all its units is cancelled as a whole, by a cancel request.
 */
export function cancelUnits(state: RunState, event: EventOf<'cancel_units'>): Change {
  if (!event.units.some(({ itemId }) => cancellableUnits(state, itemId) > 0)) return change(state);
  const log = audit('cancel_units', event, { units: event.units });
  if (state.phase === 'preparing') {
    const ended = new Map(event.units.map(({ itemId, quantity }) => [itemId, quantity]));
    const items = state.items.map((item) => ({
      ...item,
      quantity: Math.max(item.quantity - (ended.get(item.id) ?? 0), 0),
    }));
    return change({ ...state, items }, log);
  }
  const units = unitsByJob(state.printOrders, event.units);
  return andThen(change(state, log), (next) =>
    changePrintOrders(next, (printOrder) => cancelUnitsOf(printOrder, units, event)),
  );
}

/** Cancels units of the jobs of a print order: asks its partner, or ends them when the partner need not agree. */
function cancelUnitsOf(
  printOrder: PrintOrderState,
  units: ReadonlyMap<string, number>,
  { reason, force }: EventOf<'cancel_units'>,
): Change<PrintOrderState> {
  const concerned = printOrder.jobs.filter(({ id }) => units.has(id));
  if (concerned.length === 0) return change(printOrder);
  const part = concerned.filter((job) => losesPart(job, units));
  const whole = new Set(concerned.filter((job) => !part.includes(job)).map(({ id }) => id));
  const isForced = ({ unitsRequest }: JobState) =>
    force !== undefined && (unitsRequest !== undefined || force.withoutUpdates.includes(printOrder.id));
  const ending = part.filter((job) => needsNoAgreement(printOrder, job) || isForced(job));
  const jobs = printOrder.jobs.map((job): JobState => {
    if (!part.includes(job)) return job;
    const quantity = units.get(job.id)!;
    if (ending.includes(job)) return withoutRequested(job, quantity);
    return { ...job, unitsRequest: { quantity, reason, refused: false } };
  });
  const ended = new Map(ending.map(({ id }) => [id, units.get(id)!]));
  const asksOnly = force === undefined;
  return andThen(
    endUnits({ ...printOrder, jobs }, ended, reason),
    (left) => cancelJobs(left, ({ id }) => whole.has(id), { reason, asksOnly }),
    (left) => (part.length === 0 ? change(left) : withUnitsUpdate(left)),
  );
}

/** An operator refunds units that partners have cancelled. They end, and the rest of their jobs goes on. */
export function refundItems(state: RunState, event: EventOf<'refund_items'>): Change {
  const { reason, itemIds } = event;
  const isChosen = (job: JobState) => itemIds.includes(job.itemId) && hasCancelledUnits(job);
  if (!state.printOrders.some(({ jobs }) => jobs.some(isChosen))) return change(state);
  return andThen(change(state, audit('refund_items', event, { itemIds })), (next) =>
    changePrintOrders(next, (printOrder) => {
      const ending = printOrder.jobs.filter(isChosen).map((job): [string, number] => [job.id, job.cancelledQuantity]);
      if (ending.length === 0) return change(printOrder);
      const isPart = (job: JobState) => isChosen(job) && job.cancelledQuantity < job.quantity;
      const jobs = printOrder.jobs.map((job) => (isPart(job) ? { ...job, cancelledQuantity: 0 } : job));
      return endUnits({ ...printOrder, jobs }, new Map(ending), reason);
    }),
  );
}
