import type { AttentionReason } from '../attention-reasons';
import { hasLeft, isRefundedAsLost } from '../facts/jobs';
import { reroutedUnits, waitingRerouteOf } from '../facts/reroutes';
import type { RepairRequest, RequestedBy } from '../requests';
import type { ItemState, RunState } from '../run-state';
import type { OrderStatus } from '../statuses';
import { isDismissable } from './attention';
import { whyNotChangeShipping, whyNotRepair } from './guards';
import { type BulkAction, REPAIRS, SINGLE_REPAIRS } from './repairs';

/** What operators can do for an order: repairs of its workflow, and operations of their own. */
export const POSSIBLE_REPAIRS = [...SINGLE_REPAIRS, 'change_shipping', 'claim', 'reprint', 'revive'] as const;

/** A repair that the order run accepts now, and what it can be applied to. */
export interface PossibleRepair {
  readonly action: (typeof POSSIBLE_REPAIRS)[number];
  /** Empty for a repair of the whole order. */
  readonly itemIds: readonly string[];
  /** The attention reasons that `dismiss` clears. */
  readonly reasons: readonly AttentionReason[];
  /** The items whose units another print order can make. */
  readonly reroutes: readonly PossibleReroute[];
  /** The print orders that can be marked as shipped. */
  readonly printOrderIds: readonly string[];
}

/** An item whose units another print order can make. */
export interface PossibleReroute {
  readonly itemId: string;
  /** Units of a request without a quantity. */
  readonly quantity: number;
  /** Units of the item: the largest quantity of a request. */
  readonly largestQuantity: number;
  /** True when a reroute waits for the current partner: only a request with `force` is accepted. */
  readonly needsForce: boolean;
  /** The partners that have print jobs of the item. */
  readonly currentPartnerIds: readonly string[];
}

/** Returns the requests of a repair for these items: one in all, or one for each item when the repair is about units. */
export function repairRequests(
  action: BulkAction,
  { by, reason }: RequestedBy,
  itemIds: readonly string[],
  reroute: { readonly partnerId: string | null; readonly force?: boolean } = { partnerId: null },
): RepairRequest[] {
  const request = { action, by, reason };
  const requests = {
    order: () => [request],
    items: () => [{ ...request, itemIds }],
    // Its days follow from the calendars of partners.
    promise: () => [],
    units: () => itemIds.map((itemId) => ({ ...request, itemId, quantity: null, ...reroute })),
  };
  return requests[REPAIRS[action].scope]() as RepairRequest[];
}

const NOBODY = { by: '', reason: '' };

/**
 * Returns the repairs that the order run accepts in this state, in the order of SINGLE_REPAIRS. The guards of the
 * workflow's update decide, so that a listed repair is accepted and no other is.
 */
export function possibleRepairs(state: RunState): PossibleRepair[] {
  const repairs = SINGLE_REPAIRS.flatMap((action): PossibleRepair[] => {
    if (action === 'mark_shipped') {
      const untracked = { ...NOBODY, trackingCode: null, trackingLink: null };
      const printOrderIds = state.printOrders.flatMap(({ id }) =>
        whyNotRepair(state, { action, printOrderId: id, ...untracked }) === null ? [id] : [],
      );
      return printOrderIds.length === 0 ? [] : [{ ...none, action, printOrderIds }];
    }
    const accepts = (itemIds: readonly string[]) =>
      repairRequests(action, NOBODY, itemIds).every((request) => whyNotRepair(state, request) === null);
    if (REPAIRS[action].scope === 'order') {
      const reasons = action === 'dismiss' ? state.attention.filter(isDismissable) : [];
      return accepts([]) ? [{ ...none, action, reasons }] : [];
    }
    const isUnits = REPAIRS[action].scope === 'units';
    const reroutes = isUnits ? state.items.flatMap((item) => possibleReroute(state, item, action)) : [];
    const isPossible = ({ id }: ItemState) => (isUnits ? reroutes.some(({ itemId }) => itemId === id) : accepts([id]));
    const itemIds = state.items.filter(isPossible).map(({ id }) => id);
    return itemIds.length === 0 ? [] : [{ ...none, action, itemIds, reroutes }];
  });
  const isChangeable = state.phase !== 'closed' && whyNotChangeShipping(state) === null;
  const shipped = state.phase === 'running' ? departedItems(state) : [];
  return [
    ...repairs,
    ...(isChangeable ? [{ ...none, action: 'change_shipping' as const }] : []),
    ...(shipped.length > 0 ? [{ ...none, action: 'claim' as const, itemIds: shipped }] : []),
  ];
}

/** A repair that an order does not accept now. */
export interface ImpossibleRepair {
  readonly action: Exclude<PossibleRepair['action'], 'revive'>;
  readonly reason: string;
}

/**
 * Returns the other repairs, and why the order does not accept each.
 * @param reason why it accepts none of them, whatever the state of its run
 */
export function impossibleRepairs(
  possible: readonly Pick<PossibleRepair, 'action'>[],
  state: RunState,
  reason?: string,
): ImpossibleRepair[] {
  return POSSIBLE_REPAIRS.flatMap((action) =>
    action === 'revive' || possible.some((repair) => repair.action === action)
      ? []
      : [{ action, reason: reason ?? whyImpossible(state, action) }],
  );
}

function whyImpossible(state: RunState, action: ImpossibleRepair['action']): string {
  if (action === 'claim') return 'no units have shipped that were not refunded';
  if (action === 'reprint') return 'only an order that was delivered, was returned or has failed is made again';
  if (state.phase === 'closed') {
    if (action === 'dismiss') return 'the order needs no attention';
    if (action === 'refund') return 'no units are left to refund';
    return 'the order has ended';
  }
  if (action === 'change_shipping') return whyNotChangeShipping(state)?.message ?? NO_ITEM;
  if (action !== 'mark_shipped') return whyNoItem(state, action);
  const printOrder = state.printOrders.at(-1);
  const request = { action, ...NOBODY, printOrderId: printOrder?.id ?? '', trackingCode: null, trackingLink: null };
  return printOrder === undefined
    ? 'the order has no print order yet'
    : withoutIds(whyNotRepair(state, request)?.message);
}

/** Returns why the run accepts a repair of none of its items. The guards have the reason. */
function whyNoItem(state: RunState, action: BulkAction): string {
  const [request] = repairRequests(
    action,
    NOBODY,
    state.items.map(({ id }) => id),
  );
  return withoutIds(request && whyNotRepair(state, request)?.message);
}

/** Returns the ids of the items of which units have shipped. */
const departedItems = ({ items, printOrders }: RunState): string[] =>
  items.flatMap(({ id }) =>
    printOrders.some((each) =>
      each.jobs.some((job) => job.itemId === id && hasLeft(job, each) && !isRefundedAsLost(job)),
    )
      ? [id]
      : [],
  );

const none = { itemIds: [], reasons: [], reroutes: [], printOrderIds: [] };

/**
 * Returns what operators can do for an order that has ended.
 * @param reasons the attention reasons that it has
 * @param refundableItemIds the items of which units can be refunded
 * @param shippedItemIds the items of which units have shipped
 */
export function repairsOfEnded(
  status: OrderStatus,
  reasons: readonly AttentionReason[],
  refundableItemIds: readonly string[],
  shippedItemIds: readonly string[],
): (PossibleRepair & { readonly reroutes: readonly never[] })[] {
  return [
    ...(refundableItemIds.length > 0 ? [{ ...none, action: 'refund' as const, itemIds: refundableItemIds }] : []),
    ...(reasons.length > 0 ? [{ ...none, action: 'dismiss' as const, reasons }] : []),
    ...(shippedItemIds.length > 0 ? [{ ...none, action: 'claim' as const, itemIds: shippedItemIds }] : []),
    ...(REPRINTABLE.includes(status) ? [{ ...none, action: 'reprint' as const }] : []),
  ];
}

/** What admins can do for an open order whose workflow is gone. */
export const REVIVE = { ...none, action: 'revive' as const };

/** The statuses of orders that can be made again as new orders. */
export const REPRINTABLE: readonly OrderStatus[] = ['delivered', 'returned', 'failed'];

function possibleReroute(state: RunState, item: ItemState, action: BulkAction): PossibleReroute[] {
  const needsForce = waitingRerouteOf(state, item.id) !== undefined;
  const [request] = repairRequests(action, NOBODY, [item.id], { partnerId: null, force: needsForce });
  // A cancelled or refused item is no longer made.
  if (item.status === 'cancelled' || item.status === 'failed' || whyNotRepair(state, request!) !== null) return [];
  const taken = reroutedUnits(state, request as Parameters<typeof reroutedUnits>[1]);
  const partners = state.printOrders
    .filter(({ jobs }) => jobs.some((job) => job.itemId === item.id && job.ended === null))
    .map(({ partnerId }) => partnerId);
  return [
    {
      itemId: item.id,
      quantity: taken.reduce((sum, { quantity }) => sum + quantity, 0) || item.quantity,
      largestQuantity: item.quantity,
      needsForce,
      currentPartnerIds: [...new Set(partners)],
    },
  ];
}

/** A repair that an operator requests for many orders. It names no items, because each order has its own. */
export interface BulkRepairRequest extends RequestedBy {
  readonly action: BulkAction;
  /** Of a reroute or a reproduce. Null: routing chooses. */
  readonly partnerId: string | null;
}

/** The requests that repair one order, or why it cannot be repaired. */
export type OrderRepair =
  | { readonly ok: true; readonly requests: readonly RepairRequest[] }
  | { readonly ok: false; readonly why: string };

/**
 * Returns the requests that a bulk repair stands for in an order of this state: every item that the repair is possible for.
 * A reroute and a reproduce take the items that wait for an operator, and all possible items when none waits. They end no
 * wait for a partner: that needs `force`, which an operator decides for each order.
 */
export function repairsOfOrder(state: RunState, bulk: BulkRepairRequest): OrderRepair {
  const { action, partnerId } = bulk;
  const possible = possibleRepairs(state).find((repair) => repair.action === action);
  if (possible === undefined) {
    // Without ids, equal reasons of many orders count together.
    return { ok: false, why: whyNoItem(state, action) };
  }
  const { reroutes } = possible;
  if (reroutes.length === 0) return { ok: true, requests: repairRequests(action, bulk, possible.itemIds) };
  const free = reroutes.flatMap(({ itemId, needsForce }) => (needsForce ? [] : [itemId]));
  const waiting = free.filter((itemId) =>
    state.items.some(({ id, status }) => id === itemId && status === 'manual_handling'),
  );
  if (free.length === 0) return { ok: false, why: 'a reroute waits for the current partner' };
  return { ok: true, requests: repairRequests(action, bulk, waiting.length > 0 ? waiting : free, { partnerId }) };
}

const NO_ITEM = 'the order has no item that this is possible for';

/** Returns a guard's message for people, who know no ids of items and print orders. */
export function withoutIds(message = NO_ITEM): string {
  return message
    .replace(/\b(items?) \d[\d, ]*(?=\s)/g, (_, noun: string) => (noun === 'items' ? 'items' : 'an item'))
    .replace(/\bprint order \d+/g, 'the print order');
}
