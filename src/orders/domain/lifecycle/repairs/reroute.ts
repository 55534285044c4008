import { releaseStock, requestCancel, withoutUnusedLabel } from '../cancellation';
import { audit, hasOpenJobs, newPrintOrder, raiseAttention } from '../changes';
import { type EventOf, type ReroutedUnits, type RunEffect, requestedBy } from '../run-events';
import {
  JOB_PROGRESS,
  type JobState,
  type PrintOrderState,
  printOrderOf,
  type RunState,
  type StopRequest,
  type WaitingReroute,
} from '../run-state';
import { isWithPartner, type ReroutedJob, reroutedJobs } from './reroute-units';
import { withdrawReroutes, withoutWaiting } from './waiting-reroutes';

/**
 * Reroutes: a new print order makes units that other print orders have, at another partner (reroute) or once more
 * (reproduce).
 */

/** Adds the new print order. With a deadline it waits until the partners of the units have agreed to stop. */
export function rerouted(state: RunState, event: EventOf<'rerouted'>, effects: RunEffect[]): RunState {
  const { id } = event.printOrder;
  const isKnown = [...state.printOrders, ...(state.waitingReroutes ?? []).map((each) => each.printOrder)];
  if (isKnown.some((printOrder) => printOrder.id === id)) return state;
  if (event.waitsUntil !== undefined && state.phase !== 'closed') {
    return waitForPartners(state, event, event.waitsUntil, effects);
  }
  const force = event.force === true ? { force: true } : {};
  const { units, lost } = unitsLeft(state, event.units);
  effects.push(audit(event.action, event, { printOrderId: id, units, ...force }));
  // An earlier reroute of these jobs may have failed. The operator now decides without their partner.
  const decided = event.force === true ? withForce(state, event.units) : state;
  const planned = newPrintOrder(event.printOrder);
  const printOrder = {
    ...planned,
    jobs: planned.jobs.map((job) => ({ ...job, quantity: job.quantity - lost })),
  };
  const next = addRerouted(decided, { ...event, units, printOrder }, effects);
  if (lost > 0) effects.push({ type: 'replan_shipments', printOrderIds: [id] });
  deliver(next, id, effects);
  return next;
}

/** Returns the units that were not cancelled while the reroute was planned, and the number of those that were. */
function unitsLeft(
  state: RunState,
  wanted: readonly ReroutedUnits[],
): { units: readonly ReroutedUnits[]; lost: number } {
  const units = reroutedJobs(state, wanted).flatMap(({ job, quantity }) =>
    job.ended === null ? [{ jobId: job.id, quantity }] : [],
  );
  // Without any unit, the new print order ends as planned.
  return units.length === 0 ? { units: wanted, lost: 0 } : { units, lost: total(wanted) - total(units) };
}

const total = (units: readonly ReroutedUnits[]): number => units.reduce((sum, { quantity }) => sum + quantity, 0);

function withForce(state: RunState, units: readonly ReroutedUnits[]): RunState {
  const jobIds = reroutedJobs(state, units).flatMap(({ job }) => (job.stopRequest ? [job.id] : []));
  if (jobIds.length === 0) return state;
  return { ...state, printOrders: state.printOrders.map((each) => withStopRequest(each, jobIds, 'forced')) };
}

/** Delivers the new print order, unless it ended. A release delivers the print orders of a held order. */
function deliver(state: RunState, printOrderId: string, effects: RunEffect[]): void {
  const { jobs } = printOrderOf(state, printOrderId);
  if (!state.held && jobs.every((job) => job.ended === null)) {
    effects.push({ type: 'deliver_print_order', printOrderId });
  }
}

/** Requests from the partners to stop making the units. Until they have responded, the new print order waits. */
function waitForPartners(state: RunState, event: EventOf<'rerouted'>, until: number, effects: RunEffect[]): RunState {
  const { action, by, reason, printOrder, units } = event;
  const data = { printOrderId: printOrder.id, units, waitsUntil: new Date(until).toISOString() };
  effects.push(audit(`${action}_requested`, event, data));
  const asked = new Set(
    reroutedJobs(state, units)
      .filter(isWithPartner)
      .map(({ job }) => job.id),
  );
  const printOrders = state.printOrders.map((each) => {
    const jobs = each.jobs.filter(({ id }) => asked.has(id));
    if (jobs.length === 0) return each;
    requestCancel(each, jobs, reason, effects);
    return withStopRequest(each, [...asked], 'waiting');
  });
  const waiting: WaitingReroute = {
    action,
    by,
    reason,
    printOrder: newPrintOrder(printOrder),
    units,
    until,
    shippingRevision: state.shippingRevision,
  };
  const waitingReroutes = [...(state.waitingReroutes ?? []), waiting];
  return settleReroutes({ ...state, printOrders, waitingReroutes }, effects);
}

function withStopRequest(
  printOrder: PrintOrderState,
  jobIds: readonly string[],
  stopRequest: StopRequest,
): PrintOrderState {
  const jobs = printOrder.jobs.map((job) => (jobIds.includes(job.id) ? { ...job, stopRequest } : job));
  return { ...printOrder, jobs };
}

/** Ends the wait of a reroute by an operator's request: the new partner makes the units whatever the others do. */
export function rerouteForced(state: RunState, event: EventOf<'reroute_forced'>, effects: RunEffect[]): RunState {
  return settleNow(state, event.printOrderId, 'forced', requestedBy(event), effects);
}

/** Ends the wait of a reroute whose deadline has passed. */
export function rerouteDue(state: RunState, event: EventOf<'reroute_due'>, effects: RunEffect[]): RunState {
  return settleNow(state, event.printOrderId, 'unanswered', {}, effects);
}

/** Settles a waiting reroute: every stop request without an agreement gets this outcome. */
function settleNow(
  state: RunState,
  printOrderId: string,
  outcome: 'forced' | 'unanswered',
  by: Partial<Pick<WaitingReroute, 'by' | 'reason'>>,
  effects: RunEffect[],
): RunState {
  const waiting = state.waitingReroutes?.find(({ printOrder }) => printOrder.id === printOrderId);
  if (waiting === undefined) return state;
  const isSettled = (job: JobState) =>
    job.stopRequest === 'waiting' || (outcome === 'forced' && job.stopRequest === 'refused');
  const jobIds = reroutedJobs(state, waiting.units).flatMap(({ job }) => (isSettled(job) ? [job.id] : []));
  const printOrders = state.printOrders.map((printOrder) => withStopRequest(printOrder, jobIds, outcome));
  return settle({ ...state, printOrders }, waiting, { ...waiting, ...by }, effects);
}

/** Delivers or withdraws the waiting reroutes whose partners have all responded. */
export function settleReroutes(state: RunState, effects: RunEffect[]): RunState {
  return (state.waitingReroutes ?? []).reduce((next, waiting) => settle(next, waiting, waiting, effects), state);
}

/** @param now the reroute with the request that ends its wait */
function settle(state: RunState, waiting: WaitingReroute, now: WaitingReroute, effects: RunEffect[]): RunState {
  const jobs = reroutedJobs(state, waiting.units).map((each) => ({ ...each, free: freeUnits(each) }));
  if (jobs.some(({ free }) => free === null)) return state;
  const kept = jobs.filter(({ job, quantity, free }) => free! < quantity && job.ended === null);
  const why = (['refused', 'unanswered'] as const).find((outcome) =>
    kept.some(({ job }) => job.stopRequest === outcome),
  );
  const units = jobs.flatMap(({ job, free }) => (free! > 0 ? [{ jobId: job.id, quantity: free! }] : []));
  const next =
    units.length === 0
      ? withdrawReroutes(state, (each) => each === waiting, why ?? 'ended', effects)
      : endWait(withoutWaiting(state, [waiting]), { ...now, units }, effects);
  return why === undefined ? next : raiseAttention(next, 'not_rerouted');
}

/**
 * Returns how many units of a job another partner can make. Null: the partner has not responded.
 * Without a response in time, units that a partner reported to be in production stay with it. Units that it has not
 * acknowledged, or whose production it stopped with an error, are free.
 */
function freeUnits(rerouted: ReroutedJob): number | null {
  const { printOrder, job, quantity } = rerouted;
  if (job.ended !== null) return 0;
  const cancelled = Math.min(job.cancelledQuantity, quantity);
  if (job.progress === JOB_PROGRESS.shipped) return cancelled;
  if (!isWithPartner(rerouted)) return quantity;
  switch (job.stopRequest) {
    case 'waiting':
      return null;
    case 'agreed':
    case 'forced':
      return quantity;
    case 'unanswered':
      return isInProduction(job, printOrder) ? cancelled : quantity;
    default:
      return cancelled;
  }
}

/** Returns true when the partner's latest report is progress on the job, or when it has requested the label. */
function isInProduction(job: JobState, { shipment }: Pick<PrintOrderState, 'shipment'>): boolean {
  const isStopped = job.error !== null && job.error.at >= job.progressAt;
  return shipment !== null || (job.progress >= JOB_PROGRESS.received && !isStopped);
}

/** Delivers a waiting print order. It makes the units that the partners of the other print orders have set free. */
function endWait(state: RunState, waiting: WaitingReroute, effects: RunEffect[]): RunState {
  const { action, printOrder: planned, units } = waiting;
  const outcomes = new Set(reroutedJobs(state, units).map(({ job }) => job.stopRequest));
  effects.push(
    audit(action, waiting, {
      printOrderId: planned.id,
      units,
      ...(outcomes.has('forced') ? { force: true } : {}),
      ...(outcomes.has('unanswered') ? { unanswered: true } : {}),
    }),
  );
  const quantity = total(units);
  const printOrder = { ...planned, jobs: planned.jobs.map((job) => ({ ...job, quantity })) };
  const next = addRerouted(state, { reason: waiting.reason, units, printOrder }, effects);
  const isOutdated = state.shippingRevision !== waiting.shippingRevision || planned.jobs[0]?.quantity !== quantity;
  const touched = reroutedJobs(state, units).map((each) => each.printOrder.id);
  const printOrderIds = next.printOrders.flatMap((each) => {
    const loses = touched.includes(each.id) && hasOpenJobs(each);
    return loses || (each.id === printOrder.id && isOutdated) ? [each.id] : [];
  });
  if (printOrderIds.length > 0) effects.push({ type: 'replan_shipments', printOrderIds });
  deliver(next, printOrder.id, effects);
  return next;
}

/** Adds a rerouted print order, and removes its units from the print orders that had them. */
function addRerouted(
  state: RunState,
  { printOrder, units, reason }: Pick<WaitingReroute, 'printOrder' | 'units' | 'reason'>,
  effects: RunEffect[],
): RunState {
  const quantities = new Map(units.map(({ jobId, quantity }) => [jobId, quantity]));
  let touched = 0;
  const printOrders = state.printOrders.map((each) => {
    const next = withoutUnits(each, quantities, reason, effects);
    if (next !== each) touched += 1;
    return next;
  });
  if (state.phase === 'closed' || (touched === 0 && units.length > 0)) {
    // The units shipped, or the order ended, while the reroute was planned.
    effects.push({ type: 'release_stock', jobIds: printOrder.jobs.map((job) => job.id) });
    const jobs = printOrder.jobs.map((job) => ({ ...job, ended: 'superseded' as const }));
    return { ...state, printOrders: [...printOrders, { ...printOrder, jobs }] };
  }
  return { ...state, printOrders: [...printOrders, printOrder] };
}

/** Removes rerouted units from a print order. Requests from its partner to cancel the jobs that lose all units. */
function withoutUnits(
  printOrder: PrintOrderState,
  quantities: ReadonlyMap<string, number>,
  reason: string,
  effects: RunEffect[],
): PrintOrderState {
  const touched = printOrder.jobs.filter(
    (job) =>
      quantities.has(job.id) &&
      job.ended === null &&
      (job.progress !== JOB_PROGRESS.shipped || job.cancelledQuantity > 0),
  );
  if (touched.length === 0) return printOrder;
  const superseded = touched.filter((job) => quantities.get(job.id)! >= job.quantity);
  releaseStock(superseded, effects);
  const unasked = superseded.filter(
    (job) => job.cancelledQuantity < job.quantity && (job.stopRequest === undefined || job.stopRequest === 'refused'),
  );
  requestCancel(printOrder, unasked, reason, effects);
  const jobs = printOrder.jobs.map((job): JobState => {
    if (!touched.includes(job)) return job;
    const rerouted = quantities.get(job.id)!;
    if (rerouted >= job.quantity) return { ...job, ended: 'superseded' };
    const cancelledQuantity = Math.max(0, job.cancelledQuantity - rerouted);
    return { ...job, quantity: job.quantity - rerouted, cancelledQuantity, error: null };
  });
  return withoutUnusedLabel({ ...printOrder, jobs }, effects);
}
