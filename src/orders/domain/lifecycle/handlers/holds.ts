import { hasEnded, jobStatus } from '../facts/jobs';
import { isDismissable } from '../rules/attention';
import type { EventOf, RunEffect } from '../run-events';
import { FAILED_DELIVERIES, type JobState, type RunState } from '../run-state';
import { hasShipped, isFinal } from '../statuses';
import { audit, type Change, change, changePrintOrders, setItems } from './change';

/** Operators hold and release orders, accept files, retry items that wait for them and dismiss attention reasons. */

export function held(state: RunState, event: EventOf<'hold'>): Change {
  if (state.held) return change(state);
  const onHold = setItems({ ...state, held: true }, 'on_hold', (status) => !isFinal(status) && !hasShipped(status));
  return change(onHold, audit('hold', event));
}

export function released(state: RunState, event: EventOf<'release'>): Change {
  if (!state.held) return change(state);
  const deliveries = state.printOrders
    .filter((printOrder) => printOrder.delivery === 'pending' && !hasEnded(printOrder))
    .map(({ id }): RunEffect => ({ type: 'deliver_print_order', printOrderId: id }));
  const next = state.phase === 'preparing' ? 'uploading' : 'passed';
  const resumed = setItems({ ...state, held: false }, next, (status) => status === 'on_hold');
  return change(resumed, audit('release', event), ...deliveries);
}

export function acceptedFiles(state: RunState, event: EventOf<'accept_files'>): Change {
  return change(state, audit('accept_files', event), { type: 'accept_files' });
}

export function dismissed(state: RunState, event: EventOf<'dismiss'>): Change {
  const attention = state.attention.filter(isDismissable);
  if (attention.length === 0) return change(state);
  const left = state.attention.filter((reason) => !isDismissable(reason));
  return change({ ...state, attention: left }, audit('dismiss', event, { attention }));
}

export function retried(state: RunState, event: EventOf<'retry'>): Change {
  const { itemIds } = event;
  const log = audit('retry', event, { itemIds });
  if (state.phase === 'preparing') return change(state, log);
  const next = changePrintOrders(state, (printOrder) => {
    const isWaiting = (job: JobState) =>
      itemIds.includes(job.itemId) && jobStatus(job, printOrder) === 'manual_handling' && job.cancelledQuantity === 0;
    if (!printOrder.jobs.some(isWaiting)) return change(printOrder);
    return change(
      {
        ...printOrder,
        delivery: FAILED_DELIVERIES.includes(printOrder.delivery) ? 'pending' : printOrder.delivery,
        jobs: printOrder.jobs.map((job) => (isWaiting(job) ? retriedJob(job) : job)),
      },
      { type: 'deliver_print_order', printOrderId: printOrder.id },
    );
  });
  return next.state === state ? next : change(next.state, ...next.effects, log);
}

/** A retry clears the job's error, its requests to cancel or stop, and a refused request to make fewer units. */
function retriedJob(retried: JobState): JobState {
  const { cancelRequest: _cancelRequest, stopRequest: _stopRequest, unitsRequest, ...job } = retried;
  return { ...job, error: null, ...(unitsRequest?.refused === false ? { unitsRequest } : {}) };
}
