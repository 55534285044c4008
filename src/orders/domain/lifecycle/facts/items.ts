import type { RunEffect } from '../run-events';
import type { ItemState, RunState } from '../run-state';
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
} from '../statuses';
import { isRefundedAsLost, jobStatus } from './jobs';

/** What follows from the facts of a run: statuses of items, order and payment. */

/** Returns true for an item whose order is not planned. */
export function isBeforePlanning({ status }: ItemState): boolean {
  return status === 'created' || status === 'uploading' || status === 'on_hold';
}

/** Derives an item's status from those of its jobs. A job in manual handling decides first, then the least advanced job. */
function itemStatus(jobs: readonly ItemStatus[]): ItemStatus {
  const live = jobs.filter((status) => status !== 'cancelled');
  if (live.length === 0) return 'cancelled';
  if (live.includes('manual_handling')) return 'manual_handling';
  return leastAdvanced(live as ProgressStatus[]);
}

/** Returns the items with the statuses that follow from the facts. `reduce` checks the changes. */
export function deriveItems({ items, printOrders, held }: RunState): ItemState[] {
  const statuses = new Map<string, ItemStatus[]>(items.map(({ id }) => [id, []]));
  for (const printOrder of printOrders) {
    for (const job of printOrder.jobs) {
      const status = jobStatus(job, printOrder);
      if (status !== null) statuses.get(job.itemId)?.push(status);
    }
  }
  return items.map((item) => {
    const jobs = statuses.get(item.id)!;
    if (jobs.length === 0) return item;
    const derived = itemStatus(jobs);
    const status = held && !hasShipped(derived) && derived !== 'cancelled' ? 'on_hold' : derived;
    const isLost = printOrders.some((each) => each.jobs.some((job) => job.itemId === item.id && isRefundedAsLost(job)));
    const isEnding = isLost && status === 'cancelled' && !isFinal(item.status);
    return !isEnding && keepsStatus(item.status, status) ? item : { ...item, status };
  });
}

/**
 * Returns true when an item keeps its status, whatever its jobs say:
 * - A failed or cancelled item stays so. A late postback does not bring it back.
 * - Progress never steps back. A printed item stays printed while an operator has more of it made.
 * - A shipped item stays shipped while an operator has a part of it made again, unless its parcels are lost and refunded.
 */
function keepsStatus(status: ItemStatus, next: ItemStatus): boolean {
  if (status === 'failed' || status === 'cancelled') return true;
  if (isProgress(status) && isProgress(next)) return PROGRESS_RANK[next] <= PROGRESS_RANK[status];
  return status === next || hasShipped(status);
}

/** Returns the order's status. */
export function deriveStatus({ items }: RunState): OrderStatus {
  return deriveOrderStatus(items.map(({ status }) => status));
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
