import { confirmCancel, endJobs } from './cancellation';
import { withoutUnits } from './cancelled-units';
import { audit, consumeStock, newPrintOrder, raiseAttention, updatePrintOrder } from './changes';
import { endAgreedUnits, endRequestedUnits } from './ended-units';
import { sendWaitingUpdate, shipsToOldAddress } from './order-updates';
import type { EventOf, ItemUnits, PlannedPrintOrder, PostbackEvent, RunEffect } from './run-events';
import {
  JOB_PROGRESS,
  type JobProgress,
  type JobState,
  NOT_TAKEN,
  type PrintOrderState,
  type RunState,
} from './run-state';

/** What planning, deliveries and partners' postbacks do to the state. */

/** The order was planned: adds its print orders and requests their delivery. */
export function prepared(
  state: RunState,
  { printOrders: planned, shippingRevision = 0 }: EventOf<'prepared'>,
  effects: RunEffect[],
): RunState {
  if (state.printOrders.length > 0) return state;
  // Items can be cancelled while the plan is made.
  const cancelled = new Set(state.items.filter((item) => item.status === 'cancelled').map((item) => item.id));
  const revision = Math.max(state.shippingRevision, shippingRevision);
  const whole = planned.map((plan) =>
    endJobs(
      withLabel(newPrintOrder(plan), plan, revision),
      (job) => cancelled.has(job.itemId),
      'cancelled before production',
      effects,
    ),
  );
  const printOrders = withoutUnits(whole, excessUnits(state, whole), 'cancelled before production', effects);
  for (const printOrder of printOrders) {
    if (printOrder.jobs.every((job) => job.ended !== null)) continue;
    effects.push({ type: 'log', event: 'handed_over', printOrderId: printOrder.id });
    if (!state.held) effects.push({ type: 'deliver_print_order', printOrderId: printOrder.id });
  }
  const phase = state.phase === 'closed' ? 'closed' : 'running';
  return { ...state, phase, printOrders, shippingRevision: revision };
}

/** Returns the units of each item that a plan has in addition, because they were cancelled while it was made. */
function excessUnits({ items }: RunState, printOrders: readonly PrintOrderState[]): ItemUnits[] {
  const jobs = printOrders.flatMap((printOrder) => printOrder.jobs.filter(({ ended }) => ended === null));
  return items.flatMap(({ id, quantity }) => {
    const planned = jobs.reduce((sum, job) => (job.itemId === id ? sum + job.quantity : sum), 0);
    return planned > quantity ? [{ itemId: id, quantity: planned - quantity }] : [];
  });
}

function withLabel(
  printOrder: PrintOrderState,
  { boughtShipmentId: id }: PlannedPrintOrder,
  revision: number,
): PrintOrderState {
  return id === undefined ? printOrder : { ...printOrder, shipment: { id, revision } };
}

/** The delivery of a print order to its partner ended. */
export function delivered(state: RunState, event: EventOf<'delivery'>, effects: RunEffect[]): RunState {
  return updatePrintOrder(state, event.printOrderId, (printOrder) => {
    if (printOrder.delivery === event.outcome) return printOrder;
    if (event.outcome !== 'accepted') {
      effects.push({
        type: 'log',
        event: `print_order_${event.outcome}`,
        printOrderId: printOrder.id,
        data: { message: event.message },
      });
    }
    const next = { ...printOrder, delivery: event.outcome };
    return NOT_TAKEN.includes(event.outcome) ? endRequestedUnits(next, effects) : sendWaitingUpdate(next, effects);
  });
}

const PROGRESS_OF = {
  received: JOB_PROGRESS.received,
  printed: JOB_PROGRESS.printed,
  shipped: JOB_PROGRESS.shipped,
} as const;

function later(a: string, b: string): string {
  return a > b ? a : b;
}

/** A partner sent a status postback. One with a known event id changes nothing. */
export function postback(state: RunState, event: PostbackEvent, effects: RunEffect[]): RunState {
  if (state.seen.includes(event.eventId)) return state;
  const seen = { ...state, seen: [...state.seen, event.eventId] };
  const before = state.printOrders.find(({ id }) => id === event.printOrderId);
  const isOldAddress = before !== undefined && shipsToOldAddress(before, event);
  const next = updatePrintOrder(seen, event.printOrderId, (printOrder) => {
    effects.push(...postbackLog(printOrder, event));
    if (event.trackingCode !== null || event.trackingLink !== null) {
      effects.push({
        type: 'tracking_code',
        printOrderId: printOrder.id,
        jobId: event.jobId,
        trackingCode: event.trackingCode,
        trackingLink: event.trackingLink,
      });
    }
    const printed: JobState[] = [];
    const hasRest = printOrder.jobs.some(({ ended }) => ended === null);
    const jobs = printOrder.jobs.map((job) => {
      // A postback about the whole print order is about what is left of it.
      if (event.jobId === null ? hasRest && job.ended === 'cancelled' : job.id !== event.jobId) return job;
      const next = jobAfter(job, event);
      if (job.progress < JOB_PROGRESS.printed && next.progress >= JOB_PROGRESS.printed) printed.push(next);
      return next;
    });
    consumeStock(printed, effects);
    // A postback proves that the print order arrived, also when its delivery got no response.
    const arrived = printOrder.delivery === 'pending' || printOrder.delivery === 'undeliverable';
    const after = sendWaitingUpdate(
      { ...printOrder, jobs, delivery: arrived ? 'accepted' : printOrder.delivery },
      effects,
    );
    if (event.status !== 'cancelled') return after;
    const agreed = endAgreedUnits(printOrder, after, effects);
    return confirmCancel(agreed, (job) => job.cancelledQuantity === job.quantity, event.message ?? '', effects);
  });
  const warned =
    before !== undefined && isOfCancelled(before, event) ? raiseAttention(next, 'cancelled_shipped') : next;
  return isOldAddress ? raiseAttention(warned, 'old_address_shipped') : warned;
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

/** An operator reported the print order as shipped. The rest is as after its partner's postback. */
export function markedShipped(state: RunState, event: EventOf<'mark_shipped'>, effects: RunEffect[]): RunState {
  const { printOrderId, at, trackingCode, trackingLink } = event;
  const report = { status: 'shipped', message: null, jobId: null, items: null, trackingCode, trackingLink } as const;
  const eventId = `mark_shipped:${printOrderId}:${at}`;
  const next = postback(state, { type: 'postback', eventId, printOrderId, at, ...report }, effects);
  if (next !== state) effects.push(audit('mark_shipped', event, { printOrderId }));
  return next;
}

/** Returns one log entry for the print order or the named item. A partial cancellation has one entry for each listed item. */
function postbackLog(printOrder: PrintOrderState, event: PostbackEvent): RunEffect[] {
  const entry = (jobId: string | null, data: object): RunEffect => {
    const job = jobId === null ? undefined : printOrder.jobs.find((candidate) => candidate.id === jobId);
    return {
      type: 'log',
      event: `postback_${event.status}`,
      printOrderId: printOrder.id,
      ...(job === undefined ? {} : { itemId: job.itemId }),
      data: { at: event.at, ...(event.message === null ? {} : { message: event.message }), ...data },
    };
  };
  if (event.items === null) return [entry(event.jobId, {})];
  return event.items.map(({ jobId, quantity }) => entry(jobId, quantity === null ? {} : { quantity }));
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
