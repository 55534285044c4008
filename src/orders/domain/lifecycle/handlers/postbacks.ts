import type { EventOf, PostbackEvent, RunEffect } from '../run-events';
import { JOB_PROGRESS, type JobState, type PrintOrderState } from '../run-state';
import { confirmCancel } from './cancels';
import { audit, changePrintOrder, type Job, type PrintOrder, printOrderLog, type Run, raiseAttention } from './change';
import { consumeStock, endAgreedUnits } from './ended-jobs';
import { hasPendingShipping, sendWaitingUpdate } from './order-updates';
import { addOwnParcel } from './parcels';

/** What partners report about their print orders, and what an operator reports for one. */

/** A partner sent a status postback. One with a known event id, or about an unknown print order, changes nothing. */
export function postback(run: Run, event: PostbackEvent): RunEffect[] {
  return changePrintOrder(run, event.printOrderId, (printOrder) => {
    if (run.seen.includes(event.eventId)) return [];
    run.seen.push(event.eventId);
    if (isOfCancelled(printOrder, event)) raiseAttention(run, 'cancelled_shipped');
    if (shipsToOldAddress(printOrder, event)) raiseAttention(run, 'old_address_shipped');
    return applyPostback(printOrder, event);
  });
}

function applyPostback(printOrder: PrintOrder, event: PostbackEvent): RunEffect[] {
  const before: JobState[] = printOrder.jobs.map((job) => ({ ...job }));
  // A postback about the whole print order is about what is left of it.
  const hasRest = before.some(({ ended }) => ended === null);
  const concerns = ({ id, ended }: JobState) =>
    event.jobId === null ? !hasRest || ended !== 'cancelled' : id === event.jobId;
  for (const job of printOrder.jobs.filter(concerns)) report(job, event);
  const printed = printOrder.jobs.filter(
    ({ progress }, index) => progress >= JOB_PROGRESS.printed && before[index]!.progress < JOB_PROGRESS.printed,
  );
  // A postback proves that the print order arrived, also when its delivery got no response.
  if (printOrder.delivery === 'pending' || printOrder.delivery === 'undeliverable') printOrder.delivery = 'accepted';
  addOwnParcel(printOrder, event);
  const effects = [
    ...postbackLog(printOrder, event),
    ...trackingCode(event),
    ...consumeStock(printed),
    ...sendWaitingUpdate(printOrder),
  ];
  if (event.status !== 'cancelled') return effects;
  effects.push(...endAgreedUnits(printOrder, before));
  const isStopped = (job: JobState) => job.cancelledQuantity === job.quantity;
  return [...effects, ...confirmCancel(printOrder, isStopped, event.message ?? '')];
}

/** Merges a postback into a job by rules that do not depend on the order of arrival. */
function report(job: Job, { status, at, message: words, items }: PostbackEvent): void {
  if (status === 'error') {
    const message = words ?? '';
    const { error } = job;
    if (error === null || at > error.at || (at === error.at && message > error.message)) job.error = { at, message };
  } else if (status === 'cancelled') {
    const listed = items === null ? { quantity: null } : items.find(({ jobId }) => jobId === job.id);
    if (listed === undefined) return;
    job.cancelledQuantity = Math.min(job.quantity, job.cancelledQuantity + (listed.quantity ?? job.quantity));
    job.cancelledAt = later(job.cancelledAt, at);
  } else {
    if (JOB_PROGRESS[status] > job.progress) job.progress = JOB_PROGRESS[status];
    job.progressAt = later(job.progressAt, at);
  }
}

const later = (a = '', b: string): string => (a > b ? a : b);

/** Returns one log entry for the print order or the named item. A partial cancellation has one entry for each listed item. */
function postbackLog({ id, jobs }: PrintOrderState, { status, at, message, jobId, items }: PostbackEvent): RunEffect[] {
  return (items ?? [{ jobId, quantity: null }]).map(({ jobId, quantity }) => {
    const job = jobs.find((candidate) => candidate.id === jobId);
    return {
      ...printOrderLog(`postback_${status}`, id, {
        at,
        ...(message === null ? {} : { message }),
        ...(quantity === null ? {} : { quantity }),
      }),
      ...(job === undefined ? {} : { itemId: job.itemId }),
    };
  });
}

function trackingCode({ printOrderId, jobId, status, trackingCode, trackingLink }: PostbackEvent): RunEffect[] {
  if (trackingCode === null && trackingLink === null) return [];
  const announced = status !== 'shipped';
  return [{ type: 'tracking_code', printOrderId, jobId, trackingCode, trackingLink, announced }];
}

/**
 * Returns true when a `shipped` postback is about cancelled jobs alone, of which some had not shipped. One about the whole
 * print order is about those of its jobs that are left, and not about those that another partner makes.
 */
function isOfCancelled({ jobs }: PrintOrderState, { status, jobId }: PostbackEvent): boolean {
  const named = jobs.filter(({ id, ended }) => (jobId === null ? ended !== 'superseded' : id === jobId));
  const areCancelled = named.every(({ ended }) => ended === 'cancelled');
  return status === 'shipped' && areCancelled && named.some(({ progress }) => progress < JOB_PROGRESS.shipped);
}

/**
 * Returns true when a `shipped` postback reports a parcel to an outdated address: the partner has not accepted the order
 * update, and shipped without a label of the current revision. When it had a label that was voided, `voided_label` reports
 * the parcel, unless the postback has a tracking code of the partner's own carrier.
 */
function shipsToOldAddress({ update, shipment, labelTakenBack }: PrintOrderState, event: PostbackEvent): boolean {
  if (event.status !== 'shipped' || !hasPendingShipping(update)) return false;
  return shipment === null && (event.trackingCode !== null || labelTakenBack !== true);
}

/** An operator reported the print order as shipped. The rest is as after its partner's postback. */
export function markedShipped(run: Run, event: EventOf<'mark_shipped'>): RunEffect[] {
  const { printOrderId, at, trackingCode, trackingLink } = event;
  const report = { status: 'shipped', message: null, jobId: null, items: null, trackingCode, trackingLink } as const;
  const eventId = `mark_shipped:${printOrderId}:${at}`;
  const effects = postback(run, { type: 'postback', eventId, printOrderId, at, ...report });
  return effects.length === 0 ? [] : [...effects, audit('mark_shipped', event, { printOrderId })];
}
