import type { RunEffect } from './run-events';
import {
  type AttentionReason,
  type DepartedParcel,
  JOB_PROGRESS,
  type JobState,
  type PrintOrderState,
  type RunState,
} from './run-state';
import {
  deriveOrderStatus,
  type FinancialStatus,
  hasShipped,
  type ItemStatus,
  isFinal,
  isProgress,
  type OrderStatus,
  PROGRESS_RANK,
  type ProgressStatus,
} from './statuses';

/**
 * What follows from the facts of a run: statuses of jobs, items, order and payment, and the reasons for attention.
 * Pure functions of the state.
 */

/** Returns a job's status. Null for a job that another one replaced. */
export function jobStatus(job: JobState, printOrder: PrintOrderState): ItemStatus | null {
  if (job.ended === 'superseded') return null;
  // A shipped parcel outweighs errors and cancellations.
  if (job.progress === JOB_PROGRESS.shipped) {
    const departed = departedParcelOf(job, printOrder);
    return (departed === undefined ? printOrder.transit : departed.transit) ?? 'shipped';
  }
  if (job.ended === 'cancelled') return 'cancelled';
  if (job.cancelledQuantity > 0) return 'manual_handling';
  if (job.error !== null && job.error.at >= job.progressAt) return 'manual_handling';
  if (job.progress === JOB_PROGRESS.printed) return 'printed';
  if (job.progress === JOB_PROGRESS.received) return 'in_production';
  if (printOrder.delivery === 'refused' || printOrder.delivery === 'undeliverable') return 'manual_handling';
  return 'passed';
}

/** Returns the parcel in which a job left before a change of address or method. Undefined for all other jobs. */
export function departedParcelOf(
  { id }: JobState,
  { departed }: PrintOrderState,
): DepartedParcel | undefined {
  return departed?.find(({ jobIds }) => jobIds.includes(id));
}

/** Returns true when every job of the print order has a final status. */
export function hasSettled(printOrder: PrintOrderState): boolean {
  return printOrder.jobs.every((job) => {
    const status = jobStatus(job, printOrder);
    return status === null || isFinal(status);
  });
}

/** Returns the units that go into the parcels of the next dispatch: not shipped, not ended, not cancelled by the partner. */
export function unitsToShip(printOrder: PrintOrderState): { itemId: string; quantity: number }[] {
  return printOrder.jobs.flatMap(({ itemId, quantity, cancelledQuantity, ended, progress }) =>
    ended === null && progress !== JOB_PROGRESS.shipped && cancelledQuantity < quantity
      ? [{ itemId, quantity: quantity - cancelledQuantity }]
      : [],
  );
}

/** Derives an item's status from its jobs. A job in manual handling decides first, then the least advanced job. */
function itemStatus(itemId: string, state: RunState): ItemStatus | null {
  const statuses: ItemStatus[] = [];
  for (const printOrder of state.printOrders) {
    for (const job of printOrder.jobs) {
      const status = job.itemId === itemId ? jobStatus(job, printOrder) : null;
      if (status !== null) statuses.push(status);
    }
  }
  if (statuses.length === 0) return null;
  const live = statuses.filter((status) => status !== 'cancelled');
  if (live.length === 0) return 'cancelled';
  if (live.includes('manual_handling')) return 'manual_handling';
  return (live as ProgressStatus[]).reduce((least, status) =>
    PROGRESS_RANK[status] < PROGRESS_RANK[least] ? status : least,
  );
}

/** Returns the items with the statuses that follow from the facts. `reduce` checks the changes. */
export function deriveItems(state: RunState): RunState['items'] {
  return state.items.map((item) => {
    const derived = itemStatus(item.id, state);
    if (derived === null) return item;
    const next = state.held && !hasShipped(derived) && derived !== 'cancelled' ? 'on_hold' : derived;
    return keepsStatus(item.status, next) ? item : { ...item, status: next };
  });
}

/**
 * Returns true when an item keeps its status, whatever its jobs say:
 * - A failed or cancelled item stays so. A late postback does not bring it back.
 * - Progress never steps back. A printed item stays printed while an operator has more of it made.
 * - A shipped item stays shipped while an operator has a part of it made again.
 */
function keepsStatus(status: ItemStatus, next: ItemStatus): boolean {
  if (status === 'failed' || status === 'cancelled') return true;
  if (isProgress(status) && isProgress(next)) return PROGRESS_RANK[next] <= PROGRESS_RANK[status];
  return status === next || hasShipped(status);
}

/** Returns the order's status. */
export function deriveStatus(state: RunState): OrderStatus {
  return deriveOrderStatus(state.items.map((item) => item.status));
}

/** Returns the financial status after a step of the run. Null when the step does not change it. */
export function deriveFinancialStatus(
  before: RunState,
  state: RunState,
  effects: readonly RunEffect[],
): FinancialStatus | null {
  if (state.items.some((item) => item.status === 'failed')) return 'canceled';
  const canceled = deriveStatus(state) === 'canceled';
  if (before.phase === 'preparing') {
    if (canceled) return 'canceled';
    return state.phase === 'running' ? 'invoiced' : null;
  }
  if (!effects.some((effect) => effect.type === 'refund')) return null;
  return canceled ? 'refunded' : 'partially_refunded';
}

/**
 * Returns the reasons why an operator should look at the order, sorted. Reasons raised by an event (a passed deadline, a failed
 * dispatch) stay until they are resolved. All others are derived from the facts each time.
 */
export function deriveAttention(state: RunState): AttentionReason[] {
  const reasons = new Set<AttentionReason>(
    state.attention.filter((reason) => !DERIVED_ATTENTION.has(reason) && !isResolved(reason, state)),
  );
  for (const printOrder of state.printOrders) {
    if (travelsOnVoidedLabel(printOrder)) reasons.add('voided_label');
    if (printOrder.jobs.some(isMadeTwice)) reasons.add('made_twice');
    const jobs = printOrder.jobs.filter((job) => job.ended === null);
    if (jobs.length === 0) continue;
    const waiting = jobs.filter((job) => job.progress !== JOB_PROGRESS.shipped);
    if (waiting.some((job) => job.progress === JOB_PROGRESS.none)) {
      if (printOrder.delivery === 'refused') reasons.add('partner_refused');
      if (printOrder.delivery === 'undeliverable') reasons.add('partner_unreachable');
    }
    if (waiting.some((job) => job.error !== null && job.error.at >= job.progressAt))
      reasons.add('partner_error');
    if (waiting.some((job) => job.cancelledQuantity > 0)) reasons.add('partner_cancelled');
    if (jobs.some(isShort)) reasons.add('short_shipped');
    const refused = printOrder.cancel === 'refused' || waiting.some((job) => job.cancelRequest?.refused);
    if (refused && waiting.length > 0) reasons.add('cancel_refused');
  }
  return [...reasons].sort();
}

/** Returns true for a job that shipped without units cancelled before. Units cancelled after shipping are in the parcel. */
function isShort({ progress, progressAt, cancelledQuantity, cancelledAt = '' }: JobState): boolean {
  return progress === JOB_PROGRESS.shipped && cancelledQuantity > 0 && cancelledAt <= progressAt;
}

/** Returns true when a carrier scanned a voided label, or the partner shipped after the label was voided and requested no other. */
function travelsOnVoidedLabel(printOrder: PrintOrderState): boolean {
  const { strayParcel, labelTakenBack, shipment, jobs } = printOrder;
  if (strayParcel === true) return true;
  const shipped = jobs.some(
    (job) =>
      job.ended === null &&
      job.progress === JOB_PROGRESS.shipped &&
      departedParcelOf(job, printOrder) === undefined,
  );
  return labelTakenBack === true && shipment === null && shipped;
}

/**
 * Returns true for a job that another partner has been given and that its own partner makes all the same: it shipped
 * units that it had agreed to stop, or it refused or went on after the time limit. Not when an operator decided so.
 */
function isMadeTwice({ ended, stopRequest, progress, progressAt, error }: JobState): boolean {
  if (ended !== 'superseded' || stopRequest === undefined || stopRequest === 'forced') return false;
  if (stopRequest === 'refused' || progress === JOB_PROGRESS.shipped) return true;
  const isStopped = error !== null && error.at >= progressAt;
  return stopRequest === 'unanswered' && progress >= JOB_PROGRESS.received && !isStopped;
}

const DERIVED_ATTENTION: ReadonlySet<AttentionReason> = new Set([
  'partner_refused',
  'partner_unreachable',
  'partner_error',
  'partner_cancelled',
  'short_shipped',
  'voided_label',
  'cancel_refused',
  'made_twice',
]);

/** Returns true when a partner did not get the present address or method, and units without a new label wait to be shipped. */
function lacksUpdate({ update, shipment, jobs }: PrintOrderState): boolean {
  const isWaiting = jobs.some((job) => job.ended === null && job.progress !== JOB_PROGRESS.shipped);
  return update?.status === 'failed' && shipment === null && isWaiting;
}

/** Returns true when the cause of a raised reason no longer exists. */
function isResolved(reason: AttentionReason, state: RunState): boolean {
  const jobs = state.printOrders.flatMap((printOrder) => printOrder.jobs.filter((job) => job.ended === null));
  switch (reason) {
    case 'not_received':
      return jobs.every((job) => job.progress >= JOB_PROGRESS.received);
    case 'not_printed':
      return jobs.every((job) => job.progress >= JOB_PROGRESS.printed);
    case 'not_dispatched':
    case 'dispatch_failed':
      return state.printOrders.every(
        (printOrder) =>
          printOrder.shipment !== null ||
          printOrder.jobs.every((job) => job.ended !== null || job.progress === JOB_PROGRESS.shipped),
      );
    case 'partner_not_updated':
      return state.printOrders.every((printOrder) => !lacksUpdate(printOrder));
    case 'not_rerouted':
      return jobs.every(
        ({ progress, stopRequest }) =>
          progress === JOB_PROGRESS.shipped || (stopRequest !== 'refused' && stopRequest !== 'unanswered'),
      );
    case 'no_partner':
      return state.phase !== 'preparing';
    default:
      return false;
  }
}
