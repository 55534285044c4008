import { hasEnded, hasLeft, hasOpenJobs, jobStatus, openJobs, parcelsOf } from '../facts/jobs';
import type { EventOf, PostbackEvent, RunEffect } from '../run-events';
import { JOB_PROGRESS, type JobState, type ParcelState, type Transit } from '../run-state';
import { changePrintOrder, type PrintOrder, printOrderLog, type Run, raiseAttention } from './change';
import { consumeStock } from './ended-jobs';
import { updateShipping } from './order-updates';

/** What labels, shipping changes and carriers' tracking do to the state. */

/** The labels of a print order were bought. */
export function dispatched(run: Run, event: EventOf<'dispatched'>): RunEffect[] {
  const { printOrderId, shipmentId, revision } = event;
  return changePrintOrder(run, printOrderId, (printOrder) => {
    if (printOrder.shipment?.id === shipmentId) return [];
    // The address or method changed, or all jobs ended, while the label was bought.
    if (revision !== run.shippingRevision || hasEnded(printOrder)) {
      return [{ type: 'void_shipment', printOrderId, shipmentId }];
    }
    printOrder.shipment = { id: shipmentId, revision };
    delete printOrder.dispatchFailure;
    return [printOrderLog('dispatched', printOrderId, { shipmentId })];
  });
}

/** The labels of a print order could not be bought. Equal failures are logged once: partners repeat their request. */
export function dispatchFailed(run: Run, { printOrderId, message }: EventOf<'dispatch_failed'>): RunEffect[] {
  raiseAttention(run, 'dispatch_failed');
  return changePrintOrder(run, printOrderId, (printOrder) => {
    if (printOrder.dispatchFailure === message) return [];
    printOrder.dispatchFailure = message;
    return [printOrderLog('dispatch_failed', printOrderId, { message })];
  });
}

/** The carrier refused to void a label. */
export function voidFailed(_run: Run, { printOrderId, shipmentId, message }: EventOf<'void_failed'>): RunEffect[] {
  return [printOrderLog('label_not_voided', printOrderId, { shipmentId, message })];
}

/** The address or the method changed. Voids labels that are not on their way, and updates the partners. */
export function shippingChanged(run: Run, { revision }: EventOf<'shipping_changed'>): RunEffect[] {
  if (revision <= run.shippingRevision) return [];
  run.shippingRevision = revision;
  return [
    { type: 'log', event: 'shipping_changed' },
    ...run.printOrders.flatMap((each) => [...updateShipping(each), ...removeOutdatedLabel(each)]),
  ];
}

function removeOutdatedLabel(printOrder: PrintOrder): RunEffect[] {
  const { id: printOrderId, shipment } = printOrder;
  // What left before an earlier change has its own label: that of the rest is taken back like any other.
  const left = printOrder.jobs.filter((job) => leavesNow(job, printOrder));
  if (left.length > 0) {
    if (hasOpenJobs(printOrder)) fixDepartedJobs(printOrder, left);
    return [];
  }
  if (shipment === null) return [];
  printOrder.shipment = null;
  printOrder.labelTakenBack = true;
  return [{ type: 'void_shipment', printOrderId, shipmentId: shipment.id }];
}

/**
 * The jobs that have shipped keep their label and parcels, when other jobs have not shipped. These get a new label. The old label
 * stays: part of its shipment is on its way.
 */
function fixDepartedJobs(printOrder: PrintOrder, left: readonly PrintOrder['jobs'][number][]): void {
  const leftWith = printOrder.shipment?.id ?? null;
  const held = left.map((job) => ({ id: job.id, parcels: new Set(parcelsOf(job, printOrder)) }));
  for (const parcel of printOrder.parcels ?? []) {
    const inside = held.filter(({ parcels }) => parcels.has(parcel)).map(({ id }) => id);
    const isShared = parcel.jobIds === null || (parcel.shipmentId !== null && parcel.shipmentId === leftWith);
    if (isShared && inside.length > 0) parcel.jobIds = inside;
  }
  for (const job of left) job.leftWith = leftWith;
  printOrder.shipment = null;
}

/** Returns true for a job that has shipped since the last change of address or method. */
function leavesNow(job: JobState, printOrder: PrintOrder): boolean {
  return hasLeft(job, printOrder) && job.leftWith === undefined;
}

/** Adds the parcel whose tracking code a partner has sent. A repeated code is that of the same parcel, with more jobs in it. */
export function addOwnParcel(printOrder: PrintOrder, { trackingCode, jobId, status }: PostbackEvent): void {
  if (trackingCode === null) return;
  const number = withoutSpaces(trackingCode);
  const known = printOrder.parcels?.find((parcel) => parcel.number === number);
  // The partner has repeated the number of a label of ours.
  if (known !== undefined && known.shipmentId !== null) return;
  const parcel: ParcelState = known ?? { number, shipmentId: null, jobIds: [], announced: true };
  const jobIds = jobId === null || parcel.jobIds === null ? null : [...new Set([...parcel.jobIds, jobId])].sort();
  const { announced: _left, ...shipped } = parcel;
  setParcels(printOrder, [{ ...(status === 'shipped' ? shipped : parcel), jobIds }]);
}

/** Carriers and partners write numbers with and without spaces. */
function withoutSpaces(number: string): string {
  return number.replace(/\s+/g, '');
}

/**
 * Adds parcels, or replaces those with the same numbers. Parcels are sorted, so that the order of arrival does not count.
 * @returns false when the print order has had the same parcels
 */
function setParcels(
  printOrder: PrintOrder,
  parcels: readonly ParcelState[],
  isKept: (parcel: ParcelState) => boolean = () => true,
): boolean {
  const before = printOrder.parcels ?? [];
  const byNumber = new Map([...before.filter(isKept), ...parcels].map((parcel) => [parcel.number, parcel]));
  const after = [...byNumber.values()].sort((a, b) => (a.number < b.number ? -1 : 1));
  if (JSON.stringify(after) === JSON.stringify(before)) return false;
  printOrder.parcels = after as NonNullable<PrintOrder['parcels']>;
  return true;
}

const TRANSIT_RANK = { in_transit: 1, delivered: 2, returned: 3 } as const;
const rankOf = (transit: Transit | null = null): number => (transit === null ? 0 : TRANSIT_RANK[transit]);

/** A carrier reported the parcels of a print order. Scans of unknown print orders are ignored. */
export function tracked(run: Run, event: EventOf<'tracking'>): RunEffect[] {
  return changePrintOrder(run, event.printOrderId, (printOrder) => {
    restoreLabel(printOrder, event, run.shippingRevision);
    return [...noteStrayParcel(printOrder, event), ...applyScans(printOrder, event)];
  });
}

/** Merges scans into the parcels, and marks the jobs in them as shipped. The status of a parcel never steps back. */
function applyScans(printOrder: PrintOrder, event: EventOf<'tracking'>): RunEffect[] {
  const { parcels: known = [], jobs, id } = printOrder;
  const { shipmentId = null } = event;
  const before = new Map(known.map((parcel) => [parcel.number, parcel]));
  const scanned = event.parcels.map(({ number: printed, transit, itemIds }): ParcelState => {
    const number = withoutSpaces(printed);
    const { jobIds = null, transit: reached = null, announced } = before.get(number) ?? {};
    return {
      ...(announced === undefined || shipmentId !== null ? {} : { announced }),
      number,
      shipmentId,
      jobIds: itemIds === undefined ? jobIds : jobs.filter((job) => itemIds.includes(job.itemId)).map((job) => job.id),
      transit: rankOf(reached) > rankOf(transit) ? reached : transit,
    };
  });
  const news = scanned.filter(({ number, transit }) => rankOf(transit) > rankOf(before.get(number)?.transit));
  // A package whose label is no longer used is missing from the list.
  const isKept = (parcel: ParcelState) => shipmentId === null || parcel.shipmentId !== shipmentId;
  if (!setParcels(printOrder, scanned, isKept)) return [];
  const transits = [...new Set(news.map(({ transit }) => transit))];
  return [
    ...transits.map((transit) => printOrderLog(`tracking_${transit}`, id)),
    ...shipScannedJobs(printOrder, scanned),
  ];
}

/**
 * A carrier's scan proves that a parcel shipped, also without a `shipped` postback. With such a postback the partner has said
 * which jobs are in the parcel. Jobs in manual handling are not in it.
 */
function shipScannedJobs(printOrder: PrintOrder, scanned: readonly ParcelState[]): RunEffect[] {
  const numbersOf = (job: JobState) => parcelsOf(job, printOrder).map(({ number }) => number);
  const reported = new Set(printOrder.jobs.filter((job) => leavesNow(job, printOrder)).flatMap(numbersOf));
  const moved = scanned.filter(({ number, transit }) => rankOf(transit) > 0 && !reported.has(number));
  const moving = new Set(moved.map(({ number }) => number));
  const shipped = openJobs(printOrder).filter(
    (job) => jobStatus(job, printOrder) !== 'manual_handling' && numbersOf(job).some((number) => moving.has(number)),
  );
  const unprinted = shipped.filter(({ progress }) => progress < JOB_PROGRESS.printed);
  for (const job of shipped) job.progress = JOB_PROGRESS.shipped;
  return consumeStock(unprinted);
}

/**
 * Adds the scanned label to a print order that never had one: the run was reset to before the purchase, and its partner
 * shipped with the label that it had got.
 */
function restoreLabel(printOrder: PrintOrder, { shipmentId }: EventOf<'tracking'>, revision: number): void {
  const { shipment, labelTakenBack, jobs } = printOrder;
  const hadLabel = shipment !== null || labelTakenBack === true || jobs.some(({ leftWith }) => leftWith !== undefined);
  if (shipmentId === undefined || hadLabel || hasEnded(printOrder)) return;
  printOrder.shipment = { id: shipmentId, revision };
}

/** Marks the print order when the scanned label was voided, or is not the valid one. */
function noteStrayParcel(printOrder: PrintOrder, { shipmentId }: EventOf<'tracking'>): RunEffect[] {
  const { id, shipment, jobs, strayParcel } = printOrder;
  const valid = [undefined, shipment?.id, ...jobs.map(({ leftWith }) => leftWith)];
  if (valid.includes(shipmentId) || strayParcel) return [];
  printOrder.strayParcel = true;
  return [printOrderLog('voided_label_used', id, { shipmentId })];
}

/** Units of lost parcels were refunded: jobs on their way that have no others end. */
export function lostRefunded(run: Run, { units }: EventOf<'lost_refunded'>): RunEffect[] {
  for (const { itemId, quantity } of units) {
    let left = quantity;
    for (const printOrder of run.printOrders) {
      for (const job of printOrder.jobs.filter((each) => each.itemId === itemId)) {
        const status = jobStatus(job, printOrder);
        if (status !== 'shipped' && status !== 'in_transit') continue;
        const lost = Math.min(left, job.quantity - (job.lostQuantity ?? 0));
        if (lost > 0) job.lostQuantity = (job.lostQuantity ?? 0) + lost;
        left -= lost;
      }
    }
  }
  return [];
}

/** At the end of UNTRACKED_ORDER_END: without a carrier that follows a parcel, the order ends. */
export function trackingChecked(_run: Run, { followed }: EventOf<'tracking_checked'>): RunEffect[] {
  return followed ? [] : [{ type: 'log', event: 'untracked_order_ended' }];
}
