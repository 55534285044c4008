import { endJobs } from './cancellation';
import { audit, hasOpenJobs } from './changes';
import type { EventOf, RunEffect } from './run-events';
import { JOB_PROGRESS, type JobState, type PrintOrderState, type RunState } from './run-state';

/** How units of jobs end: by an operator's refund, or with the agreement of the partner that was asked not to make them. */

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

/**
 * Ends units of jobs: refunds them, releases their stock and plans the shipment of the rest again.
 * @param units by job id
 */
export function endUnits(
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
    effects.push({ type: 'refund', reason, printOrderId: printOrder.id, jobIds: [`${id}-${job.quantity}`], items });
    if (progress < JOB_PROGRESS.printed) effects.push({ type: 'reduce_stock', jobs: [{ id, units: quantity }] });
    return { ...job, quantity };
  });
  const whole = printOrder.jobs.filter(isWhole).map(({ id }) => id);
  const next = endJobs({ ...printOrder, jobs }, ({ id }) => whole.includes(id), reason, effects);
  if (hasOpenJobs(next)) effects.push({ type: 'replan_shipments', printOrderIds: [next.id] });
  return next;
}

/** Returns true when the partner has been asked not to make units of the job, and has not responded. */
export const isAskedForUnits = ({ ended, unitsRequest }: JobState): boolean =>
  ended === null && unitsRequest?.refused === false;

/** Returns the job without units in the request to its partner: they have ended. */
export function withoutRequested({ unitsRequest, ...job }: JobState, units: number): JobState {
  const quantity = (unitsRequest?.quantity ?? 0) - units;
  return unitsRequest === undefined || quantity <= 0 ? job : { ...job, unitsRequest: { ...unitsRequest, quantity } };
}

/** Ends the units that a partner was asked not to make: it has agreed, or does not have the print order. */
export function endRequestedUnits(printOrder: PrintOrderState, effects: RunEffect[]): PrintOrderState {
  // The partner may have cancelled some of them itself.
  return endAsked(
    printOrder,
    ({ unitsRequest, quantity, cancelledQuantity }) => Math.min(unitsRequest!.quantity, quantity - cancelledQuantity),
    (job) => withoutRequested(job, job.unitsRequest!.quantity),
    effects,
  );
}

/**
 * The partner cancelled units that it was asked not to make. This is its agreement: they end, and only the others wait for an
 * operator.
 * @param before the print order before the partner's message
 */
export function endAgreedUnits(
  before: PrintOrderState,
  printOrder: PrintOrderState,
  effects: RunEffect[],
): PrintOrderState {
  const agreedOf = ({ id, cancelledQuantity, unitsRequest }: JobState) => {
    const earlier = before.jobs.find((job) => job.id === id)!.cancelledQuantity;
    return Math.min(cancelledQuantity - earlier, unitsRequest!.quantity);
  };
  return endAsked(
    printOrder,
    agreedOf,
    (job) => {
      const units = agreedOf(job);
      return withoutRequested({ ...job, cancelledQuantity: job.cancelledQuantity - units }, units);
    },
    effects,
  );
}

/** Ends units of the jobs whose partner has been asked not to make them. */
function endAsked(
  printOrder: PrintOrderState,
  unitsOf: (job: JobState) => number,
  settled: (job: JobState) => JobState,
  effects: RunEffect[],
): PrintOrderState {
  const asked = printOrder.jobs.filter(isAskedForUnits);
  if (asked.length === 0) return printOrder;
  const units = asked.map((job): [string, number] => [job.id, unitsOf(job)]).filter(([, quantity]) => quantity > 0);
  const jobs = printOrder.jobs.map((job) => (asked.includes(job) ? settled(job) : job));
  return endUnits({ ...printOrder, jobs }, new Map(units), asked[0]!.unitsRequest!.reason, effects);
}

/** The partner makes the units that it was asked not to make. The client is notified of their items. */
export function refuseRequestedUnits(
  printOrder: PrintOrderState,
  message: string,
  effects: RunEffect[],
): PrintOrderState {
  const itemIds = [...new Set(printOrder.jobs.filter(isAskedForUnits).map(({ itemId }) => itemId))];
  if (itemIds.length === 0) return printOrder;
  const data = { message, itemIds };
  effects.push({ type: 'log', event: 'partner_cancel_refused', printOrderId: printOrder.id, data });
  const jobs = printOrder.jobs.map((job) =>
    isAskedForUnits(job) ? { ...job, unitsRequest: { ...job.unitsRequest!, refused: true } } : job,
  );
  return { ...printOrder, jobs };
}
