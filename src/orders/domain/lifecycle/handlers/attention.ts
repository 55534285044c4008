import type { AttentionReason } from '../attention-reasons';
import type { EventOf, RunEffect } from '../run-events';
import { printOrderLog, type Run, raiseAttention } from './change';

/** Deadlines that have passed, and trouble that other parts of Pressline have found: an operator should look at the order. */

export function deadlinePassed(run: Run, { printOrderId, reason }: EventOf<'deadline'>): RunEffect[] {
  raiseAttention(run, reason);
  return [printOrderLog('deadline_passed', printOrderId, { deadline: reason })];
}

export function reminded(_run: Run, { printOrderId, count }: EventOf<'reminded'>): RunEffect[] {
  return [printOrderLog('print_order_reminded', printOrderId, { reminder: count })];
}

export function flagged(run: Run, { reason, message, steps }: EventOf<'flagged'>): RunEffect[] {
  if (steps !== undefined) run.stalled = { steps: [...steps], message };
  raiseAttention(run, reason);
  return [];
}

export function flagCleared(run: Run, { reason }: EventOf<'flag_cleared'>): RunEffect[] {
  run.attention = run.attention.filter((raised) => raised !== reason);
  return [];
}

export function stallEnded(run: Run): RunEffect[] {
  delete run.stalled;
  return [];
}

/** Returns the handler of an event that raises a reason, and is logged when the order does not have it. */
const raisedOnce =
  (reason: AttentionReason, event: string) =>
  (run: Run): RunEffect[] => {
    if (run.attention.includes(reason)) return [];
    raiseAttention(run, reason);
    return [{ type: 'log', event }];
  };

export const recordSkipped = raisedOnce('out_of_step', 'record_skipped');
export const recordRefused = raisedOnce('record_refused', 'record_refused');
