import { consumeStock, hasOpenJobs, isHandedToCarrier, updatePrintOrder } from './changes';
import { departedParcelOf, jobStatus } from './derive';
import { withUpdate } from './order-updates';
import type { EventOf, RunEffect } from './run-events';
import { type DepartedParcel, JOB_PROGRESS, type PrintOrderState, type RunState, type Transit } from './run-state';

/** What labels, shipping changes and carriers' tracking do to the state. */

/** The labels of a print order were bought. */
export function dispatched(state: RunState, event: EventOf<'dispatched'>, effects: RunEffect[]): RunState {
  return updatePrintOrder(state, event.printOrderId, (printOrder) => {
    if (printOrder.shipment?.id === event.shipmentId) return printOrder;
    const { shipmentId, revision } = event;
    // The address or method changed, or all jobs ended, while the label was bought.
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

/** The address or the method changed. Voids labels that are not on their way, and updates the partners. */
export function shippingChanged(state: RunState, event: EventOf<'shipping_changed'>, effects: RunEffect[]): RunState {
  const { revision } = event;
  if (revision <= state.shippingRevision) return state;
  effects.push({ type: 'log', event: 'shipping_changed', data: { revision } });
  const printOrders = state.printOrders.map((printOrder) => {
    const updated = withUpdate(printOrder, effects);
    if (isHandedToCarrier(printOrder)) return withDepartedParcel(updated);
    if (printOrder.shipment === null) return updated;
    effects.push({ type: 'void_shipment', printOrderId: printOrder.id, shipmentId: printOrder.shipment.id });
    return { ...updated, shipment: null, labelTakenBack: true };
  });
  return { ...state, shippingRevision: revision, printOrders };
}

/**
 * Keeps the parcel of the jobs that have shipped, when other jobs have not. These get a new label, and their parcel is
 * followed separately. The old label stays: part of its shipment is on its way.
 */
function withDepartedParcel(printOrder: PrintOrderState): PrintOrderState {
  const { jobs, shipment, transit, departed = [] } = printOrder;
  if (!hasOpenJobs(printOrder)) return printOrder;
  const left = jobs.filter(
    (job) => job.progress === JOB_PROGRESS.shipped && departedParcelOf(job, printOrder) === undefined,
  );
  if (left.length === 0) return printOrder;
  const parcel = { shipmentId: shipment?.id ?? null, jobIds: left.map(({ id }) => id), transit };
  return { ...printOrder, shipment: null, transit: null, departed: [...departed, parcel] };
}

const TRANSIT_RANK = { in_transit: 1, delivered: 2, returned: 3 } as const;

/** A carrier reported the parcels of a print order. */
export function tracked(state: RunState, event: EventOf<'tracking'>, effects: RunEffect[]): RunState {
  return updatePrintOrder(state, event.printOrderId, (printOrder) => {
    const departed = printOrder.departed?.find(({ shipmentId }) => shipmentId === event.shipmentId);
    if (event.shipmentId !== undefined && departed !== undefined) {
      return withDepartedTransit(printOrder, departed, event.transit, effects);
    }
    const known = withLostLabel(printOrder, event, state.shippingRevision);
    const seen = withStrayParcel(known, event, effects);
    if (rankOf(event.transit) <= rankOf(seen.transit)) return seen;
    effects.push({ type: 'log', event: `tracking_${event.transit}`, printOrderId: printOrder.id });
    // A carrier's scan proves that the parcel shipped, also without a `shipped` postback. With such a postback the partner
    // has said which jobs shipped. Jobs in manual handling are not in the parcel.
    const isReported = printOrder.jobs.some(
      (job) => job.progress === JOB_PROGRESS.shipped && departedParcelOf(job, printOrder) === undefined,
    );
    const inParcel = printOrder.jobs.filter(
      (job) => !isReported && job.ended === null && jobStatus(job, printOrder) !== 'manual_handling',
    );
    const jobs = printOrder.jobs.map((job) =>
      inParcel.includes(job) ? { ...job, progress: JOB_PROGRESS.shipped } : job,
    );
    const unprinted = inParcel.filter((job) => job.progress < JOB_PROGRESS.printed);
    consumeStock(unprinted, effects);
    return { ...seen, jobs, transit: event.transit };
  });
}

const rankOf = (transit: Transit | null): number => (transit === null ? 0 : TRANSIT_RANK[transit]);

/** The carrier reported a parcel that left before a change of address or method. */
function withDepartedTransit(
  printOrder: PrintOrderState,
  parcel: DepartedParcel,
  transit: Transit,
  effects: RunEffect[],
): PrintOrderState {
  if (rankOf(transit) <= rankOf(parcel.transit)) return printOrder;
  effects.push({ type: 'log', event: `tracking_${transit}`, printOrderId: printOrder.id });
  const departed = printOrder.departed!.map((each) => (each === parcel ? { ...parcel, transit } : each));
  return { ...printOrder, departed };
}

/**
 * Adds the scanned label to a print order that never had one: the run was reset to before the purchase, and its partner
 * shipped with the label that it had got.
 */
function withLostLabel(
  printOrder: PrintOrderState,
  { shipmentId }: EventOf<'tracking'>,
  revision: number,
): PrintOrderState {
  const { shipment, labelTakenBack, departed, jobs } = printOrder;
  const hadLabel = shipment !== null || labelTakenBack === true || departed !== undefined;
  if (shipmentId === undefined || hadLabel || jobs.every((job) => job.ended !== null)) return printOrder;
  return { ...printOrder, shipment: { id: shipmentId, revision } };
}

/** Marks the print order when the scanned label was voided, or is not the valid one. */
function withStrayParcel(
  printOrder: PrintOrderState,
  event: EventOf<'tracking'>,
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
