import type { AttentionReason } from './attention';
import { type PlannedPrintOrder, type RequestedBy, type RunEffect, requestedBy } from './run-events';
import { JOB_PROGRESS, type JobState, type PrintOrderState, type RunState } from './run-state';
import type { ItemStatus } from './statuses';

/** Small state changes and effects that several kinds of event share. */

/** Sets the status of every item whose current status is selected. Returns the same state when no item is. */
export function setItems(state: RunState, to: ItemStatus, isSelected: (status: ItemStatus) => boolean): RunState {
  const items = state.items.map((item) =>
    item.status !== to && isSelected(item.status) ? { ...item, status: to } : item,
  );
  return items.some((item, index) => item !== state.items[index]) ? { ...state, items } : state;
}

/** Returns true for the statuses of an item before its order is planned. */
export function isBeforePlanning(status: ItemStatus): boolean {
  return status === 'created' || status === 'uploading' || status === 'on_hold';
}

/** Replaces one print order. Returns the same state when the id is unknown or the print order does not change. */
export function updatePrintOrder(
  state: RunState,
  id: string,
  update: (printOrder: PrintOrderState) => PrintOrderState,
): RunState {
  const index = state.printOrders.findIndex((printOrder) => printOrder.id === id);
  const before = state.printOrders[index];
  if (before === undefined) return state;
  const after = update(before);
  return after === before ? state : { ...state, printOrders: state.printOrders.with(index, after) };
}

/** Returns the state of a print order that was planned and not sent. */
export function newPrintOrder({ boughtShipmentId: _label, jobs, ...planned }: PlannedPrintOrder): PrintOrderState {
  return {
    ...planned,
    delivery: 'pending',
    jobs: jobs.map((job) => ({
      ...job,
      progress: JOB_PROGRESS.none,
      progressAt: '',
      error: null,
      cancelledQuantity: 0,
      ended: null,
    })),
    shipment: null,
    cancel: null,
    transit: null,
  };
}

/** Returns true when the partner or the carrier has reported a job of the print order as shipped. */
export function isHandedToCarrier(printOrder: PrintOrderState): boolean {
  return printOrder.jobs.some((job) => job.progress === JOB_PROGRESS.shipped);
}

/** Returns the jobs of a print order that have neither shipped nor ended. */
export function openJobs({ jobs }: PrintOrderState): JobState[] {
  return jobs.filter(({ ended, progress }) => ended === null && progress !== JOB_PROGRESS.shipped);
}

export function hasOpenJobs(printOrder: PrintOrderState): boolean {
  return openJobs(printOrder).length > 0;
}

/** Adds the effect that takes the parts of printed jobs out of stock. Units that the partner cancelled used none. */
export function consumeStock(printed: readonly JobState[], effects: RunEffect[]): void {
  if (printed.length === 0) return;
  const jobs = printed.map(({ id, quantity, cancelledQuantity }) => ({
    id,
    units: quantity - cancelledQuantity,
  }));
  effects.push({ type: 'consume_stock', jobs });
}

/** Adds an attention reason. Returns a new state also when the reason is already there: the event is recorded. */
export function raiseAttention(state: RunState, reason: AttentionReason): RunState {
  return { ...state, attention: [...new Set([...state.attention, reason])] };
}

/** Returns the log entry for a change that a person requested. */
export function audit(action: string, request: RequestedBy, data: object = {}): RunEffect {
  return { type: 'log', event: action, data: { ...requestedBy(request), ...data } };
}
