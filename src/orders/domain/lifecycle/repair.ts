import { withoutUnusedLabel } from './cancellation';
import { audit, newPrintOrder, setItems } from './changes';
import { jobStatus } from './derive';
import type { RunEffect, RunEvent } from './run-events';
import {
  type AttentionReason,
  JOB_PROGRESS,
  type JobState,
  type PrintOrderState,
  type RunState,
} from './run-state';
import { hasShipped, isFinal } from './statuses';

/** What operators' repairs do to the state: hold, release, retry, dismiss, and replacement by reroute or reproduce. */

export function held(
  state: RunState,
  event: Extract<RunEvent, { type: 'hold' }>,
  effects: RunEffect[],
): RunState {
  if (state.held) return state;
  effects.push(audit('hold', event));
  return setItems({ ...state, held: true }, 'on_hold', (status) => !isFinal(status) && !hasShipped(status));
}

export function released(
  state: RunState,
  event: Extract<RunEvent, { type: 'release' }>,
  effects: RunEffect[],
): RunState {
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

/**
 * Attention reasons that an operator can dismiss while the order is open: those that only an operator can settle, with
 * the partner or the client.
 */
export const DISMISSABLE: ReadonlySet<AttentionReason> = new Set([
  'partner_not_updated',
  'old_address_shipped',
]);

export function dismissed(
  state: RunState,
  event: Extract<RunEvent, { type: 'dismiss' }>,
  effects: RunEffect[],
): RunState {
  const reasons = state.attention.filter((reason) => DISMISSABLE.has(reason));
  if (reasons.length === 0) return state;
  effects.push(audit('dismiss', event, { attention: reasons }));
  return { ...state, attention: state.attention.filter((reason) => !DISMISSABLE.has(reason)) };
}

export function retried(
  state: RunState,
  event: Extract<RunEvent, { type: 'retry' }>,
  effects: RunEffect[],
): RunState {
  if (state.phase === 'preparing') {
    effects.push(audit('retry', event, { itemIds: event.itemIds }));
    return { ...state };
  }
  const chosen = new Set(event.itemIds);
  let changed = false;
  const printOrders = state.printOrders.map((printOrder) => {
    const waiting = printOrder.jobs.filter(
      (job) =>
        chosen.has(job.itemId) &&
        jobStatus(job, printOrder) === 'manual_handling' &&
        job.cancelledQuantity === 0,
    );
    if (waiting.length === 0) return printOrder;
    changed = true;
    effects.push({ type: 'deliver_print_order', printOrderId: printOrder.id });
    const undelivered = printOrder.delivery === 'refused' || printOrder.delivery === 'undeliverable';
    return {
      ...printOrder,
      delivery: undelivered ? ('pending' as const) : printOrder.delivery,
      jobs: printOrder.jobs.map((job) => (waiting.includes(job) ? retriedJob(job) : job)),
    };
  });
  if (!changed) return state;
  effects.push(audit('retry', event, { itemIds: event.itemIds }));
  return { ...state, printOrders };
}

/** A retry clears the job's error and any cancel request that is still open. */
function retriedJob({ cancelRequest: _cancelRequest, ...job }: JobState): JobState {
  return { ...job, error: null };
}

/** Adds a print order that makes units again (reproduce), or at another partner (reroute). */
export function replaced(
  state: RunState,
  event: Extract<RunEvent, { type: 'replaced' }>,
  effects: RunEffect[],
): RunState {
  if (state.printOrders.some((printOrder) => printOrder.id === event.printOrder.id)) return state;
  effects.push(audit(event.action, event, { printOrderId: event.printOrder.id, replaces: event.replaces }));
  const quantities = new Map(event.replaces.map(({ jobId, quantity }) => [jobId, quantity]));
  let touched = 0;
  const printOrders = state.printOrders.map((printOrder) => {
    const next = withoutUnits(printOrder, quantities, event.reason, effects);
    if (next !== printOrder) touched += 1;
    return next;
  });
  const replacement = newPrintOrder(event.printOrder);
  if (state.phase === 'closed' || (touched === 0 && event.replaces.length > 0)) {
    // The units shipped, or the order ended, while the replacement was planned.
    effects.push({ type: 'release_stock', jobIds: replacement.jobs.map((job) => job.id) });
    const jobs = replacement.jobs.map((job) => ({ ...job, ended: 'superseded' as const }));
    return { ...state, printOrders: [...printOrders, { ...replacement, jobs }] };
  }
  effects.push({ type: 'deliver_print_order', printOrderId: replacement.id });
  return { ...state, printOrders: [...printOrders, replacement] };
}

/** Removes units that another print order takes over. The partner is asked to cancel jobs that move as a whole. */
function withoutUnits(
  printOrder: PrintOrderState,
  quantities: ReadonlyMap<string, number>,
  reason: string,
  effects: RunEffect[],
): PrintOrderState {
  const touched = printOrder.jobs.filter(
    (job) =>
      quantities.has(job.id) &&
      job.ended === null &&
      (job.progress !== JOB_PROGRESS.shipped || job.cancelledQuantity > 0),
  );
  if (touched.length === 0) return printOrder;
  const superseded = touched.filter((job) => quantities.get(job.id)! >= job.quantity);
  const unprinted = superseded.filter((job) => job.progress < JOB_PROGRESS.printed);
  if (unprinted.length > 0) effects.push({ type: 'release_stock', jobIds: unprinted.map((job) => job.id) });
  const atPartner = superseded.filter((job) => job.cancelledQuantity < job.quantity);
  if (atPartner.length > 0 && printOrder.delivery !== 'refused') {
    effects.push({
      type: 'request_partner_cancel',
      printOrderId: printOrder.id,
      jobIds: atPartner.map((job) => job.id),
      reason,
    });
  }
  const jobs = printOrder.jobs.map((job): JobState => {
    if (!touched.includes(job)) return job;
    const moved = quantities.get(job.id)!;
    if (moved >= job.quantity) return { ...job, ended: 'superseded' };
    const cancelledQuantity = Math.max(0, job.cancelledQuantity - moved);
    return { ...job, quantity: job.quantity - moved, cancelledQuantity, error: null };
  });
  return withoutUnusedLabel({ ...printOrder, jobs }, effects);
}
