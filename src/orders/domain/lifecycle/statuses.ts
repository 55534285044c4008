/**
 * The statuses of orders and items, and which follows which, as data.
 * Source: interface "States and transitions"; the full sets are Pressline's own.
 */

export const ORDER_STATUSES = [
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
  'on_hold',
  'failed',
  'canceled',
] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

export const ITEM_STATUSES = [
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
  'on_hold',
  'manual_handling',
  'failed',
  'cancelled',
] as const;
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

/** How far along an item is; statuses without a rank stand beside the line of progress. */
export const PROGRESS_RANK = {
  draft: 0,
  created: 1,
  uploading: 2,
  passed: 3,
  in_production: 4,
  printed: 5,
  shipped: 6,
  in_transit: 7,
  delivered: 8,
  returned: 9,
} as const satisfies Partial<Record<ItemStatus, number>>;
export type ProgressStatus = keyof typeof PROGRESS_RANK;

export function isProgress(status: ItemStatus): status is ProgressStatus {
  return status in PROGRESS_RANK;
}

const AFTER_SHIPPING: readonly ItemStatus[] = ['in_transit', 'delivered', 'returned'];
const PRODUCTION: readonly ItemStatus[] = [
  'passed',
  'in_production',
  'printed',
  'shipped',
  ...AFTER_SHIPPING,
];

/** Which status may follow which. Whatever is not here does not happen: the reducer keeps the old one. */
export const ITEM_TRANSITIONS: Readonly<Record<ItemStatus, readonly ItemStatus[]>> = {
  draft: ['created'],
  created: ['uploading', 'passed', 'on_hold', 'failed', 'cancelled'],
  uploading: ['passed', 'on_hold', 'failed', 'cancelled'],
  passed: [
    'in_production',
    'printed',
    'shipped',
    ...AFTER_SHIPPING,
    'manual_handling',
    'on_hold',
    'cancelled',
  ],
  in_production: ['printed', 'shipped', ...AFTER_SHIPPING, 'manual_handling', 'on_hold', 'cancelled'],
  printed: ['shipped', ...AFTER_SHIPPING, 'manual_handling', 'on_hold', 'cancelled'],
  shipped: AFTER_SHIPPING,
  in_transit: ['delivered', 'returned'],
  delivered: ['returned'],
  returned: [],
  on_hold: [...PRODUCTION, 'manual_handling', 'failed', 'cancelled'],
  // Resolved by an operator (back to any point of production) or by the parcel turning up as shipped.
  manual_handling: [...PRODUCTION, 'on_hold', 'cancelled'],
  failed: [],
  cancelled: [],
};

/** Items that the partner has let go of: nothing about their address or price changes any more. */
export function hasShipped(status: ItemStatus): boolean {
  return isProgress(status) && PROGRESS_RANK[status] >= PROGRESS_RANK.shipped;
}

/** Statuses of orders of which nothing more is expected. */
export const ENDED_ORDERS: readonly OrderStatus[] = ['delivered', 'returned', 'failed', 'canceled'];

/** Statuses of orders that have a running workflow. The partial index `orders_open` names the same. */
export const OPEN_ORDERS: readonly OrderStatus[] = ORDER_STATUSES.filter(
  (status) => status !== 'draft' && !ENDED_ORDERS.includes(status),
);

/** Statuses of open orders that have not shipped. */
export const UNSHIPPED_ORDERS: readonly OrderStatus[] = OPEN_ORDERS.filter(
  (status) => !hasShipped(status as ItemStatus),
);

/** Nothing more is expected of an item in one of these. */
export function isFinal(status: ItemStatus): boolean {
  return status === 'delivered' || status === 'returned' || status === 'failed' || status === 'cancelled';
}

/**
 * The order's status, from its items alone:
 * one failed item fails the order; cancelled items do not count unless all are;
 * an item that waits for a person puts the order on hold; otherwise the item least far along speaks for all.
 */
export function deriveOrderStatus(items: readonly ItemStatus[]): OrderStatus {
  if (items.includes('failed')) return 'failed';
  const live = items.filter((status) => status !== 'cancelled');
  if (live.length === 0) return 'canceled';
  if (live.some((status) => status === 'manual_handling' || status === 'on_hold')) return 'on_hold';
  return (live as ProgressStatus[]).reduce((least, status) =>
    PROGRESS_RANK[status] < PROGRESS_RANK[least] ? status : least,
  );
}
