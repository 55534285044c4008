import type { AttentionReason } from '../attention-reasons';
import { type RequestedBy, requestedBy } from '../requests';
import type { EventOf, RunEffect, RunEvent } from '../run-events';
import type { PrintOrderState, RunState } from '../run-state';
import type { ItemStatus } from '../statuses';

/** A new state of a run, or of one of its print orders, and the effects of the change. */
export interface Change<State = RunState> {
  readonly state: State;
  readonly effects: readonly RunEffect[];
}

/** Applies an event of one type. Returns the same state and no effects for an event without news. */
export type Handler<Type extends RunEvent['type']> = (state: RunState, event: EventOf<Type>) => Change;

export function change<State>(state: State, ...effects: readonly RunEffect[]): Change<State> {
  return { state, effects };
}

/** Applies further changes, one after the other. The result has the effects of all. */
export function andThen<State>(
  first: Change<State>,
  ...more: readonly ((state: State) => Change<State>)[]
): Change<State> {
  return more.reduce(({ state, effects }, next) => {
    const after = next(state);
    return change(after.state, ...effects, ...after.effects);
  }, first);
}

/** Changes every print order. Returns the same state when none changes. */
export function changePrintOrders(
  state: RunState,
  apply: (printOrder: PrintOrderState) => Change<PrintOrderState>,
): Change {
  const changes = state.printOrders.map(apply);
  const printOrders = changes.map((each) => each.state);
  const isSame = printOrders.every((printOrder, index) => printOrder === state.printOrders[index]);
  return change(isSame ? state : { ...state, printOrders }, ...changes.flatMap(({ effects }) => effects));
}

/** Changes one print order. Returns the same state when the id is unknown. */
export function changePrintOrder(
  state: RunState,
  id: string,
  apply: (printOrder: PrintOrderState) => Change<PrintOrderState>,
): Change {
  return changePrintOrders(state, (printOrder) => (printOrder.id === id ? apply(printOrder) : change(printOrder)));
}

/** Sets the status of every item whose current status is selected. Returns the same state when no item is. */
export function setItems(state: RunState, to: ItemStatus, isSelected: (status: ItemStatus) => boolean): RunState {
  const items = state.items.map((item) =>
    item.status !== to && isSelected(item.status) ? { ...item, status: to } : item,
  );
  return items.some((item, index) => item !== state.items[index]) ? { ...state, items } : state;
}

/** Adds an attention reason. Returns a new state also when the reason is already there: the event is recorded. */
export function raiseAttention(state: RunState, reason: AttentionReason): RunState {
  return { ...state, attention: [...new Set([...state.attention, reason])] };
}

/** Returns a log entry about a print order. */
export function printOrderLog(event: string, printOrderId: string, data?: object): RunEffect {
  return { type: 'log', event, printOrderId, ...(data === undefined ? {} : { data }) };
}

/** Returns the log entry for a change that a person requested. */
export function audit(action: string, request: RequestedBy, data: object = {}): RunEffect {
  return { type: 'log', event: action, data: { ...requestedBy(request), ...data } };
}
