import { isDismissable } from '../attention';
import { audit, setItems } from '../changes';
import { jobStatus } from '../derive';
import type { EventOf, RunEffect } from '../run-events';
import { FAILED_DELIVERIES, type JobState, type RunState } from '../run-state';
import { hasShipped, isFinal } from '../statuses';

/** What operators' repairs do to the state: hold, release, accept files, retry and dismiss. */

export function held(state: RunState, event: EventOf<'hold'>, effects: RunEffect[]): RunState {
  if (state.held) return state;
  effects.push(audit('hold', event));
  return setItems({ ...state, held: true }, 'on_hold', (status) => !isFinal(status) && !hasShipped(status));
}

export function released(state: RunState, event: EventOf<'release'>, effects: RunEffect[]): RunState {
  if (!state.held) return state;
  effects.push(audit('release', event));
  for (const printOrder of state.printOrders) {
    if (printOrder.delivery === 'pending' && printOrder.jobs.some((job) => job.ended === null)) {
      effects.push({ type: 'deliver_print_order', printOrderId: printOrder.id });
    }
  }
  const next = state.phase === 'preparing' ? 'uploading' : 'passed';
  return setItems({ ...state, held: false }, next, (status) => status === 'on_hold');
}

export function acceptedFiles(state: RunState, event: EventOf<'accept_files'>, effects: RunEffect[]): RunState {
  effects.push(audit('accept_files', event), { type: 'accept_files' });
  return { ...state };
}

export function dismissed(state: RunState, event: EventOf<'dismiss'>, effects: RunEffect[]): RunState {
  const reasons = state.attention.filter(isDismissable);
  if (reasons.length === 0) return state;
  effects.push(audit('dismiss', event, { attention: reasons }));
  return { ...state, attention: state.attention.filter((reason) => !isDismissable(reason)) };
}

export function retried(state: RunState, event: EventOf<'retry'>, effects: RunEffect[]): RunState {
  if (state.phase === 'preparing') {
    effects.push(audit('retry', event, { itemIds: event.itemIds }));
    return { ...state };
  }
  const chosen = new Set(event.itemIds);
  let changed = false;
  const printOrders = state.printOrders.map((printOrder) => {
    const waiting = printOrder.jobs.filter(
      (job) =>
        chosen.has(job.itemId) && jobStatus(job, printOrder) === 'manual_handling' && job.cancelledQuantity === 0,
    );
    if (waiting.length === 0) return printOrder;
    changed = true;
    effects.push({ type: 'deliver_print_order', printOrderId: printOrder.id });
    return {
      ...printOrder,
      delivery: FAILED_DELIVERIES.includes(printOrder.delivery) ? ('pending' as const) : printOrder.delivery,
      jobs: printOrder.jobs.map((job) => (waiting.includes(job) ? retriedJob(job) : job)),
    };
  });
  if (!changed) return state;
  effects.push(audit('retry', event, { itemIds: event.itemIds }));
  return { ...state, printOrders };
}

/** A retry clears the job's error, its requests to cancel or stop, and a refused request to make fewer units. */
function retriedJob(retried: JobState): JobState {
  const { cancelRequest: _cancelRequest, stopRequest: _stopRequest, unitsRequest, ...job } = retried;
  return { ...job, error: null, ...(unitsRequest?.refused === false ? { unitsRequest } : {}) };
}
