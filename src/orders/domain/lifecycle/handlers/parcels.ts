import { departedParcelOf, hasEnded, hasOpenJobs, isHandedToCarrier, jobStatus } from '../facts/jobs';
import type { EventOf } from '../run-events';
import { type DepartedParcel, JOB_PROGRESS, type PrintOrderState, type RunState, type Transit } from '../run-state';
import {
  andThen,
  type Change,
  change,
  changePrintOrder,
  changePrintOrders,
  printOrderLog,
  raiseAttention,
} from './change';
import { consumeStock } from './ended-jobs';
import { withShippingUpdate } from './order-updates';

/** What labels, shipping changes and carriers' tracking do to the state. */

/** The labels of a print order were bought. */
export function dispatched(state: RunState, event: EventOf<'dispatched'>): Change {
  const { printOrderId, shipmentId, revision } = event;
  return changePrintOrder(state, printOrderId, (printOrder) => {
    if (printOrder.shipment?.id === shipmentId) return change(printOrder);
    // The address or method changed, or all jobs ended, while the label was bought.
    if (revision !== state.shippingRevision || hasEnded(printOrder)) {
      return change(printOrder, { type: 'void_shipment', printOrderId, shipmentId });
    }
    const shipment = { id: shipmentId, revision };
    return change({ ...printOrder, shipment }, printOrderLog('dispatched', printOrderId, { shipmentId, revision }));
  });
}

/** The labels of a print order could not be bought. */
export function dispatchFailed(state: RunState, { printOrderId, message }: EventOf<'dispatch_failed'>): Change {
  return change(raiseAttention(state, 'dispatch_failed'), printOrderLog('dispatch_failed', printOrderId, { message }));
}

/** The carrier refused to void a label. */
export function voidFailed(state: RunState, { printOrderId, shipmentId, message }: EventOf<'void_failed'>): Change {
  return change(state, printOrderLog('label_not_voided', printOrderId, { shipmentId, message }));
}

/** The address or the method changed. Voids labels that are not on their way, and updates the partners. */
export function shippingChanged(state: RunState, { revision }: EventOf<'shipping_changed'>): Change {
  if (revision <= state.shippingRevision) return change(state);
  const changed = change(
    { ...state, shippingRevision: revision },
    { type: 'log', event: 'shipping_changed', data: { revision } },
  );
  return andThen(changed, (next) =>
    changePrintOrders(next, (printOrder) => andThen(withShippingUpdate(printOrder), withoutOutdatedLabel)),
  );
}

function withoutOutdatedLabel(printOrder: PrintOrderState): Change<PrintOrderState> {
  const { id: printOrderId, shipment } = printOrder;
  if (isHandedToCarrier(printOrder)) return change(withDepartedParcel(printOrder));
  if (shipment === null) return change(printOrder);
  return change(
    { ...printOrder, shipment: null, labelTakenBack: true },
    { type: 'void_shipment', printOrderId, shipmentId: shipment.id },
  );
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

/** A carrier reported the parcels of a print order. Scans of unknown parcels are ignored. */
export function tracked(state: RunState, event: EventOf<'tracking'>): Change {
  return changePrintOrder(state, event.printOrderId, (printOrder) => {
    const departed = printOrder.departed?.find(({ shipmentId }) => shipmentId === event.shipmentId);
    if (event.shipmentId !== undefined && departed !== undefined) {
      return withDepartedTransit(printOrder, departed, event.transit);
    }
    return andThen(withStrayParcel(withLostLabel(printOrder, event, state.shippingRevision), event), (seen) =>
      withTransit(seen, event.transit),
    );
  });
}

const rankOf = (transit: Transit | null): number => (transit === null ? 0 : TRANSIT_RANK[transit]);

function withTransit(printOrder: PrintOrderState, transit: Transit): Change<PrintOrderState> {
  if (rankOf(transit) <= rankOf(printOrder.transit)) return change(printOrder);
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
  const log = printOrderLog(`tracking_${transit}`, printOrder.id);
  return change({ ...printOrder, jobs, transit }, log, ...consumeStock(unprinted));
}

/** The carrier reported a parcel that left before a change of address or method. */
function withDepartedTransit(
  printOrder: PrintOrderState,
  parcel: DepartedParcel,
  transit: Transit,
): Change<PrintOrderState> {
  if (rankOf(transit) <= rankOf(parcel.transit)) return change(printOrder);
  const departed = printOrder.departed!.map((each) => (each === parcel ? { ...parcel, transit } : each));
  return change({ ...printOrder, departed }, printOrderLog(`tracking_${transit}`, printOrder.id));
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
  const { shipment, labelTakenBack, departed } = printOrder;
  const hadLabel = shipment !== null || labelTakenBack === true || departed !== undefined;
  if (shipmentId === undefined || hadLabel || hasEnded(printOrder)) return printOrder;
  return { ...printOrder, shipment: { id: shipmentId, revision } };
}

/** Marks the print order when the scanned label was voided, or is not the valid one. */
function withStrayParcel(printOrder: PrintOrderState, { shipmentId }: EventOf<'tracking'>): Change<PrintOrderState> {
  const isStray = shipmentId !== undefined && shipmentId !== printOrder.shipment?.id;
  if (!isStray || printOrder.strayParcel) return change(printOrder);
  return change(
    { ...printOrder, strayParcel: true },
    printOrderLog('voided_label_used', printOrder.id, { shipmentId }),
  );
}

/** At the end of UNTRACKED_ORDER_END: without a carrier that follows a parcel, the order ends. */
export function trackingChecked(state: RunState, { followed }: EventOf<'tracking_checked'>): Change {
  return followed ? change(state) : change(state, { type: 'log', event: 'untracked_order_ended' });
}
