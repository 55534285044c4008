import type { AttentionReason } from '../attention-reasons';
import type { EventOf, PostbackEvent, RunEffect } from '../run-events';
import { JOB_PROGRESS, type JobProgress, type JobState, type PrintOrderState, type RunState } from '../run-state';
import { confirmCancel } from './cancels';
import { andThen, audit, type Change, change, changePrintOrder, printOrderLog, raiseAttention } from './change';
import { consumeStock, endAgreedUnits } from './ended-jobs';
import { hasPendingShipping, sendWaitingUpdate } from './order-updates';
import { withOwnParcel } from './parcels';

/** What partners report about their print orders, and what an operator reports for one. */

const PROGRESS_OF = {
  received: JOB_PROGRESS.received,
  printed: JOB_PROGRESS.printed,
  shipped: JOB_PROGRESS.shipped,
} as const;

/** A partner sent a status postback. One with a known event id, or about an unknown print order, changes nothing. */
export function postback(state: RunState, event: PostbackEvent): Change {
  const before = state.printOrders.find(({ id }) => id === event.printOrderId);
  if (before === undefined || state.seen.includes(event.eventId)) return change(state);
  const reasons: AttentionReason[] = [];
  if (isOfCancelled(before, event)) reasons.push('cancelled_shipped');
  if (shipsToOldAddress(before, event)) reasons.push('old_address_shipped');
  return andThen(
    changePrintOrder({ ...state, seen: [...state.seen, event.eventId] }, before.id, (each) =>
      afterPostback(each, event),
    ),
    (next) => change(reasons.reduce(raiseAttention, next)),
  );
}

function afterPostback(printOrder: PrintOrderState, event: PostbackEvent): Change<PrintOrderState> {
  const hasRest = printOrder.jobs.some(({ ended }) => ended === null);
  // A postback about the whole print order is about what is left of it.
  const concerns = (job: JobState) =>
    event.jobId === null ? !hasRest || job.ended !== 'cancelled' : job.id === event.jobId;
  const jobs = printOrder.jobs.map((job) => (concerns(job) ? jobAfter(job, event) : job));
  const printed = jobs.filter(
    ({ progress }, index) =>
      progress >= JOB_PROGRESS.printed && printOrder.jobs[index]!.progress < JOB_PROGRESS.printed,
  );
  // A postback proves that the print order arrived, also when its delivery got no response.
  const hasArrived = printOrder.delivery === 'pending' || printOrder.delivery === 'undeliverable';
  const reported = andThen(
    change(
      withOwnParcel({ ...printOrder, jobs, delivery: hasArrived ? 'accepted' : printOrder.delivery }, event),
      ...postbackLog(printOrder, event),
      ...trackingCode(event),
      ...consumeStock(printed),
    ),
    sendWaitingUpdate,
  );
  if (event.status !== 'cancelled') return reported;
  const isStopped = (job: JobState) => job.cancelledQuantity === job.quantity;
  return andThen(
    reported,
    (next) => endAgreedUnits(printOrder, next),
    (next) => confirmCancel(next, isStopped, event.message ?? ''),
  );
}

/** Merges a postback into a job by rules that do not depend on the order of arrival. */
function jobAfter(job: JobState, event: PostbackEvent): JobState {
  switch (event.status) {
    case 'received':
    case 'printed':
    case 'shipped': {
      const progress = Math.max(job.progress, PROGRESS_OF[event.status]) as JobProgress;
      return { ...job, progress, progressAt: later(job.progressAt, event.at) };
    }
    case 'error': {
      const newer =
        job.error === null ||
        event.at > job.error.at ||
        (event.at === job.error.at && (event.message ?? '') > job.error.message);
      return newer ? { ...job, error: { at: event.at, message: event.message ?? '' } } : job;
    }
    case 'cancelled': {
      const listed = event.items === null ? { quantity: null } : event.items.find((item) => item.jobId === job.id);
      if (listed === undefined) return job;
      const cancelled = listed.quantity ?? job.quantity;
      return {
        ...job,
        cancelledQuantity: Math.min(job.quantity, job.cancelledQuantity + cancelled),
        cancelledAt: later(job.cancelledAt ?? '', event.at),
      };
    }
  }
}

function later(a: string, b: string): string {
  return a > b ? a : b;
}

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
 * Returns true when a `shipped` postback is about cancelled jobs alone that had not shipped. One about the whole print
 * order is about those of its jobs that are left.
 */
function isOfCancelled({ jobs }: PrintOrderState, { status, jobId }: PostbackEvent): boolean {
  const named = jobs.filter(({ id }) => jobId === null || id === jobId);
  const isUnshipped = ({ ended, progress }: JobState) => ended === 'cancelled' && progress < JOB_PROGRESS.shipped;
  return status === 'shipped' && named.length > 0 && named.every(isUnshipped);
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
export function markedShipped(state: RunState, event: EventOf<'mark_shipped'>): Change {
  const { printOrderId, at, trackingCode, trackingLink } = event;
  const report = { status: 'shipped', message: null, jobId: null, items: null, trackingCode, trackingLink } as const;
  const eventId = `mark_shipped:${printOrderId}:${at}`;
  const next = postback(state, { type: 'postback', eventId, printOrderId, at, ...report });
  return next.state === state
    ? next
    : change(next.state, ...next.effects, audit('mark_shipped', event, { printOrderId }));
}
