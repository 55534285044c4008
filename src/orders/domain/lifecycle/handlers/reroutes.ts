import { hasCancelledUnits, hasEnded, isOpen } from '../facts/jobs';
import { freeUnits, isWithPartner, reroutedJobs } from '../facts/reroutes';
import { type ReroutedUnits, requestedBy } from '../requests';
import type { EventOf, RunEffect } from '../run-events';
import type { JobState, RunState, StopRequest } from '../run-state';
import { audit, type Job, type PrintOrder, printOrderLog, type Run, raiseAttention } from './change';
import { releaseStock, requestCancel, voidUnusedLabel } from './ended-jobs';
import { updateUnits } from './order-updates';
import { newPrintOrder } from './planning';

/**
 * Reroutes: a new print order makes units that other print orders have, at another partner (reroute) or once more
 * (reproduce). It can wait until the partners of the units have agreed to stop: two partners must not make the same units.
 */

type Waiting = NonNullable<Run['waitingReroutes']>[number];

/** Adds the new print order. With a deadline it waits until the partners of the units have agreed to stop. */
export function rerouted(run: Run, event: EventOf<'rerouted'>): RunEffect[] {
  const { id } = event.printOrder;
  const known = [...run.printOrders, ...(run.waitingReroutes ?? []).map((each) => each.printOrder)];
  if (known.some((printOrder) => printOrder.id === id)) return [];
  if (event.waitsUntil !== undefined && run.phase !== 'closed') return waitForPartners(run, event, event.waitsUntil);
  const force = event.force === true ? { force: true } : {};
  const { units, lost } = unitsLeft(run, event.units);
  // An earlier reroute of these jobs may have failed. The operator now decides without their partner.
  if (event.force === true) setStopRequests(run, event.units, ({ stopRequest }) => stopRequest !== undefined, 'forced');
  const { claimedJobIds = [] } = event;
  for (const job of run.printOrders.flatMap(({ jobs }) => jobs)) if (claimedJobIds.includes(job.id)) job.claimed = true;
  const printOrder = newPrintOrder(event.printOrder);
  for (const job of printOrder.jobs) job.quantity -= lost;
  return [
    audit(event.action, event, { printOrderId: id, units, ...force }),
    ...addRerouted(run, printOrder, units, event.reason),
    // The units that were cancelled meanwhile are in the plan of the new print order.
    ...(lost > 0 ? [replan([id], { refunds: true })] : []),
    ...deliver(run, printOrder),
  ];
}

const replan = (printOrderIds: readonly string[], refund: { readonly refunds?: true } = {}): RunEffect => ({
  type: 'replan_shipments',
  printOrderIds,
  ...refund,
});

/** Returns the units that were not cancelled while the reroute was planned, and the number of those that were. */
function unitsLeft(run: RunState, wanted: readonly ReroutedUnits[]): { units: readonly ReroutedUnits[]; lost: number } {
  const units = reroutedJobs(run, wanted).flatMap(({ job, quantity }) =>
    job.ended === null ? [{ jobId: job.id, quantity }] : [],
  );
  // Without any unit, the new print order ends as planned.
  return units.length === 0 ? { units: wanted, lost: 0 } : { units, lost: total(wanted) - total(units) };
}

const total = (units: readonly ReroutedUnits[]): number => units.reduce((sum, { quantity }) => sum + quantity, 0);

/** Returns the delivery of the new print order, unless it ended. A release delivers the print orders of a held order. */
function deliver({ held }: Run, { id: printOrderId, jobs }: PrintOrder): RunEffect[] {
  const isDue = !held && jobs.every((job) => job.ended === null);
  return isDue ? [{ type: 'deliver_print_order', printOrderId }] : [];
}

/** Requests from the partners to stop making the units. Until they have responded, the new print order waits. */
function waitForPartners(run: Run, event: EventOf<'rerouted'>, until: number): RunEffect[] {
  const { action, by, reason } = event;
  const units = event.units.map((each) => ({ ...each }));
  const printOrder = newPrintOrder(event.printOrder);
  const asked = reroutedJobs(run, units)
    .filter(isWithPartner)
    .map(({ job }) => job);
  setStopRequests(run, units, (job) => asked.includes(job), 'waiting');
  const { shippingRevision, waitingReroutes = [] } = run;
  run.waitingReroutes = [...waitingReroutes, { action, by, reason, printOrder, units, until, shippingRevision }];
  const data = { printOrderId: printOrder.id, units, waitsUntil: new Date(until).toISOString() };
  return [
    audit(`${action}_requested`, event, data),
    ...run.printOrders.flatMap((each) =>
      requestCancel(
        each,
        each.jobs.filter((job) => asked.includes(job)),
        reason,
      ),
    ),
  ];
}

/** Sets the stop request of the selected jobs of these units. */
function setStopRequests(
  { printOrders }: Run,
  units: readonly ReroutedUnits[],
  isSelected: (job: JobState) => boolean,
  to: StopRequest,
): void {
  for (const job of printOrders.flatMap(({ jobs }) => jobs)) {
    if (units.some(({ jobId }) => jobId === job.id) && isSelected(job)) job.stopRequest = to;
  }
}

/** Ends the wait of a reroute by an operator's request: the new partner makes the units whatever the others do. */
export function rerouteForced(run: Run, event: EventOf<'reroute_forced'>): RunEffect[] {
  return settleNow(run, event.printOrderId, ['waiting', 'refused'], 'forced', requestedBy(event));
}

/** Ends the wait of a reroute whose deadline has passed. */
export function rerouteDue(run: Run, event: EventOf<'reroute_due'>): RunEffect[] {
  return settleNow(run, event.printOrderId, ['waiting'], 'unanswered');
}

/** Settles a waiting reroute: stop requests with these states get the outcome. @param by the request that ends the wait */
function settleNow(
  run: Run,
  printOrderId: string,
  from: readonly StopRequest[],
  outcome: StopRequest,
  by: Partial<Waiting> = {},
): RunEffect[] {
  const waiting = run.waitingReroutes?.find(({ printOrder }) => printOrder.id === printOrderId);
  if (waiting === undefined) return [];
  setStopRequests(run, waiting.units, ({ stopRequest = 'agreed' }) => from.includes(stopRequest), outcome);
  Object.assign(waiting, by);
  return settle(run, waiting);
}

/** Delivers or withdraws the waiting reroutes whose partners have all responded. */
export function settleReroutes(run: Run): RunEffect[] {
  return (run.waitingReroutes ?? []).flatMap((waiting) => settle(run, waiting));
}

function settle(run: Run, waiting: Waiting): RunEffect[] {
  const jobs = reroutedJobs(run, waiting.units).map((each) => ({ ...each, free: freeUnits(each) }));
  if (jobs.some(({ free }) => free === null)) return [];
  const kept = jobs.filter(({ job, quantity, free }) => free! < quantity && job.ended === null);
  const why = (['refused', 'unanswered'] as const).find((outcome) =>
    kept.some(({ job }) => job.stopRequest === outcome),
  );
  if (why !== undefined) raiseAttention(run, 'not_rerouted');
  const units = jobs.flatMap(({ job, free }) => (free! > 0 ? [{ jobId: job.id, quantity: free! }] : []));
  return units.length === 0
    ? withdrawReroutes(run, (each) => each === waiting, why ?? 'ended')
    : endWait(run, waiting, units);
}

/** Delivers a waiting print order. It makes the units that the partners of the other print orders have set free. */
function endWait(run: Run, waiting: Waiting, units: readonly ReroutedUnits[]): RunEffect[] {
  const { action, printOrder, reason, shippingRevision } = waiting;
  const touched = reroutedJobs(run, units);
  const has = (outcome: StopRequest) => touched.some(({ job }) => job.stopRequest === outcome);
  const quantity = total(units);
  const isOutdated = run.shippingRevision !== shippingRevision || printOrder.jobs[0]?.quantity !== quantity;
  for (const job of printOrder.jobs) job.quantity = quantity;
  removeWaiting(run, [waiting]);
  const log = audit(action, waiting, {
    printOrderId: printOrder.id,
    units,
    ...(has('forced') ? { force: true } : {}),
    ...(has('unanswered') ? { unanswered: true } : {}),
  });
  const effects = [log, ...addRerouted(run, printOrder, units, reason)];
  const isPlannedAgain = (each: PrintOrder) =>
    each === printOrder ? isOutdated : touched.some((job) => job.printOrder === each) && !hasEnded(each);
  const planned = run.printOrders.filter(isPlannedAgain).map(({ id }) => id);
  if (planned.length > 0) effects.push(replan(planned));
  return [...effects, ...deliver(run, printOrder)];
}

/** Adds a rerouted print order, and removes its units from the print orders that had them. */
function addRerouted(run: Run, printOrder: PrintOrder, units: readonly ReroutedUnits[], reason: string): RunEffect[] {
  const quantities = new Map(units.map(({ jobId, quantity }) => [jobId, quantity]));
  const losing = run.printOrders.map((each) => ({
    each,
    jobs: each.jobs.filter((job) => quantities.has(job.id) && (isOpen(job) || hasCancelledUnits(job))),
  }));
  const isMade = run.phase !== 'closed' && (units.length === 0 || losing.some(({ jobs }) => jobs.length > 0));
  run.printOrders.push(printOrder);
  const effects = losing.flatMap(({ each, jobs }) => removeUnits(each, jobs, quantities, reason));
  // Otherwise the units shipped, or the order ended, while the reroute was planned.
  return isMade ? effects : [...effects, supersede(printOrder)];
}

/** Ends a print order that its partner never got, and returns the effect that releases its stock. */
function supersede({ jobs }: PrintOrder): RunEffect {
  for (const job of jobs) job.ended = 'superseded';
  return { type: 'release_stock', jobIds: jobs.map(({ id }) => id) };
}

/** Removes rerouted units from jobs of a print order. Requests from its partner to cancel those that lose all units. */
function removeUnits(
  printOrder: PrintOrder,
  jobs: readonly Job[],
  quantities: ReadonlyMap<string, number>,
  reason: string,
): RunEffect[] {
  if (jobs.length === 0) return [];
  const whole = jobs.filter((job) => quantities.get(job.id)! >= job.quantity);
  const unasked = whole.filter(
    (job) => job.cancelledQuantity < job.quantity && (job.stopRequest === undefined || job.stopRequest === 'refused'),
  );
  // A partner knows the units that it has cancelled itself.
  const isNews = jobs.some((job) => !whole.includes(job) && quantities.get(job.id)! > job.cancelledQuantity);
  for (const job of jobs) {
    const rerouted = quantities.get(job.id)!;
    if (whole.includes(job)) {
      job.ended = 'superseded';
    } else {
      job.quantity -= rerouted;
      job.cancelledQuantity = Math.max(0, job.cancelledQuantity - rerouted);
      job.error = null;
    }
  }
  return [
    ...releaseStock(whole),
    ...requestCancel(printOrder, unasked, reason),
    ...voidUnusedLabel(printOrder),
    ...(isNews ? updateUnits(printOrder) : []),
  ];
}

/**
 * Withdraws waiting reroutes: their print orders end without a delivery, and the units stay where they are.
 * @param why `refused` and `unanswered` name the partner's response; `ended`: the units have shipped or ended
 */
export function withdrawReroutes(
  run: Run,
  isWithdrawn: (waiting: Waiting) => boolean,
  why: 'refused' | 'unanswered' | 'ended' | 'cancelled',
): RunEffect[] {
  const withdrawn = run.waitingReroutes?.filter(isWithdrawn) ?? [];
  const units = withdrawn.flatMap((each) => each.units);
  // The partner's refusal stays visible.
  for (const job of run.printOrders.flatMap(({ jobs }) => jobs)) {
    const isReleased = job.stopRequest === 'waiting' || job.stopRequest === 'agreed';
    if (isReleased && units.some(({ jobId }) => jobId === job.id)) delete job.stopRequest;
  }
  removeWaiting(run, withdrawn);
  return withdrawn.flatMap(({ action, printOrder }) => {
    run.printOrders.push(printOrder);
    return [printOrderLog(`${action}_withdrawn`, printOrder.id, { why }), supersede(printOrder)];
  });
}

function removeWaiting(run: Run, ended: readonly Waiting[]): void {
  const left = run.waitingReroutes?.filter((waiting) => !ended.includes(waiting)) ?? [];
  if (left.length > 0) run.waitingReroutes = left;
  else delete run.waitingReroutes;
}
