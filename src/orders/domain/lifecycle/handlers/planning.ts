import { PARKING_REASONS } from '../attention-reasons';
import { unitsByJob } from '../facts/cancellations';
import { isBeforePlanning } from '../facts/items';
import { hasEnded, unitsToShip } from '../facts/jobs';
import type { ItemUnits } from '../requests';
import { isMove } from '../rules/guards';
import type { EventOf, RunEffect } from '../run-events';
import { JOB_PROGRESS, NOT_TAKEN, type PlannedPrintOrder, type RunState } from '../run-state';
import { audit, changePrintOrder, type PrintOrder, printOrderLog, type Run, raiseAttention, setItems } from './change';
import { endJobs, endRequestedUnits, endUnits } from './ended-jobs';
import { sendWaitingUpdate } from './order-updates';

/** From the submission of an order to the delivery of its print orders. */

export function fetchingFiles(run: Run): RunEffect[] {
  setItems(run, 'uploading', ({ status }) => status === 'created');
  return [];
}

export function refused(run: Run, { code, reason }: EventOf<'refused'>): RunEffect[] {
  if (!run.items.some(isBeforePlanning)) return [];
  setItems(run, 'failed', isBeforePlanning);
  return [{ type: 'log', event: 'order_refused', data: { code, reason } }];
}

/** The order cannot be planned yet. The event repeats after every failed attempt to plan it. */
export function parked(run: Run, { reason, message }: EventOf<'parked'>): RunEffect[] {
  if (run.attention.includes(reason)) return [];
  run.attention = run.attention.filter((other) => !(other in PARKING_REASONS));
  raiseAttention(run, reason);
  setItems(run, 'on_hold', isBeforePlanning);
  return [{ type: 'log', event: PARKING_REASONS[reason], data: { reason, message } }];
}

/** Why units end that were cancelled while the plan was made. */
const CANCELLED_EARLY = 'cancelled before production';

/** The order was planned: adds its print orders and requests their delivery. */
export function prepared(run: Run, event: EventOf<'prepared'>): RunEffect[] {
  if (run.printOrders.length > 0) return [];
  if (run.phase === 'preparing') run.phase = 'running';
  run.shippingRevision = Math.max(run.shippingRevision, event.shippingRevision ?? 0);
  for (const plan of event.printOrders) {
    const printOrder = newPrintOrder(plan);
    const { boughtShipmentId: id } = plan;
    if (id !== undefined) printOrder.shipment = { id, revision: run.shippingRevision };
    run.printOrders.push(printOrder);
  }
  const isCancelled = ({ itemId }: { itemId: string }) =>
    run.items.some(({ id, status }) => id === itemId && status === 'cancelled');
  const effects = run.printOrders.flatMap((each) => endJobs(each, isCancelled, CANCELLED_EARLY));
  const excess = unitsByJob(run.printOrders, excessUnits(run));
  effects.push(...run.printOrders.flatMap((each) => endUnits(each, excess, CANCELLED_EARLY)));
  for (const { id } of run.printOrders.filter((each) => !hasEnded(each))) {
    effects.push(printOrderLog('handed_over', id));
    if (!run.held) effects.push({ type: 'deliver_print_order', printOrderId: id });
  }
  return effects;
}

/** Returns the state of a print order that was planned and not sent. */
export function newPrintOrder({ boughtShipmentId: _label, ioss, jobs, ...planned }: PlannedPrintOrder): PrintOrder {
  return {
    ...planned,
    ...(ioss === true ? { ioss } : {}),
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

/** Returns the units of each item that a plan has in addition, because they were cancelled while it was made. */
function excessUnits({ items, printOrders }: RunState): ItemUnits[] {
  const jobs = printOrders.flatMap((printOrder) => printOrder.jobs.filter(({ ended }) => ended === null));
  return items.flatMap(({ id, quantity }) => {
    const planned = jobs.reduce((sum, job) => (job.itemId === id ? sum + job.quantity : sum), 0);
    return planned > quantity ? [{ itemId: id, quantity: planned - quantity }] : [];
  });
}

/** The delivery of a print order to its partner ended. */
export function delivered(run: Run, { printOrderId, outcome, message }: EventOf<'delivery'>): RunEffect[] {
  return changePrintOrder(run, printOrderId, (printOrder) => {
    if (printOrder.delivery === outcome) return [];
    printOrder.delivery = outcome;
    return [
      ...(outcome === 'accepted' ? [] : [printOrderLog(`print_order_${outcome}`, printOrderId, { message })]),
      ...(NOT_TAKEN.includes(outcome) ? endRequestedUnits(printOrder) : sendWaitingUpdate(printOrder)),
    ];
  });
}

/** The print orders that have not shipped get their new days. */
export function promiseMoved(run: Run, event: EventOf<'move_promise'>): RunEffect[] {
  const promises = event.promises.filter((moved) =>
    run.printOrders.some((each) => isMove(each, moved) && unitsToShip(each).length > 0),
  );
  if (promises.length === 0) return [];
  for (const { printOrderId, dispatchDate, dispatchDueAt } of promises)
    changePrintOrder(run, printOrderId, (printOrder) => {
      Object.assign(printOrder, { dispatchDate, dispatchDueAt });
      return [];
    });
  return [audit('move_promise', event, { promises }), { type: 'move_promise', promises }];
}
