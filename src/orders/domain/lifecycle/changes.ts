import type { PlannedPrintOrder, RunEffect } from './run-events';
import { JOB_PROGRESS, type JobState, type PrintOrderState, type RunState } from './run-state';
import { ITEM_TRANSITIONS, type ItemStatus } from './statuses';

export function setItems(state: RunState, status: ItemStatus): RunState {
  const items = state.items.map((item) =>
    ITEM_TRANSITIONS[item.status].includes(status) ? { ...item, status } : item,
  );
  return items.some((item, index) => item !== state.items[index]) ? { ...state, items } : state;
}

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

export function newPrintOrder(planned: PlannedPrintOrder): PrintOrderState {
  return {
    id: planned.id,
    partnerId: planned.partnerId,
    partnerUid: planned.partnerUid,
    dispatchDate: planned.dispatchDate,
    reproducesId: planned.reproducesId,
    delivery: 'pending',
    jobs: planned.jobs.map((job) => ({
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

export function isHandedToCarrier(printOrder: PrintOrderState): boolean {
  return printOrder.jobs.some((job) => job.progress === JOB_PROGRESS.shipped);
}

/** What printed jobs were made of leaves the stock; units that the partner has cancelled took nothing. */
export function consumeStock(printed: readonly JobState[], effects: RunEffect[]): void {
  if (printed.length === 0) return;
  const jobs = printed.map(({ id, quantity, cancelledQuantity }) => ({
    id,
    units: quantity - cancelledQuantity,
  }));
  effects.push({ type: 'consume_stock', jobs });
}

export interface OperatorAct {
  readonly by: string;
  readonly reason: string;
}

export function audit(action: string, { by, reason }: OperatorAct, data: object = {}): RunEffect {
  return { type: 'log', event: action, data: { by, reason, ...data } };
}
