/**
 * Statuses of orders, items and payments. `transitions.ts` has the allowed changes.
 * docs/orders.md explains them.
 */

/** The normal progress of an item, in its order. `on_hold`, `failed` and the like are no progress. */
const PROGRESS = [
  'draft',
  'created',
  'uploading',
  'passed',
  'in_production',
  'printed',
  'shipped',
  'in_transit',
  'delivered',
  'returned',
] as const;
export type ProgressStatus = (typeof PROGRESS)[number];

export const ORDER_STATUSES = [...PROGRESS, 'on_hold', 'failed', 'canceled'] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

export const ITEM_STATUSES = [...PROGRESS, 'on_hold', 'manual_handling', 'failed', 'cancelled'] as const;
export type ItemStatus = (typeof ITEM_STATUSES)[number];

export const FINANCIAL_STATUSES = [
  'draft',
  'pending',
  'invoiced',
  'paid',
  'refunded',
  'partially_refunded',
  'canceled',
  'refused',
] as const;
export type FinancialStatus = (typeof FINANCIAL_STATUSES)[number];

/**
 * Statuses of a print order as a whole: `waiting` for the consent of another partner, `planned` until it is sent, then how its
 * delivery stands, and `cancelled` when no job of it is left.
 */
export const PRINT_ORDER_STAGES = [
  'waiting',
  'planned',
  'pending',
  'accepted',
  'refused',
  'undeliverable',
  'unbuildable',
  'cancelled',
] as const;

/** Rank of each status of the normal progress. */
export const PROGRESS_RANK = Object.fromEntries(PROGRESS.map((status, rank) => [status, rank])) as Readonly<
  Record<ProgressStatus, number>
>;

/** Returns true for a status that has a rank. */
export function isProgress(status: ItemStatus): status is ProgressStatus {
  return status in PROGRESS_RANK;
}

/** Returns true when the item has left the partner. Its address, method and price no longer change. */
export function hasShipped(status: ItemStatus): boolean {
  return isProgress(status) && PROGRESS_RANK[status] >= PROGRESS_RANK.shipped;
}

/** Statuses of items that have left the partner. */
export const DEPARTED: readonly ItemStatus[] = ITEM_STATUSES.filter(hasShipped);

/** Order statuses that are final. */
export const ENDED_ORDERS: readonly OrderStatus[] = ['delivered', 'returned', 'failed', 'canceled'];

/** Statuses of orders that have a running workflow, unless their tracking has ended. The partial index `orders_running` names the same. */
export const OPEN_ORDERS: readonly OrderStatus[] = ORDER_STATUSES.filter(
  (status) => status !== 'draft' && !ENDED_ORDERS.includes(status),
);

/** Statuses of open orders that have not shipped. */
export const UNSHIPPED_ORDERS: readonly OrderStatus[] = OPEN_ORDERS.filter(
  (status) => !hasShipped(status as ItemStatus),
);

/** Returns true for an item status that is final. A delivered item can still be returned. */
export function isFinal(status: ItemStatus): boolean {
  return status === 'delivered' || status === 'returned' || status === 'failed' || status === 'cancelled';
}

/**
 * Derives an order's status from the statuses of its items.
 * One failed item fails the order. Cancelled items do not count, unless all items are cancelled.
 * An item that waits for an operator puts the order on hold. Otherwise the least advanced item decides.
 */
export function deriveOrderStatus(items: readonly ItemStatus[]): OrderStatus {
  if (items.includes('failed')) return 'failed';
  const live = items.filter((status) => status !== 'cancelled');
  if (live.length === 0) return 'canceled';
  if (live.some((status) => status === 'manual_handling' || status === 'on_hold')) return 'on_hold';
  return leastAdvanced(live as ProgressStatus[]);
}

/** Returns the least advanced of some statuses, at least one. */
export function leastAdvanced(statuses: readonly ProgressStatus[]): ProgressStatus {
  return statuses.reduce((least, status) => (PROGRESS_RANK[status] < PROGRESS_RANK[least] ? status : least));
}
