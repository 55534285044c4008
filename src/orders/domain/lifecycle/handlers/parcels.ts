import { hasEnded, hasOpenJobs, isHandedToCarrier, jobStatus, openJobs, parcelsOf } from '../facts/jobs';
import type { EventOf, PostbackEvent } from '../run-events';
import {
  JOB_PROGRESS,
  type JobState,
  type ParcelState,
  type PrintOrderState,
  type RunState,
  type Transit,
} from '../run-state';
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
  if (isHandedToCarrier(printOrder)) return change(withDepartedJobs(printOrder));
  if (shipment === null) return change(printOrder);
  return change(
    { ...printOrder, shipment: null, labelTakenBack: true },
    { type: 'void_shipment', printOrderId, shipmentId: shipment.id },
  );
}

/**
 * The jobs that have shipped keep their label and parcels, when other jobs have not shipped. These get a new label. The old label
 * stays: part of its shipment is on its way.
 */
function withDepartedJobs(printOrder: PrintOrderState): PrintOrderState {
  const { shipment, parcels } = printOrder;
  const left = printOrder.jobs.filter(leavesNow);
  if (!hasOpenJobs(printOrder) || left.length === 0) return printOrder;
  const leftWith = shipment?.id ?? null;
  const jobs = printOrder.jobs.map((job) => (left.includes(job) ? { ...job, leftWith } : job));
  const fixed = parcels?.map((parcel) => {
    const inside = left.filter((job) => parcelsOf(job, printOrder).includes(parcel)).map(({ id }) => id);
    const isShared = parcel.jobIds === null || (parcel.shipmentId !== null && parcel.shipmentId === leftWith);
    return isShared && inside.length > 0 ? { ...parcel, jobIds: inside } : parcel;
  });
  return { ...printOrder, shipment: null, jobs, ...(fixed === undefined ? {} : { parcels: fixed }) };
}

/** Returns true for a job that has shipped since the last change of address or method. */
function leavesNow({ progress, leftWith }: JobState): boolean {
  return progress === JOB_PROGRESS.shipped && leftWith === undefined;
}

/** Adds the parcel whose tracking code a partner has sent. A repeated code is that of the same parcel, with more jobs in it. */
export function withOwnParcel(printOrder: PrintOrderState, event: PostbackEvent): PrintOrderState {
  const { trackingCode, jobId, status } = event;
  if (trackingCode === null) return printOrder;
  const number = withoutSpaces(trackingCode);
  const known = printOrder.parcels?.find((parcel) => parcel.number === number);
  // The partner has repeated the number of a label of ours.
  if (known !== undefined && known.shipmentId !== null) return printOrder;
  const before = known === undefined ? [] : known.jobIds;
  const jobIds = jobId === null || before === null ? null : [...new Set([...before, jobId])].sort();
  const { announced: _before, ...rest } = known ?? {};
  const isAnnounced = status !== 'shipped' && (known === undefined || known.announced === true);
  const parcel: ParcelState = {
    ...rest,
    number,
    shipmentId: null,
    jobIds,
    ...(isAnnounced ? { announced: true } : {}),
  };
  return { ...printOrder, parcels: withParcel(printOrder.parcels, parcel) };
}

/** Carriers and partners write numbers with and without spaces. */
function withoutSpaces(number: string): string {
  return number.replace(/\s+/g, '');
}

/** Adds a parcel, or replaces that with the same number. Parcels are sorted, so that the order of arrival does not count. */
function withParcel(parcels: readonly ParcelState[] = [], parcel: ParcelState): ParcelState[] {
  const others = parcels.filter(({ number }) => number !== parcel.number);
  return [...others, parcel].sort((a, b) => (a.number < b.number ? -1 : 1));
}

const TRANSIT_RANK = { in_transit: 1, delivered: 2, returned: 3 } as const;
const rankOf = (transit: Transit | null = null): number => (transit === null ? 0 : TRANSIT_RANK[transit]);

/** A carrier reported the parcels of a print order. Scans of unknown print orders are ignored. */
export function tracked(state: RunState, event: EventOf<'tracking'>): Change {
  return changePrintOrder(state, event.printOrderId, (printOrder) =>
    andThen(withStrayParcel(withLostLabel(printOrder, event, state.shippingRevision), event), (next) =>
      withScans(next, event),
    ),
  );
}

/** Merges scans into the parcels, and marks the jobs in them as shipped. The status of a parcel never steps back. */
function withScans(printOrder: PrintOrderState, event: EventOf<'tracking'>): Change<PrintOrderState> {
  const { parcels: known = [], jobs, id } = printOrder;
  const { shipmentId = null } = event;
  const before = (number: string) => known.find((parcel) => parcel.number === number);
  const scanned = event.parcels.map(({ number: printed, transit, itemIds }): ParcelState => {
    const number = withoutSpaces(printed);
    const { jobIds = null, transit: reached = null, announced } = before(number) ?? {};
    return {
      ...(announced === undefined || shipmentId !== null ? {} : { announced }),
      number,
      shipmentId,
      jobIds: itemIds === undefined ? jobIds : jobs.filter((job) => itemIds.includes(job.itemId)).map((job) => job.id),
      transit: rankOf(reached) > rankOf(transit) ? reached : transit,
    };
  });
  // A package whose label is no longer used is missing from the list.
  const others = known.filter((parcel) => shipmentId === null || parcel.shipmentId !== shipmentId);
  const parcels = scanned.reduce(withParcel, others);
  if (JSON.stringify(parcels) === JSON.stringify(known)) return change(printOrder);
  const news = scanned.filter(({ number, transit }) => rankOf(transit) > rankOf(before(number)?.transit));
  const logs = [...new Set(news.map(({ transit }) => transit))].map((transit) =>
    printOrderLog(`tracking_${transit}`, id),
  );
  return andThen(change<PrintOrderState>({ ...printOrder, parcels }, ...logs), (next) =>
    withShippedJobs(next, scanned),
  );
}

/**
 * A carrier's scan proves that a parcel shipped, also without a `shipped` postback. With such a postback the partner has said
 * which jobs are in the parcel. Jobs in manual handling are not in it.
 */
function withShippedJobs(printOrder: PrintOrderState, scanned: readonly ParcelState[]): Change<PrintOrderState> {
  const holds = (parcel: ParcelState, job: JobState) =>
    parcelsOf(job, printOrder).some(({ number }) => number === parcel.number);
  const reported = printOrder.jobs.filter(leavesNow);
  const moving = scanned.filter((parcel) => rankOf(parcel.transit) > 0 && !reported.some((job) => holds(parcel, job)));
  const shipped = openJobs(printOrder).filter(
    (job) => jobStatus(job, printOrder) !== 'manual_handling' && moving.some((parcel) => holds(parcel, job)),
  );
  const jobs = printOrder.jobs.map((job) => (shipped.includes(job) ? { ...job, progress: JOB_PROGRESS.shipped } : job));
  const unprinted = shipped.filter(({ progress }) => progress < JOB_PROGRESS.printed);
  return change({ ...printOrder, jobs }, ...consumeStock(unprinted));
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
  const { shipment, labelTakenBack, jobs } = printOrder;
  const hadLabel = shipment !== null || labelTakenBack === true || jobs.some(({ leftWith }) => leftWith !== undefined);
  if (shipmentId === undefined || hadLabel || hasEnded(printOrder)) return printOrder;
  return { ...printOrder, shipment: { id: shipmentId, revision } };
}

/** Marks the print order when the scanned label was voided, or is not the valid one. */
function withStrayParcel(printOrder: PrintOrderState, { shipmentId }: EventOf<'tracking'>): Change<PrintOrderState> {
  const { id, shipment, jobs, strayParcel } = printOrder;
  const valid = [undefined, shipment?.id, ...jobs.map(({ leftWith }) => leftWith)];
  if (valid.includes(shipmentId) || strayParcel) return change(printOrder);
  return change({ ...printOrder, strayParcel: true }, printOrderLog('voided_label_used', id, { shipmentId }));
}

/** At the end of UNTRACKED_ORDER_END: without a carrier that follows a parcel, the order ends. */
export function trackingChecked(state: RunState, { followed }: EventOf<'tracking_checked'>): Change {
  return followed ? change(state) : change(state, { type: 'log', event: 'untracked_order_ended' });
}
