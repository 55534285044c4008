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

export function stallEnded(run: Run): RunEffect[] {
  delete run.stalled;
  return [];
}

export function recordSkipped(run: Run): RunEffect[] {
  if (run.attention.includes('out_of_step')) return [];
  raiseAttention(run, 'out_of_step');
  return [{ type: 'log', event: 'record_skipped' }];
}

export function recordRefused(run: Run): RunEffect[] {
  if (run.attention.includes('record_refused')) return [];
  raiseAttention(run, 'record_refused');
  return [{ type: 'log', event: 'record_refused' }];
}
