import { hasEnded, jobStatus } from '../facts/jobs';
import { isDismissable } from '../rules/attention';
import type { EventOf, RunEffect } from '../run-events';
import { FAILED_DELIVERIES } from '../run-state';
import { hasShipped, isFinal } from '../statuses';
import { audit, type Run, setItems } from './change';

/** Operators hold and release orders, accept files and addresses, retry items that wait for them and dismiss attention reasons. */

export function held(run: Run, event: EventOf<'hold'>): RunEffect[] {
  if (run.held) return [];
  run.held = true;
  setItems(run, 'on_hold', ({ status }) => !isFinal(status) && !hasShipped(status));
  return [audit('hold', event)];
}

export function released(run: Run, event: EventOf<'release'>): RunEffect[] {
  if (!run.held) return [];
  run.held = false;
  setItems(run, run.phase === 'preparing' ? 'uploading' : 'passed', ({ status }) => status === 'on_hold');
  const unsent = run.printOrders.filter((each) => each.delivery === 'pending' && !hasEnded(each));
  return [
    audit('release', event),
    ...unsent.map(({ id }): RunEffect => ({ type: 'deliver_print_order', printOrderId: id })),
  ];
}

export function accepted(_run: Run, event: EventOf<'accept_files' | 'accept_address'>): RunEffect[] {
  return [audit(event.type, event), { type: event.type }];
}

export function dismissed(run: Run, event: EventOf<'dismiss'>): RunEffect[] {
  const attention = run.attention.filter(isDismissable);
  if (attention.length === 0) return [];
  run.attention = run.attention.filter((reason) => !isDismissable(reason));
  return [audit('dismiss', event, { attention })];
}

/** A retry lets a step that fails its process start again. It clears the jobs' errors, their requests to cancel or stop, and refused requests to make fewer units. */
export function retried(run: Run, event: EventOf<'retry'>): RunEffect[] {
  const { itemIds } = event;
  const log = audit('retry', event, { itemIds });
  const isWaiting = run.attention.includes('step_fails_process');
  run.attention = run.attention.filter((reason) => reason !== 'step_fails_process');
  if (run.phase === 'preparing') return [log];
  const deliveries = run.printOrders.flatMap((printOrder): RunEffect[] => {
    const waiting = printOrder.jobs.filter(
      (job) =>
        itemIds.includes(job.itemId) && jobStatus(job, printOrder) === 'manual_handling' && job.cancelledQuantity === 0,
    );
    if (waiting.length === 0) return [];
    if (FAILED_DELIVERIES.includes(printOrder.delivery)) printOrder.delivery = 'pending';
    for (const job of waiting) {
      job.error = null;
      delete job.cancelRequest;
      delete job.stopRequest;
      if (job.unitsRequest?.refused === true) delete job.unitsRequest;
    }
    return [{ type: 'deliver_print_order', printOrderId: printOrder.id }];
  });
  return deliveries.length === 0 && !isWaiting ? [] : [...deliveries, log];
}
