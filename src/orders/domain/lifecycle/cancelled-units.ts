import { cancelJobs, needsNoAgreement } from './cancellation';
import { audit } from './changes';
import { endUnits, withoutRequested } from './ended-units';
import { withUnitsUpdate } from './order-updates';
import type { EventOf, ItemUnits, RunEffect } from './run-events';
import { JOB_PROGRESS, type JobState, type PrintOrderState, type RunState } from './run-state';

/**
 * How clients and operators cancel units of items. An order update asks the partner, because it states the units that are still
 * wanted. A job that would lose all its units is cancelled as a whole, by a cancel request.
 */

/** Returns the units of an open job that its partner has not shipped and has not cancelled. */
const unitsLeft = ({ ended, progress, quantity, cancelledQuantity }: JobState): number =>
  ended === null && progress !== JOB_PROGRESS.shipped ? quantity - cancelledQuantity : 0;

/** Returns the units of an item that can be cancelled. */
export function cancellableUnits(state: RunState, itemId: string): number {
  if (state.phase === 'preparing') return state.items.find(({ id }) => id === itemId)?.quantity ?? 0;
  const jobs = state.printOrders.flatMap((printOrder) => printOrder.jobs.filter((job) => job.itemId === itemId));
  return jobs.reduce((sum, job) => sum + unitsLeft(job), 0);
}

/** Returns the units that each job loses when units of items are cancelled, by job id, in the order of the print orders. */
function unitsByJob(printOrders: readonly PrintOrderState[], units: readonly ItemUnits[]): ReadonlyMap<string, number> {
  const left = new Map(units.map(({ itemId, quantity }) => [itemId, quantity]));
  const byJob = new Map<string, number>();
  for (const job of printOrders.flatMap(({ jobs }) => jobs)) {
    const wanted = left.get(job.itemId) ?? 0;
    const taken = Math.min(wanted, unitsLeft(job));
    if (taken === 0) continue;
    byJob.set(job.id, taken);
    left.set(job.itemId, wanted - taken);
  }
  return byJob;
}

/** Returns the print orders whose partners have to agree that they make fewer units of a job, with these jobs. */
export function printOrdersToUpdate(
  { printOrders }: RunState,
  units: readonly ItemUnits[],
): { readonly printOrder: PrintOrderState; readonly jobs: readonly JobState[] }[] {
  const byJob = unitsByJob(printOrders, units);
  return printOrders.flatMap((printOrder) => {
    const jobs = printOrder.jobs.filter((job) => losesPart(job, byJob) && !needsNoAgreement(printOrder, job));
    return jobs.length === 0 ? [] : [{ printOrder, jobs }];
  });
}

function losesPart(job: JobState, units: ReadonlyMap<string, number>): boolean {
  return units.has(job.id) && units.get(job.id)! < unitsLeft(job);
}

/** Cancels single units of items. Before the plan, the item has fewer: `prepared` ends the units that the plan has in addition. */
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
  const units = unitsByJob(state.printOrders, event.units);
  return { ...state, printOrders: state.printOrders.map((each) => cancelUnitsOf(each, units, event, effects)) };
}

/** Cancels units of the jobs of a print order: asks its partner, or ends them when the partner need not agree. */
function cancelUnitsOf(
  printOrder: PrintOrderState,
  units: ReadonlyMap<string, number>,
  { reason, force }: EventOf<'cancel_units'>,
  effects: RunEffect[],
): PrintOrderState {
  const concerned = printOrder.jobs.filter(({ id }) => units.has(id));
  if (concerned.length === 0) return printOrder;
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
  const left = endUnits({ ...printOrder, jobs }, ended, reason, effects);
  const asksOnly = force === undefined;
  const next = whole.size === 0 ? left : cancelJobs(left, ({ id }) => whole.has(id), { reason, asksOnly }, effects);
  return part.length === 0 ? next : withUnitsUpdate(next, effects);
}

/** Ends units that a plan has in addition. No partner has them. */
export function withoutUnits(
  printOrders: readonly PrintOrderState[],
  units: readonly ItemUnits[],
  reason: string,
  effects: RunEffect[],
): PrintOrderState[] {
  const byJob = unitsByJob(printOrders, units);
  return printOrders.map((printOrder) => {
    const ending = printOrder.jobs.filter(({ id }) => byJob.has(id)).map(({ id }) => [id, byJob.get(id)!] as const);
    return endUnits(printOrder, new Map(ending), reason, effects);
  });
}
