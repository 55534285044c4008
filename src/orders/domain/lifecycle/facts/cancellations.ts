import type { ItemUnits } from '../requests';
import type { JobState, PrintOrderState, RunState } from '../run-state';
import { isOpen, needsNoAgreement, openJobs } from './jobs';

/** What became of requests to cancel items and units, and which units a request can still cancel. */

/** What became of a request to cancel items: they are cancelled, or a partner has the request or has refused it. */
export const CANCELLATIONS = ['done', 'requested', 'refused'] as const;
export type Cancellation = (typeof CANCELLATIONS)[number];

/** Returns what became of a request to cancel these items. Null: it was not made, or not for all of them. */
export function cancellationOf(state: RunState, itemIds: readonly string[]): Cancellation | null {
  if (state.items.every(({ id, status }) => !itemIds.includes(id) || status === 'cancelled')) return 'done';
  const requests = state.printOrders.flatMap((printOrder) =>
    openJobs(printOrder)
      .filter((job) => itemIds.includes(job.itemId))
      .map((job) => cancelRequestState(printOrder, job)),
  );
  if (requests.length === 0 || requests.includes(null)) return null;
  return requests.includes('refused') ? 'refused' : 'requested';
}

/** Returns what became of a request to cancel units of these items. */
export function unitsCancellationOf({ printOrders }: RunState, itemIds: readonly string[]): Cancellation {
  // A job that has shipped meanwhile keeps its request until the partner responds.
  const requests = printOrders
    .flatMap(({ jobs }) => jobs)
    .flatMap(({ itemId, ended, unitsRequest, cancelRequest }) =>
      itemIds.includes(itemId) && ended === null ? (unitsRequest ?? cancelRequest ?? []) : [],
    );
  if (requests.length === 0) return 'done';
  return requests.some(({ refused }) => refused) ? 'refused' : 'requested';
}

/** Returns the state of a request to cancel a job. Null without one. */
export function cancelRequestState(
  { cancel }: PrintOrderState,
  { cancelRequest }: JobState,
): 'requested' | 'refused' | null {
  if (cancelRequest !== undefined) return cancelRequest.refused ? 'refused' : 'requested';
  return cancel === 'requested' || cancel === 'refused' ? cancel : null;
}

/** Returns the units of an open job that its partner has not shipped and has not cancelled. */
function unitsLeft(job: JobState): number {
  return isOpen(job) ? job.quantity - job.cancelledQuantity : 0;
}

/** Returns the units of an item that can be cancelled. */
export function cancellableUnits({ phase, items, printOrders }: RunState, itemId: string): number {
  if (phase === 'preparing') return items.find(({ id }) => id === itemId)?.quantity ?? 0;
  const jobs = printOrders.flatMap((printOrder) => printOrder.jobs.filter((job) => job.itemId === itemId));
  return jobs.reduce((sum, job) => sum + unitsLeft(job), 0);
}

/** Returns the units that each job loses when units of items are cancelled, by job id, in the order of the print orders. */
export function unitsByJob(
  printOrders: readonly PrintOrderState[],
  units: readonly ItemUnits[],
): ReadonlyMap<string, number> {
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

/** Returns true for a job that loses some of its units, not all. */
export function losesPart(job: JobState, units: ReadonlyMap<string, number>): boolean {
  return units.has(job.id) && units.get(job.id)! < unitsLeft(job);
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
