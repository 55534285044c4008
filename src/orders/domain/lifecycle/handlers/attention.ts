import type { EventOf } from '../run-events';
import type { RunState } from '../run-state';
import { type Change, change, printOrderLog, raiseAttention } from './change';

/** Deadlines that have passed, and trouble that other parts of Pressline have found: an operator should look at the order. */

export function deadlinePassed(state: RunState, { printOrderId, reason }: EventOf<'deadline'>): Change {
  return change(raiseAttention(state, reason), printOrderLog('deadline_passed', printOrderId, { deadline: reason }));
}

export function reminded(state: RunState, { printOrderId, count }: EventOf<'reminded'>): Change {
  return change(state, printOrderLog('print_order_reminded', printOrderId, { reminder: count }));
}

export function flagged(state: RunState, { reason, message, steps }: EventOf<'flagged'>): Change {
  return change(raiseAttention(steps === undefined ? state : { ...state, stalled: { steps, message } }, reason));
}

export function stallEnded({ stalled: _ended, ...rest }: RunState): Change {
  return change(rest);
}

export function recordSkipped(state: RunState): Change {
  return change(raiseAttention(state, 'out_of_step'), { type: 'log', event: 'record_skipped' });
}

export function recordRefused(state: RunState): Change {
  if (state.attention.includes('record_refused')) return change(state);
  return change(raiseAttention(state, 'record_refused'), { type: 'log', event: 'record_refused' });
}
