import type { RepairRequest } from '../../run/run-messages';
import { whyNotRepair } from '../guards';
import type { RunState } from '../run-state';
import { possibleRepairs } from './possible-repairs';

/** A repair that an operator requests for many orders. It names no items, because each order has its own. */
export interface BulkRepairRequest {
  readonly action: RepairRequest['action'];
  readonly by: string;
  readonly reason: string;
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
  const { action, by, reason, partnerId } = bulk;
  const possible = possibleRepairs(state).find((repair) => repair.action === action);
  if (possible === undefined) return { ok: false, why: whyNot(state, bulk) };
  switch (possible.action) {
    case 'hold':
    case 'release':
    case 'dismiss':
      return { ok: true, requests: [{ action: possible.action, by, reason }] };
    case 'retry':
    case 'cancel':
      return { ok: true, requests: [{ action: possible.action, by, reason, itemIds: possible.itemIds }] };
    case 'reroute':
    case 'reproduce': {
      const free = possible.reroutes.filter(({ needsForce }) => !needsForce);
      const waiting = free.filter(({ itemId }) =>
        state.items.some(({ id, status }) => id === itemId && status === 'manual_handling'),
      );
      const chosen = waiting.length > 0 ? waiting : free;
      if (chosen.length === 0) return { ok: false, why: 'a reroute waits for the current partner' };
      return {
        ok: true,
        requests: chosen.map(({ itemId }) => ({
          action: possible.action,
          by,
          reason,
          itemId,
          quantity: null,
          partnerId,
        })),
      };
    }
  }
}

/** Returns the reason of the workflow's guard, without ids, so that equal reasons of many orders count together. */
function whyNot(state: RunState, { action, by, reason }: BulkRepairRequest): string {
  const itemIds = state.items.map(({ id }) => id);
  switch (action) {
    case 'hold':
    case 'release':
    case 'dismiss':
      return whyNotRepair(state, { action, by, reason })?.message ?? NOT_POSSIBLE;
    case 'retry':
    case 'cancel':
      return withoutIds(whyNotRepair(state, { action, by, reason, itemIds })?.message);
    case 'reroute':
    case 'reproduce': {
      const [itemId] = itemIds;
      if (itemId === undefined) return NOT_POSSIBLE;
      const request = { action, by, reason, itemId, quantity: null, partnerId: null };
      return withoutIds(whyNotRepair(state, request)?.message);
    }
  }
}

const NOT_POSSIBLE = 'the order has no item that this is possible for';

export function withoutIds(message: string | undefined): string {
  return (
    message?.replace(/\b(items?) \d[\d, ]*(?=\s)/g, (_, noun: string) => (noun === 'items' ? 'items' : 'an item')) ??
    NOT_POSSIBLE
  );
}
