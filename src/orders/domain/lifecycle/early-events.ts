import type { EarlyEvent, RunEvent } from './run-events';
import type { RunState } from './run-state';

/**
 * Events about print orders that the run does not have yet. `reduce` keeps them, and the run applies them when it has their
 * print orders.
 */

/** Returns true when the run has the print order of an event. */
function hasPrintOrder({ printOrders }: RunState, { printOrderId }: EarlyEvent): boolean {
  return printOrders.some(({ id }) => id === printOrderId);
}

/** Returns true for an event about a print order that the run does not have. */
export function isEarly(state: RunState, event: RunEvent): event is EarlyEvent {
  if (event.type === 'tracking') return state.phase === 'preparing' && !hasPrintOrder(state, event);
  return event.type === 'postback' && !hasPrintOrder(state, event);
}

/** Keeps an event for later. Returns the same state for an event that is kept already. */
export function keepEarly(state: RunState, event: EarlyEvent): RunState {
  const early = (state.early ?? []) as readonly EarlyEvent[];
  const isKnown = early.some((kept) => kept.type === event.type && kept.eventId === event.eventId);
  return isKnown ? state : { ...state, early: [...early, event] };
}

/** Returns the kept events whose print orders the run now has, and the state without them. */
export function takeEarly(state: RunState): { state: RunState; due: readonly EarlyEvent[] } {
  const { early: kept = [], ...rest } = state;
  const early = kept as readonly EarlyEvent[];
  const due = early.filter((event) => hasPrintOrder(state, event));
  if (due.length === 0) return { state, due };
  const left = early.filter((event) => !due.includes(event));
  return { state: left.length === 0 ? rest : { ...rest, early: left }, due };
}
