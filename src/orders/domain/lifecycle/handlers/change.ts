import type { AttentionReason } from '../attention-reasons';
import { type RequestedBy, requestedBy } from '../requests';
import type { EventOf, RunEffect, RunEvent } from '../run-events';
import type { ItemState, JobState, PrintOrderState, RunState } from '../run-state';

/** A copy that its owner may change. */
type Draft<Value> = { -readonly [Key in keyof Value]: Draft<Value[Key]> };
export type Run = Draft<RunState>;
export type PrintOrder = Draft<PrintOrderState>;
export type Job = Draft<JobState>;

/** Applies an event of one type to the run, and returns the effects. An event without news changes nothing and has none. */
export type Handler<Type extends RunEvent['type']> = (run: Run, event: EventOf<Type>) => RunEffect[];

/** Changes one print order. An unknown id has no effects. */
export function changePrintOrder(run: Run, id: string, apply: (printOrder: PrintOrder) => RunEffect[]): RunEffect[] {
  const printOrder = run.printOrders.find((each) => each.id === id);
  return printOrder === undefined ? [] : apply(printOrder);
}

/** Sets the status of every selected item. */
export function setItems(run: Run, to: ItemState['status'], isSelected: (item: ItemState) => boolean): void {
  for (const item of run.items.filter(isSelected)) item.status = to;
}

export function raiseAttention(run: Run, reason: AttentionReason): void {
  if (!run.attention.includes(reason)) run.attention.push(reason);
}

/** Returns a log entry about a print order. */
export function printOrderLog(event: string, printOrderId: string, data?: object): RunEffect {
  return { type: 'log', event, printOrderId, ...(data === undefined ? {} : { data }) };
}

/** Returns the log entry for a change that a person requested. */
export function audit(action: string, request: RequestedBy, data: object = {}): RunEffect {
  return { type: 'log', event: action, data: { ...requestedBy(request), ...data } };
}
