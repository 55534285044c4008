import { hasOpenJobs, isOpen } from '../facts/jobs';
import { freeUnits, isWithPartner, reroutedJobs } from '../facts/reroutes';
import { type ReroutedUnits, requestedBy } from '../requests';
import type { EventOf, RunEffect } from '../run-events';
import {
  type JobState,
  type PrintOrderState,
  printOrderOf,
  type RunState,
  type StopRequest,
  type WaitingReroute,
} from '../run-state';
import { andThen, audit, type Change, change, changePrintOrders, printOrderLog, raiseAttention } from './change';
import { releaseStock, requestCancel, withoutUnusedLabel } from './ended-jobs';
import { newPrintOrder } from './planning';

/**
 * Reroutes: a new print order makes units that other print orders have, at another partner (reroute) or once more
 * (reproduce). It can wait until the partners of the units have agreed to stop: two partners must not make the same units.
 */

/** Adds the new print order. With a deadline it waits until the partners of the units have agreed to stop. */
export function rerouted(state: RunState, event: EventOf<'rerouted'>): Change {
  const { id } = event.printOrder;
  const isKnown = [...state.printOrders, ...(state.waitingReroutes ?? []).map((each) => each.printOrder)];
  if (isKnown.some((printOrder) => printOrder.id === id)) return change(state);
  if (event.waitsUntil !== undefined && state.phase !== 'closed')
    return waitForPartners(state, event, event.waitsUntil);
  const force = event.force === true ? { force: true } : {};
  const { units, lost } = unitsLeft(state, event.units);
  // An earlier reroute of these jobs may have failed. The operator now decides without their partner.
  const asked = reroutedJobs(state, event.units).flatMap(({ job }) => (job.stopRequest ? [job.id] : []));
  const decided = event.force === true ? withStopRequests(state, asked, 'forced') : state;
  const planned = newPrintOrder(event.printOrder);
  const printOrder = { ...planned, jobs: planned.jobs.map((job) => ({ ...job, quantity: job.quantity - lost })) };
  return andThen(
    change(decided, audit(event.action, event, { printOrderId: id, units, ...force })),
    (next) => addRerouted(next, { ...event, units, printOrder }),
    (next) => change(next, ...(lost > 0 ? [replan([id])] : []), ...deliver(next, id)),
  );
}

const replan = (printOrderIds: readonly string[]): RunEffect => ({ type: 'replan_shipments', printOrderIds });

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

/** Returns the delivery of the new print order, unless it ended. A release delivers the print orders of a held order. */
function deliver(state: RunState, printOrderId: string): RunEffect[] {
  const { jobs } = printOrderOf(state, printOrderId);
  const isDue = !state.held && jobs.every((job) => job.ended === null);
  return isDue ? [{ type: 'deliver_print_order', printOrderId }] : [];
}

/** Requests from the partners to stop making the units. Until they have responded, the new print order waits. */
function waitForPartners(state: RunState, event: EventOf<'rerouted'>, until: number): Change {
  const { action, by, reason, units } = event;
  const printOrder = newPrintOrder(event.printOrder);
  const data = { printOrderId: printOrder.id, units, waitsUntil: new Date(until).toISOString() };
  const asked = reroutedJobs(state, units).flatMap((each) => (isWithPartner(each) ? [each.job.id] : []));
  const requests = state.printOrders.flatMap((each) =>
    requestCancel(
      each,
      each.jobs.filter(({ id }) => asked.includes(id)),
      reason,
    ),
  );
  const { shippingRevision } = state;
  const waiting: WaitingReroute = { action, by, reason, printOrder, units, until, shippingRevision };
  return change(
    {
      ...withStopRequests(state, asked, 'waiting'),
      waitingReroutes: [...(state.waitingReroutes ?? []), waiting],
    },
    audit(`${action}_requested`, event, data),
    ...requests,
  );
}

function withStopRequests(state: RunState, jobIds: readonly string[], stopRequest: StopRequest): RunState {
  const printOrders = state.printOrders.map((printOrder) => ({
    ...printOrder,
    jobs: printOrder.jobs.map((job) => (jobIds.includes(job.id) ? { ...job, stopRequest } : job)),
  }));
  return { ...state, printOrders };
}

/** Ends the wait of a reroute by an operator's request: the new partner makes the units whatever the others do. */
export function rerouteForced(state: RunState, event: EventOf<'reroute_forced'>): Change {
  return settleNow(state, event.printOrderId, 'forced', requestedBy(event));
}

/** Ends the wait of a reroute whose deadline has passed. */
export function rerouteDue(state: RunState, event: EventOf<'reroute_due'>): Change {
  return settleNow(state, event.printOrderId, 'unanswered');
}

/** Settles a waiting reroute: every stop request without an agreement gets this outcome. */
function settleNow(
  state: RunState,
  printOrderId: string,
  outcome: 'forced' | 'unanswered',
  by: Partial<Pick<WaitingReroute, 'by' | 'reason'>> = {},
): Change {
  const waiting = state.waitingReroutes?.find(({ printOrder }) => printOrder.id === printOrderId);
  if (waiting === undefined) return change(state);
  const isSettled = (job: JobState) =>
    job.stopRequest === 'waiting' || (outcome === 'forced' && job.stopRequest === 'refused');
  const jobIds = reroutedJobs(state, waiting.units).flatMap(({ job }) => (isSettled(job) ? [job.id] : []));
  return settle(withStopRequests(state, jobIds, outcome), waiting, { ...waiting, ...by });
}

/** Delivers or withdraws the waiting reroutes whose partners have all responded. */
export function settleReroutes(state: RunState): Change {
  const waiting = state.waitingReroutes ?? [];
  return andThen(change(state), ...waiting.map((each) => (next: RunState) => settle(next, each, each)));
}

/** @param now the reroute with the request that ends its wait */
function settle(state: RunState, waiting: WaitingReroute, now: WaitingReroute): Change {
  const jobs = reroutedJobs(state, waiting.units).map((each) => ({ ...each, free: freeUnits(each) }));
  if (jobs.some(({ free }) => free === null)) return change(state);
  const kept = jobs.filter(({ job, quantity, free }) => free! < quantity && job.ended === null);
  const why = (['refused', 'unanswered'] as const).find((outcome) =>
    kept.some(({ job }) => job.stopRequest === outcome),
  );
  const units = jobs.flatMap(({ job, free }) => (free! > 0 ? [{ jobId: job.id, quantity: free! }] : []));
  return andThen(
    units.length === 0
      ? withdrawReroutes(state, (each) => each === waiting, why ?? 'ended')
      : endWait(withoutWaiting(state, [waiting]), { ...now, units }),
    (next) => change(why === undefined ? next : raiseAttention(next, 'not_rerouted')),
  );
}

/** Delivers a waiting print order. It makes the units that the partners of the other print orders have set free. */
function endWait(state: RunState, waiting: WaitingReroute): Change {
  const { action, printOrder: planned, units, reason } = waiting;
  const touched = reroutedJobs(state, units);
  const has = (outcome: StopRequest) => touched.some(({ job }) => job.stopRequest === outcome);
  const quantity = total(units);
  const printOrder = { ...planned, jobs: planned.jobs.map((job) => ({ ...job, quantity })) };
  const isOutdated = state.shippingRevision !== waiting.shippingRevision || planned.jobs[0]?.quantity !== quantity;
  const log = audit(action, waiting, {
    printOrderId: planned.id,
    units,
    ...(has('forced') ? { force: true } : {}),
    ...(has('unanswered') ? { unanswered: true } : {}),
  });
  return andThen(
    change(state, log),
    (next) => addRerouted(next, { reason, units, printOrder }),
    (next) => {
      const isPlannedAgain = (each: PrintOrderState) =>
        each.id === planned.id
          ? isOutdated
          : touched.some((before) => before.printOrder.id === each.id) && hasOpenJobs(each);
      const printOrderIds = next.printOrders.filter(isPlannedAgain).map(({ id }) => id);
      return change(next, ...(printOrderIds.length > 0 ? [replan(printOrderIds)] : []), ...deliver(next, planned.id));
    },
  );
}

/** Adds a rerouted print order, and removes its units from the print orders that had them. */
function addRerouted(
  state: RunState,
  { printOrder, units, reason }: Pick<WaitingReroute, 'printOrder' | 'units' | 'reason'>,
): Change {
  const quantities = new Map(units.map(({ jobId, quantity }) => [jobId, quantity]));
  const rest = changePrintOrders(state, (each) => withoutUnits(each, quantities, reason));
  if (state.phase !== 'closed' && (rest.state !== state || units.length === 0)) {
    return change({ ...rest.state, printOrders: [...rest.state.printOrders, printOrder] }, ...rest.effects);
  }
  // The units shipped, or the order ended, while the reroute was planned.
  const { state: ended, stock } = superseded(printOrder);
  return change({ ...rest.state, printOrders: [...rest.state.printOrders, ended] }, ...rest.effects, stock);
}

/** Ends a print order that its partner never got, and returns the effect that releases its stock. */
function superseded(printOrder: PrintOrderState): { state: PrintOrderState; stock: RunEffect } {
  const jobs = printOrder.jobs.map((job) => ({ ...job, ended: 'superseded' as const }));
  const jobIds = printOrder.jobs.map(({ id }) => id);
  return { state: { ...printOrder, jobs }, stock: { type: 'release_stock', jobIds } };
}

/** Removes rerouted units from a print order. Requests from its partner to cancel the jobs that lose all units. */
function withoutUnits(
  printOrder: PrintOrderState,
  quantities: ReadonlyMap<string, number>,
  reason: string,
): Change<PrintOrderState> {
  const touched = printOrder.jobs.filter(
    (job) => quantities.has(job.id) && (isOpen(job) || (job.ended === null && job.cancelledQuantity > 0)),
  );
  if (touched.length === 0) return change(printOrder);
  const whole = touched.filter((job) => quantities.get(job.id)! >= job.quantity);
  const unasked = whole.filter(
    (job) => job.cancelledQuantity < job.quantity && (job.stopRequest === undefined || job.stopRequest === 'refused'),
  );
  const jobs = printOrder.jobs.map((job): JobState => {
    if (!touched.includes(job)) return job;
    if (whole.includes(job)) return { ...job, ended: 'superseded' };
    const rerouted = quantities.get(job.id)!;
    const cancelledQuantity = Math.max(0, job.cancelledQuantity - rerouted);
    return { ...job, quantity: job.quantity - rerouted, cancelledQuantity, error: null };
  });
  return andThen(
    change({ ...printOrder, jobs }, ...releaseStock(whole), ...requestCancel(printOrder, unasked, reason)),
    withoutUnusedLabel,
  );
}

/**
 * Withdraws waiting reroutes: their print orders end without a delivery, and the units stay where they are.
 * @param why `refused` and `unanswered` name the partner's response; `ended`: the units have shipped or ended
 */
export function withdrawReroutes(
  state: RunState,
  isWithdrawn: (waiting: WaitingReroute) => boolean,
  why: 'refused' | 'unanswered' | 'ended' | 'cancelled',
): Change {
  const withdrawn = state.waitingReroutes?.filter(isWithdrawn) ?? [];
  if (withdrawn.length === 0) return change(state);
  const ended = withdrawn.map(({ printOrder }) => superseded(printOrder));
  const effects = withdrawn.flatMap(({ action, printOrder }, index) => [
    printOrderLog(`${action}_withdrawn`, printOrder.id, { why }),
    ended[index]!.stock,
  ]);
  const rerouted = new Set(withdrawn.flatMap(({ units }) => units.map(({ jobId }) => jobId)));
  // The partner's refusal stays visible.
  const isReleased = ({ id, stopRequest }: JobState) =>
    rerouted.has(id) && (stopRequest === 'waiting' || stopRequest === 'agreed');
  const released = state.printOrders.map((printOrder) => ({
    ...printOrder,
    jobs: printOrder.jobs.map((job) => (isReleased(job) ? withoutStopRequest(job) : job)),
  }));
  const printOrders = [...released, ...ended.map((each) => each.state)];
  return change({ ...withoutWaiting(state, withdrawn), printOrders }, ...effects);
}

function withoutStopRequest({ stopRequest: _stopRequest, ...job }: JobState): JobState {
  return job;
}

/** Returns the state without these waiting reroutes. */
function withoutWaiting(state: RunState, ended: readonly WaitingReroute[]): RunState {
  const { waitingReroutes = [], ...rest } = state;
  const left = waitingReroutes.filter((waiting) => !ended.includes(waiting));
  return left.length === 0 ? rest : { ...rest, waitingReroutes: left };
}
