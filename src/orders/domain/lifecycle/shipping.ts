import { consumeStock, isHandedToCarrier, updatePrintOrder } from './changes';
import { jobStatus } from './derive';
import type { RunEffect, RunEvent } from './run-events';
import { JOB_PROGRESS, type PrintOrderState, type RunState } from './run-state';

export function dispatched(
  state: RunState,
  event: Extract<RunEvent, { type: 'dispatched' }>,
  effects: RunEffect[],
): RunState {
  return updatePrintOrder(state, event.printOrderId, (printOrder) => {
    if (printOrder.shipment?.id === event.shipmentId) return printOrder;
    const { shipmentId, revision } = event;
    // The address or method changed, or everything was cancelled, while the label was being bought.
    if (revision !== state.shippingRevision || printOrder.jobs.every((job) => job.ended !== null)) {
      effects.push({ type: 'void_shipment', printOrderId: printOrder.id, shipmentId });
      return printOrder;
    }
    effects.push({
      type: 'log',
      event: 'dispatched',
      printOrderId: printOrder.id,
      data: { shipmentId, revision },
    });
    return { ...printOrder, shipment: { id: shipmentId, revision } };
  });
}

export function shippingChanged(state: RunState, revision: number, effects: RunEffect[]): RunState {
  if (revision <= state.shippingRevision) return state;
  effects.push({ type: 'log', event: 'shipping_changed', data: { revision } });
  const printOrders = state.printOrders.map((printOrder) => {
    if (printOrder.shipment === null || isHandedToCarrier(printOrder)) return printOrder;
    effects.push({ type: 'void_shipment', printOrderId: printOrder.id, shipmentId: printOrder.shipment.id });
    return { ...printOrder, shipment: null, labelTakenBack: true };
  });
  return { ...state, shippingRevision: revision, printOrders };
}

const TRANSIT_RANK = { in_transit: 1, delivered: 2, returned: 3 } as const;

export function tracked(
  state: RunState,
  event: Extract<RunEvent, { type: 'tracking' }>,
  effects: RunEffect[],
): RunState {
  return updatePrintOrder(state, event.printOrderId, (printOrder) => {
    const seen = withStrayParcel(printOrder, event, effects);
    const before = seen.transit === null ? 0 : TRANSIT_RANK[seen.transit];
    if (TRANSIT_RANK[event.transit] <= before) return seen;
    effects.push({ type: 'log', event: `tracking_${event.transit}`, printOrderId: printOrder.id });
    // A carrier that has the parcel knows better than a `shipped` that never came. A partner that did send one has
    // said what is in the parcel, and what the partner cannot make is not in it.
    const told = isHandedToCarrier(printOrder);
    const aboard = printOrder.jobs.filter(
      (job) => !told && job.ended === null && jobStatus(job, printOrder) !== 'manual_handling',
    );
    const jobs = printOrder.jobs.map((job) =>
      aboard.includes(job) ? { ...job, progress: JOB_PROGRESS.shipped } : job,
    );
    const unprinted = aboard.filter((job) => job.progress < JOB_PROGRESS.printed);
    consumeStock(unprinted, effects);
    return { ...seen, jobs, transit: event.transit };
  });
}

/** Notes that a parcel travels under a label that was taken back, or that another has replaced. */
function withStrayParcel(
  printOrder: PrintOrderState,
  event: Extract<RunEvent, { type: 'tracking' }>,
  effects: RunEffect[],
): PrintOrderState {
  const { shipmentId } = event;
  const isStray = shipmentId !== undefined && shipmentId !== printOrder.shipment?.id;
  if (!isStray || printOrder.strayParcel) return printOrder;
  effects.push({
    type: 'log',
    event: 'voided_label_used',
    printOrderId: printOrder.id,
    data: { shipmentId },
  });
  return { ...printOrder, strayParcel: true };
}
