import type { ReroutedUnits, RerouteRequest } from '../requests';
import {
  JOB_PROGRESS,
  type JobState,
  NOT_TAKEN,
  type PrintOrderState,
  type RunState,
  type WaitingReroute,
} from '../run-state';
import { hasError, hasLeft, isOpen, jobStatus } from './jobs';

/** Which units a reroute takes from their print orders, and when their partners have set them free. */

/** A job whose units are rerouted, or a part of them. */
export interface ReroutedJob {
  readonly printOrder: PrintOrderState;
  readonly job: JobState;
  readonly quantity: number;
}

/** Returns the jobs of these units. Units that were cancelled after the reroute was requested are not among them. */
export function reroutedJobs(state: RunState, units: readonly ReroutedUnits[]): ReroutedJob[] {
  const quantities = new Map(units.map(({ jobId, quantity }) => [jobId, quantity]));
  return state.printOrders.flatMap((printOrder) =>
    printOrder.jobs.flatMap((job) => {
      const quantity = quantities.get(job.id);
      return quantity === undefined ? [] : [{ printOrder, job, quantity: Math.min(quantity, job.quantity) }];
    }),
  );
}

/** Returns true when the partner may still make the units: it has them, and has not cancelled them itself. */
export function isWithPartner({ printOrder, job, quantity }: ReroutedJob): boolean {
  return isOpen(job) && !NOT_TAKEN.includes(printOrder.delivery) && job.cancelledQuantity < quantity;
}

/** The part of an operator's reroute or reproduce that decides which units it takes. */
type UnitsRequest = Pick<RerouteRequest, 'action' | 'itemId' | 'quantity' | 'partnerId'>;

/** Returns how many units of a job a request takes by default, and how many at most when it asks for more. */
function takeable(
  job: JobState,
  printOrder: PrintOrderState,
  { action, partnerId }: UnitsRequest,
): { usual: number; most: number } {
  const none = { usual: 0, most: 0 };
  if (job.ended !== null) return none;
  // Of a shipped job, only units that the partner cancelled can be made again.
  if (job.progress === JOB_PROGRESS.shipped) {
    return { usual: job.cancelledQuantity, most: job.cancelledQuantity };
  }
  if (jobStatus(job, printOrder) === 'manual_handling') {
    return { usual: job.cancelledQuantity || job.quantity, most: job.quantity };
  }
  // A partner that is producing keeps the job, unless the request names another partner. A reproduce makes additional units.
  const elsewhere = action === 'reroute' && printOrder.partnerId !== partnerId;
  return elsewhere ? { usual: 0, most: job.quantity } : none;
}

/**
 * Returns the units that a request reroutes from the jobs of an item. Units that wait for an operator come
 * first. Then, up to the requested quantity, the rest of their jobs and (reroute) jobs still in production.
 * A reproduce makes any units beyond these in addition.
 * Without a quantity, all waiting units are taken. When none waits, a reroute takes everything that has not shipped.
 */
export function reroutedUnits(state: RunState, request: UnitsRequest): ReroutedUnits[] {
  const { itemId, quantity } = request;
  const jobs = state.printOrders.flatMap((printOrder) =>
    printOrder.jobs
      .filter((job) => job.itemId === itemId)
      .map((job) => ({ jobId: job.id, ...takeable(job, printOrder, request) })),
  );
  const waiting = jobs.reduce((sum, { usual }) => sum + usual, 0);
  let left = quantity ?? (waiting || Number.POSITIVE_INFINITY);
  const taken = new Map<string, number>();
  for (const limit of ['usual', 'most'] as const) {
    for (const job of jobs) {
      const before = taken.get(job.jobId) ?? 0;
      const more = Math.max(0, Math.min(job[limit] - before, left));
      left -= more;
      taken.set(job.jobId, before + more);
    }
  }
  return [...taken].flatMap(([jobId, units]) => (units > 0 ? [{ jobId, quantity: units }] : []));
}

/** Returns the jobs of an item that have shipped, as far as all their units are among the claimed ones. */
export function claimedJobs({ printOrders }: RunState, { itemId, quantity }: UnitsRequest): string[] {
  let left = quantity ?? Number.POSITIVE_INFINITY;
  return printOrders.flatMap((printOrder) =>
    printOrder.jobs.flatMap((job) => {
      const isWhole = job.itemId === itemId && job.ended === null && job.claimed === undefined && job.quantity <= left;
      if (!isWhole || !hasLeft(job, printOrder)) return [];
      left -= job.quantity;
      return [job.id];
    }),
  );
}

/** Returns the reroute of an item that waits for a partner. Undefined when none waits. */
export function waitingRerouteOf({ waitingReroutes }: RunState, itemId: string): WaitingReroute | undefined {
  return waitingReroutes?.find(({ printOrder }) => printOrder.jobs.some((job) => job.itemId === itemId));
}

/**
 * Returns how many units of a job another partner can make. Null: the partner has not responded.
 * Without a response in time, units that a partner reported to be in production stay with it. Units that it has not
 * acknowledged, or whose production it stopped with an error, are free.
 */
export function freeUnits(rerouted: ReroutedJob): number | null {
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
  return shipment !== null || (job.progress >= JOB_PROGRESS.received && !hasError(job));
}
