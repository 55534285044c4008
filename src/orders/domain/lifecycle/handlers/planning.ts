import { PARKING_REASONS } from '../attention-reasons';
import { unitsByJob } from '../facts/cancellations';
import { isBeforePlanning } from '../facts/items';
import { hasEnded } from '../facts/jobs';
import type { ItemUnits } from '../requests';
import type { EventOf, RunEffect } from '../run-events';
import { JOB_PROGRESS, NOT_TAKEN, type PlannedPrintOrder, type PrintOrderState, type RunState } from '../run-state';
import {
  andThen,
  type Change,
  change,
  changePrintOrder,
  changePrintOrders,
  printOrderLog,
  raiseAttention,
  setItems,
} from './change';
import { endJobs, endRequestedUnits, endUnits } from './ended-jobs';
import { sendWaitingUpdate } from './order-updates';

/** From the submission of an order to the delivery of its print orders. */

export function fetchingFiles(state: RunState): Change {
  return change(setItems(state, 'uploading', (status) => status === 'created'));
}

/** The order is refused. */
export function refused(state: RunState, { code, reason }: EventOf<'refused'>): Change {
  const failed = setItems(state, 'failed', isBeforePlanning);
  if (failed === state) return change(state);
  return change(failed, { type: 'log', event: 'order_refused', data: { code, reason } });
}

/** The order cannot be planned yet. The event repeats after every failed attempt to plan it. */
export function parked(state: RunState, { reason, message }: EventOf<'parked'>): Change {
  if (state.attention.includes(reason)) return change(state);
  const attention = state.attention.filter((other) => !(other in PARKING_REASONS));
  return change(raiseAttention(setItems({ ...state, attention }, 'on_hold', isBeforePlanning), reason), {
    type: 'log',
    event: PARKING_REASONS[reason],
    data: { reason, message },
  });
}

/** Why units end that were cancelled while the plan was made. */
const CANCELLED_EARLY = 'cancelled before production';

/** The order was planned: adds its print orders and requests their delivery. */
export function prepared(state: RunState, event: EventOf<'prepared'>): Change {
  if (state.printOrders.length > 0) return change(state);
  const shippingRevision = Math.max(state.shippingRevision, event.shippingRevision ?? 0);
  const cancelled = new Set(state.items.flatMap(({ id, status }) => (status === 'cancelled' ? [id] : [])));
  const printOrders = event.printOrders.map((plan) => withLabel(newPrintOrder(plan), plan, shippingRevision));
  const phase = state.phase === 'closed' ? 'closed' : 'running';
  const planned: RunState = { ...state, phase, printOrders, shippingRevision };
  const left = andThen(
    changePrintOrders(planned, (each) => endJobs(each, ({ itemId }) => cancelled.has(itemId), CANCELLED_EARLY)),
    (next) => {
      const excess = unitsByJob(next.printOrders, excessUnits(next));
      return changePrintOrders(next, (each) => {
        const ending = each.jobs.filter(({ id }) => excess.has(id)).map(({ id }) => [id, excess.get(id)!] as const);
        return endUnits(each, new Map(ending), CANCELLED_EARLY);
      });
    },
  );
  const deliveries = left.state.printOrders
    .filter((each) => !hasEnded(each))
    .flatMap(({ id }): RunEffect[] => [
      printOrderLog('handed_over', id),
      ...(state.held ? [] : [{ type: 'deliver_print_order', printOrderId: id } as const]),
    ]);
  return change(left.state, ...left.effects, ...deliveries);
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
  };
}

function withLabel(
  printOrder: PrintOrderState,
  { boughtShipmentId: id }: PlannedPrintOrder,
  revision: number,
): PrintOrderState {
  return id === undefined ? printOrder : { ...printOrder, shipment: { id, revision } };
}

/** Returns the units of each item that a plan has in addition, because they were cancelled while it was made. */
function excessUnits({ items, printOrders }: RunState): ItemUnits[] {
  const jobs = printOrders.flatMap((printOrder) => printOrder.jobs.filter(({ ended }) => ended === null));
  return items.flatMap(({ id, quantity }) => {
    const planned = jobs.reduce((sum, job) => (job.itemId === id ? sum + job.quantity : sum), 0);
    return planned > quantity ? [{ itemId: id, quantity: planned - quantity }] : [];
  });
}

/** The delivery of a print order to its partner ended. */
export function delivered(state: RunState, { printOrderId, outcome, message }: EventOf<'delivery'>): Change {
  return changePrintOrder(state, printOrderId, (printOrder) => {
    if (printOrder.delivery === outcome) return change(printOrder);
    const log = outcome === 'accepted' ? [] : [printOrderLog(`print_order_${outcome}`, printOrderId, { message })];
    const settle = NOT_TAKEN.includes(outcome) ? endRequestedUnits : sendWaitingUpdate;
    return andThen(change({ ...printOrder, delivery: outcome }, ...log), settle);
  });
}
