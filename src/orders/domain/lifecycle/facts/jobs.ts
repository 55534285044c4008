import {
  type DepartedParcel,
  FAILED_DELIVERIES,
  JOB_PROGRESS,
  type JobState,
  NOT_TAKEN,
  type PrintOrderState,
} from '../run-state';
import { type ItemStatus, isFinal } from '../statuses';

/** What follows from the facts of a print order and its jobs. */

/** Returns a job's status. Null for a job whose units are all rerouted. */
export function jobStatus(job: JobState, printOrder: PrintOrderState): ItemStatus | null {
  if (job.ended === 'superseded') return null;
  // A shipped parcel outweighs errors and cancellations.
  if (job.progress === JOB_PROGRESS.shipped) {
    const departed = departedParcelOf(job, printOrder);
    return (departed === undefined ? printOrder.transit : departed.transit) ?? 'shipped';
  }
  if (job.ended === 'cancelled') return 'cancelled';
  if (job.cancelledQuantity > 0 || hasError(job)) return 'manual_handling';
  if (job.progress === JOB_PROGRESS.printed) return 'printed';
  if (job.progress === JOB_PROGRESS.received) return 'in_production';
  return FAILED_DELIVERIES.includes(printOrder.delivery) ? 'manual_handling' : 'passed';
}

/** Returns the parcel in which a job left before a change of address or method. Undefined for all other jobs. */
export function departedParcelOf({ id }: JobState, { departed }: PrintOrderState): DepartedParcel | undefined {
  return departed?.find(({ jobIds }) => jobIds.includes(id));
}

/** Returns true when the partner's latest report about a job is an error. */
export function hasError({ error, progressAt }: JobState): boolean {
  return error !== null && error.at >= progressAt;
}

/** Returns the jobs of a print order that have neither shipped nor ended. */
export function openJobs({ jobs }: PrintOrderState): JobState[] {
  return jobs.filter(isOpen);
}

/** Returns true for a job that has neither shipped nor ended. */
export function isOpen({ ended, progress }: JobState): boolean {
  return ended === null && progress !== JOB_PROGRESS.shipped;
}

export function hasOpenJobs({ jobs }: PrintOrderState): boolean {
  return jobs.some(isOpen);
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

/** Returns true when the partner or the carrier has reported a job of the print order as shipped. */
export function isHandedToCarrier({ jobs }: PrintOrderState): boolean {
  return jobs.some((job) => job.progress === JOB_PROGRESS.shipped);
}

/** Returns the units that go into the parcels of the next dispatch: not shipped, not ended, not cancelled by the partner. */
export function unitsToShip(printOrder: PrintOrderState): { itemId: string; quantity: number }[] {
  return openJobs(printOrder).flatMap(({ itemId, quantity, cancelledQuantity }) =>
    cancelledQuantity < quantity ? [{ itemId, quantity: quantity - cancelledQuantity }] : [],
  );
}

/** Returns the units that the partner is to make, by job id. It was asked not to make the others, or they have ended. */
export function wantedUnits({ jobs }: PrintOrderState): Record<string, number> {
  const wanted = jobs.map(({ id, ended, quantity, cancelledQuantity, unitsRequest }): [string, number] => {
    const requested = unitsRequest?.refused === false ? unitsRequest.quantity : 0;
    return [id, ended === null ? quantity - cancelledQuantity - requested : 0];
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
