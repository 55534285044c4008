import type { RunEffect } from './run-events';
import {
  type DepartedParcel,
  FAILED_DELIVERIES,
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
  leastAdvanced,
  type OrderStatus,
  PROGRESS_RANK,
  type ProgressStatus,
} from './statuses';

/**
 * What follows from the facts of a run: statuses of jobs, items, order and payment.
 * Pure functions of the state.
 */

/** Returns a job's status. Null for a job whose units are all rerouted. */
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
  if (FAILED_DELIVERIES.includes(printOrder.delivery)) return 'manual_handling';
  return 'passed';
}

/** Returns the parcel in which a job left before a change of address or method. Undefined for all other jobs. */
export function departedParcelOf({ id }: JobState, { departed }: PrintOrderState): DepartedParcel | undefined {
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

/** Returns the units that the partner is to make, by job id. It was asked not to make the others, or they have ended. */
export function wantedUnits({ jobs }: PrintOrderState): Record<string, number> {
  const wanted = jobs.map(({ id, ended, quantity, cancelledQuantity, unitsRequest }): [string, number] => {
    const requested = unitsRequest?.refused === false ? unitsRequest.quantity : 0;
    return [id, ended === null ? Math.max(quantity - cancelledQuantity - requested, 0) : 0];
  });
  return Object.fromEntries(wanted.filter(([, units]) => units > 0));
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
  return leastAdvanced(live as ProgressStatus[]);
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
