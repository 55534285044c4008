import type { RunEffect } from './run-events';
import {
  type AttentionReason,
  JOB_PROGRESS,
  type JobState,
  type PrintOrderState,
  type RunState,
} from './run-state';
import {
  deriveOrderStatus,
  type FinancialStatus,
  hasShipped,
  ITEM_TRANSITIONS,
  type ItemStatus,
  isFinal,
  type OrderStatus,
  PROGRESS_RANK,
  type ProgressStatus,
} from './statuses';

/** A job's status from its facts; `null` for a job that another one replaced. */
export function jobStatus(job: JobState, printOrder: PrintOrderState): ItemStatus | null {
  if (job.ended === 'superseded') return null;
  // A parcel on its way outweighs whatever else was said.
  if (job.progress === JOB_PROGRESS.shipped) return printOrder.transit ?? 'shipped';
  if (job.ended === 'cancelled') return 'cancelled';
  if (job.cancelledQuantity > 0) return 'manual_handling';
  if (job.error !== null && job.error.at >= job.progressAt) return 'manual_handling';
  if (job.progress === JOB_PROGRESS.printed) return 'printed';
  if (job.progress === JOB_PROGRESS.received) return 'in_production';
  if (printOrder.delivery === 'refused' || printOrder.delivery === 'undeliverable') return 'manual_handling';
  return 'passed';
}

/** Whether nothing more is expected of any of its jobs. */
export function hasSettled(printOrder: PrintOrderState): boolean {
  return printOrder.jobs.every((job) => {
    const status = jobStatus(job, printOrder);
    return status === null || isFinal(status);
  });
}

/** What goes into the parcels of a print order: units that still count and that the partner has not cancelled. */
export function unitsToShip(printOrder: PrintOrderState): { itemId: string; quantity: number }[] {
  return printOrder.jobs.flatMap(({ itemId, quantity, cancelledQuantity, ended }) =>
    ended === null && cancelledQuantity < quantity
      ? [{ itemId, quantity: quantity - cancelledQuantity }]
      : [],
  );
}

/** An item's status from its jobs: a job that waits for a person first, then the one least far along. */
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

/**
 * Brings item statuses in line with the facts. A change that the transition table does not allow is not made:
 * an item that has shipped stays shipped while an operator has a part of it made again.
 */
export function deriveItems(state: RunState): RunState['items'] {
  return state.items.map((item) => {
    const derived = itemStatus(item.id, state);
    if (derived === null || derived === item.status) return item;
    const next = state.held && !hasShipped(derived) && derived !== 'cancelled' ? 'on_hold' : derived;
    return ITEM_TRANSITIONS[item.status].includes(next) ? { ...item, status: next } : item;
  });
}

/** The order's status, which its items make. */
export function deriveStatus(state: RunState): OrderStatus {
  return deriveOrderStatus(state.items.map((item) => item.status));
}

/** The financial status that a step brings about; null: it leaves it as it is. */
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

/** Attention that follows from the facts; deadlines and failures of our own are kept as they were raised. */
export function deriveAttention(state: RunState): AttentionReason[] {
  const reasons = new Set<AttentionReason>(
    state.attention.filter((reason) => !DERIVED_ATTENTION.has(reason) && !isSettled(reason, state)),
  );
  for (const printOrder of state.printOrders) {
    if (travelsOnVoidedLabel(printOrder)) reasons.add('voided_label');
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

/** Shipped without units that the partner had cancelled; what it cancels of a parcel that has left is in it. */
function isShort({ progress, progressAt, cancelledQuantity, cancelledAt = '' }: JobState): boolean {
  return progress === JOB_PROGRESS.shipped && cancelledQuantity > 0 && cancelledAt <= progressAt;
}

/** Scanned by a carrier under a voided label, or shipped with its label voided and no other asked for. */
function travelsOnVoidedLabel({ strayParcel, labelTakenBack, shipment, jobs }: PrintOrderState): boolean {
  if (strayParcel === true) return true;
  const shipped = jobs.some((job) => job.ended === null && job.progress === JOB_PROGRESS.shipped);
  return labelTakenBack === true && shipment === null && shipped;
}

const DERIVED_ATTENTION: ReadonlySet<AttentionReason> = new Set([
  'partner_refused',
  'partner_unreachable',
  'partner_error',
  'partner_cancelled',
  'short_shipped',
  'voided_label',
  'cancel_refused',
]);

/** Whether what a deadline asked for has come about meanwhile. */
function isSettled(reason: AttentionReason, state: RunState): boolean {
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
    case 'no_partner':
      return state.phase !== 'preparing';
    default:
      return false;
  }
}
