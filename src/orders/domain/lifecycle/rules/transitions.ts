import type { ItemState } from '../run-state';
import type { ItemStatus } from '../statuses';

/**
 * The transition table of order items. `reduce` checks every status change against it. docs/orders.md explains them.
 */

const AFTER_SHIPPING: readonly ItemStatus[] = ['in_transit', 'delivered', 'returned'];
const PRODUCTION: readonly ItemStatus[] = ['passed', 'in_production', 'printed', 'shipped', ...AFTER_SHIPPING];

/** The statuses that may follow each status. */
export const ITEM_TRANSITIONS: Readonly<Record<ItemStatus, readonly ItemStatus[]>> = {
  draft: ['created'],
  created: ['uploading', 'passed', 'on_hold', 'failed', 'cancelled'],
  uploading: ['passed', 'on_hold', 'failed', 'cancelled'],
  passed: ['in_production', 'printed', 'shipped', ...AFTER_SHIPPING, 'manual_handling', 'on_hold', 'cancelled'],
  in_production: ['printed', 'shipped', ...AFTER_SHIPPING, 'manual_handling', 'on_hold', 'cancelled'],
  printed: ['shipped', ...AFTER_SHIPPING, 'manual_handling', 'on_hold', 'cancelled'],
  // `cancelled`: all its parcels are lost, and refunded.
  shipped: [...AFTER_SHIPPING, 'cancelled'],
  in_transit: ['delivered', 'returned', 'cancelled'],
  delivered: ['returned'],
  returned: [],
  // `uploading`: an operator releases an order that was held before it was planned.
  on_hold: ['uploading', ...PRODUCTION, 'manual_handling', 'failed', 'cancelled'],
  // An operator's repair leads back to any point of production. So does a carrier's scan of the parcel.
  manual_handling: [...PRODUCTION, 'on_hold', 'cancelled'],
  failed: [],
  cancelled: [],
};

/** A status change that the transition table does not list. */
export interface RefusedChange {
  readonly itemId: string;
  readonly from: ItemStatus;
  readonly to: ItemStatus;
}

/**
 * Checks the status changes of one event against the transition table.
 * @param before the items before the event, in the same order as `after`
 * @returns the items, each with its status from before where the table does not list the change
 */
export function checkTransitions(
  before: readonly ItemState[],
  after: readonly ItemState[],
): { items: ItemState[]; refused: RefusedChange[] } {
  const refused: RefusedChange[] = [];
  const items = after.map((item, index) => {
    const { status: from } = before[index]!;
    if (item.status === from || ITEM_TRANSITIONS[from].includes(item.status)) return item;
    refused.push({ itemId: item.id, from, to: item.status });
    return { ...item, status: from };
  });
  return { items, refused };
}
