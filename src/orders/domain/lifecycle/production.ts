import { confirmCancel, endJobs } from './cancellation';
import { consumeStock, newPrintOrder, updatePrintOrder } from './changes';
import type { PlannedPrintOrder, PostbackEvent, RunEffect, RunEvent } from './run-events';
import {
  JOB_PROGRESS,
  type JobProgress,
  type JobState,
  type PrintOrderState,
  type RunState,
} from './run-state';

export function prepared(
  state: RunState,
  planned: readonly PlannedPrintOrder[],
  effects: RunEffect[],
): RunState {
  if (state.printOrders.length > 0) return state;
  // Items that were cancelled while the plan was being made.
  const cancelled = new Set(state.items.filter((item) => item.status === 'cancelled').map((item) => item.id));
  const printOrders = planned.map((plan) =>
    endJobs(newPrintOrder(plan), (job) => cancelled.has(job.itemId), 'cancelled before production', effects),
  );
  for (const printOrder of printOrders) {
    if (printOrder.jobs.every((job) => job.ended !== null)) continue;
    effects.push({ type: 'log', event: 'handed_over', printOrderId: printOrder.id });
    if (!state.held) effects.push({ type: 'deliver_print_order', printOrderId: printOrder.id });
  }
  return { ...state, phase: state.phase === 'closed' ? 'closed' : 'running', printOrders };
}

export function delivered(
  state: RunState,
  event: Extract<RunEvent, { type: 'delivery' }>,
  effects: RunEffect[],
): RunState {
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
    return { ...printOrder, delivery: event.outcome };
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

export function postback(state: RunState, event: PostbackEvent, effects: RunEffect[]): RunState {
  if (state.seen.includes(event.eventId)) return state;
  const seen = { ...state, seen: [...state.seen, event.eventId] };
  return updatePrintOrder(seen, event.printOrderId, (printOrder) => {
    effects.push(...postbackLog(printOrder, event));
    if (event.trackingCode !== null || event.trackingLink !== null) {
      effects.push({
        type: 'tracking_code',
        printOrderId: printOrder.id,
        trackingCode: event.trackingCode,
        trackingLink: event.trackingLink,
      });
    }
    const printed: JobState[] = [];
    const jobs = printOrder.jobs.map((job) => {
      if (event.jobId !== null && job.id !== event.jobId) return job;
      const next = jobAfter(job, event);
      if (job.progress < JOB_PROGRESS.printed && next.progress >= JOB_PROGRESS.printed) printed.push(next);
      return next;
    });
    consumeStock(printed, effects);
    // A word about the print order proves that it arrived, whatever became of the answer to its delivery.
    const arrived = printOrder.delivery === 'pending' || printOrder.delivery === 'undeliverable';
    const next: PrintOrderState = {
      ...printOrder,
      jobs,
      delivery: arrived ? 'accepted' : printOrder.delivery,
    };
    if (event.status !== 'cancelled') return next;
    return confirmCancel(next, (job) => job.cancelledQuantity === job.quantity, event.message ?? '', effects);
  });
}

/** One line for the print order or for the item it names; a partial cancellation has one for each listed item. */
function postbackLog(printOrder: PrintOrderState, event: PostbackEvent): RunEffect[] {
  const line = (jobId: string | null, data: object): RunEffect => {
    const job = jobId === null ? undefined : printOrder.jobs.find((candidate) => candidate.id === jobId);
    return {
      type: 'log',
      event: `postback_${event.status}`,
      printOrderId: printOrder.id,
      ...(job === undefined ? {} : { itemId: job.itemId }),
      data: { at: event.at, ...(event.message === null ? {} : { message: event.message }), ...data },
    };
  };
  if (event.items === null) return [line(event.jobId, {})];
  return event.items.map(({ jobId, quantity }) => line(jobId, quantity === null ? {} : { quantity }));
}

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
      const listed =
        event.items === null ? { quantity: null } : event.items.find((item) => item.jobId === job.id);
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
