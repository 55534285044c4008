import {
  FAILED_DELIVERIES,
  JOB_PROGRESS,
  type JobState,
  NOT_TAKEN,
  type ParcelState,
  type PrintOrderState,
  type Transit,
} from '../run-state';
import { type ItemStatus, isFinal } from '../statuses';

/** What follows from the facts of a print order and its jobs. */

/** Returns a job's status. Null for a job whose units are all rerouted, or made again after a claim. */
export function jobStatus(job: JobState, printOrder: PrintOrderState): ItemStatus | null {
  if (job.ended === 'superseded' || job.claimed === true) return null;
  if (isRefundedAsLost(job)) return 'cancelled';
  // A shipped parcel outweighs errors and cancellations.
  if (hasLeft(job, printOrder)) {
    return transitOf(job, printOrder) ?? 'shipped';
  }
  if (job.ended === 'cancelled') return 'cancelled';
  if (job.cancelledQuantity > 0 || hasError(job)) return 'manual_handling';
  if (job.progress === JOB_PROGRESS.printed) return 'printed';
  if (job.progress === JOB_PROGRESS.received) return 'in_production';
  return FAILED_DELIVERIES.includes(printOrder.delivery) ? 'manual_handling' : 'passed';
}

/** Returns true for a job of which every unit was refunded because its parcel was lost. A late scan changes nothing. */
export const isRefundedAsLost = ({ lostQuantity, quantity }: JobState): boolean => lostQuantity === quantity;

/** Returns true for a job whose units have left the partner. */
export function hasLeft(job: JobState, printOrder: Jobs): boolean {
  return job.progress === JOB_PROGRESS.shipped && !isDisowned(job, printOrder);
}

/**
 * Returns true for a job that its partner cancelled as a whole, and reported as shipped afterwards. No unit has left unless a
 * carrier has scanned a parcel: an operator has to find out.
 */
function isDisowned(job: JobState, printOrder: Jobs): boolean {
  const { progress, progressAt, quantity, cancelledQuantity, cancelledAt = '' } = job;
  if (progress !== JOB_PROGRESS.shipped || cancelledQuantity !== quantity) return false;
  return cancelledAt <= progressAt && transitOf(job, printOrder) === null;
}

/** The jobs of a print order, and the parcels that hold them. */
type Jobs = Pick<PrintOrderState, 'jobs' | 'parcels'>;

/**
 * Returns the parcels that hold units of a job: those with codes of the partner's own that it named for the job, else those with
 * labels of ours, else those with codes that it named for the whole print order.
 */
export function parcelsOf(job: JobState, { parcels = [], jobs }: Jobs): ParcelState[] {
  const possible = parcels.filter(({ jobIds }) => jobIds === null || jobIds.includes(job.id));
  const own = possible.filter(({ shipmentId }) => shipmentId === null);
  const named = own.filter(({ jobIds }) => jobIds !== null);
  if (named.length > 0) return withoutReplaced(named);
  const travelsWith = (shipmentId: string) =>
    job.leftWith === undefined ? jobs.every(({ leftWith }) => leftWith !== shipmentId) : job.leftWith === shipmentId;
  const labelled = possible.filter(({ shipmentId }) => shipmentId !== null && travelsWith(shipmentId));
  return labelled.length > 0 ? labelled : withoutReplaced(own);
}

/** Returns the parcels without codes that were announced, when others came with `shipped`. A scan proves that a parcel left. */
function withoutReplaced(parcels: ParcelState[]): ParcelState[] {
  const left = parcels.filter(({ announced, transit = null }) => announced === undefined || transit !== null);
  return left.length > 0 ? left : parcels;
}

/** Returns how far carriers have taken a job. Null before the first scan. */
function transitOf(job: JobState, printOrder: Jobs): Transit | null {
  return combined(parcelsOf(job, printOrder).flatMap(({ transit }) => (transit === undefined ? [] : [transit])));
}

/** Returns how far carriers have taken what has left of a print order. Null before the first scan. */
export function printOrderTransit(printOrder: PrintOrderState): Transit | null {
  const left = printOrder.jobs.filter((job) => hasLeft(job, printOrder));
  return combined(left.map((job) => transitOf(job, printOrder)));
}

/** Several parcels are in transit as soon as one moves. When all have arrived, they are delivered, or returned when none was delivered. */
function combined(transits: readonly (Transit | null)[]): Transit | null {
  if (transits.every((transit) => transit === null)) return null;
  if (transits.some((transit) => transit === null || transit === 'in_transit')) return 'in_transit';
  return transits.includes('delivered') ? 'delivered' : 'returned';
}

/** Returns true when the partner's latest report about a job is an error. */
export function hasError({ error, progressAt }: JobState): boolean {
  return error !== null && error.at >= progressAt;
}

/** Returns the jobs of a print order that have neither shipped nor ended. */
export function openJobs<Job extends JobState>(
  printOrder: Omit<Jobs, 'jobs'> & { readonly jobs: readonly Job[] },
): Job[] {
  return printOrder.jobs.filter((job) => job.ended === null && !hasLeft(job, printOrder));
}

/** Returns true for a job that was neither reported as shipped nor has ended. */
export function isOpen({ ended, progress }: JobState): boolean {
  return ended === null && progress !== JOB_PROGRESS.shipped;
}

export function hasOpenJobs(printOrder: PrintOrderState): boolean {
  return openJobs(printOrder).length > 0;
}

/** Returns true when every job of the print order was cancelled or rerouted. */
export function hasEnded({ jobs }: Pick<PrintOrderState, 'jobs'>): boolean {
  return jobs.every(({ ended }) => ended !== null);
}

/** Returns true when every job of the print order has a final status. */
export function hasSettled(printOrder: PrintOrderState): boolean {
  return printOrder.jobs.every((job) => {
    const status = jobStatus(job, printOrder);
    return status === null || isFinal(status);
  });
}

/** Returns the units that go into the parcels of the next dispatch: not shipped, not ended, not cancelled by the partner. */
export function unitsToShip(printOrder: PrintOrderState): { itemId: string; quantity: number }[] {
  return openJobs(printOrder).flatMap(({ itemId, quantity, cancelledQuantity }) =>
    cancelledQuantity < quantity ? [{ itemId, quantity: quantity - cancelledQuantity }] : [],
  );
}

/** Returns the units that the partner is to make, by job id. The others have left or ended, or it was asked not to make them. */
export function wantedUnits({ jobs }: PrintOrderState): Record<string, number> {
  const wanted = jobs.map((job): [string, number] => {
    const { id, quantity, cancelledQuantity, unitsRequest } = job;
    const requested = unitsRequest?.refused === false ? unitsRequest.quantity : 0;
    return [id, isOpen(job) ? quantity - cancelledQuantity - requested : 0];
  });
  return Object.fromEntries(wanted.filter(([, units]) => units > 0));
}

/** Returns true for a job with units that its partner has cancelled and no operator has handled. */
export function hasCancelledUnits({ ended, cancelledQuantity }: JobState): boolean {
  return ended === null && cancelledQuantity > 0;
}

/** Returns true when the partner has been asked not to make units of the job, and has not responded. */
export function isAskedForUnits({ ended, unitsRequest }: JobState): boolean {
  return ended === null && unitsRequest?.refused === false;
}

/** Returns true when a cancel needs no agreement: the partner does not have the job, or has cancelled it. */
export function needsNoAgreement({ delivery }: PrintOrderState, job: JobState): boolean {
  return NOT_TAKEN.includes(delivery) || job.cancelledQuantity === job.quantity;
}

/** Returns true when the client or an operator has requested to cancel a job that has not ended. */
export function isCancelRequested({ cancel }: PrintOrderState, job: JobState): boolean {
  // A job that moves to another partner is stopped, not cancelled.
  if (job.stopRequest === 'waiting' || job.stopRequest === 'agreed') return false;
  return job.ended === null && (cancel === 'requested' || cancel === 'refused' || job.cancelRequest !== undefined);
}
