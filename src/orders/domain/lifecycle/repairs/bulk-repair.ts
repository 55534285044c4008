import type { RepairRequest } from '../../run/run-messages';
import { whyNotRepair } from '../guards';
import type { RequestedBy } from '../run-events';
import type { RunState } from '../run-state';
import { type BulkAction, possibleRepairs, repairRequests } from './possible-repairs';

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
    // The workflow's guard has the reason. Without ids, equal reasons of many orders count together.
    const itemIds = state.items.map(({ id }) => id);
    const [request] = repairRequests(action, bulk, itemIds);
    return { ok: false, why: withoutIds(request && whyNotRepair(state, request)?.message) };
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

export function withoutIds(message: string | undefined): string {
  return (
    message?.replace(/\b(items?) \d[\d, ]*(?=\s)/g, (_, noun: string) => (noun === 'items' ? 'items' : 'an item')) ??
    'the order has no item that this is possible for'
  );
}
