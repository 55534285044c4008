import type { RepairRequest } from '../../run/run-messages';
import { type AttentionReason, isDismissable } from '../attention';
import { whyNotRepair } from '../guards';
import type { ItemState, RunState } from '../run-state';
import { reroutedUnits } from './reroute-units';
import { waitingRerouteOf } from './waiting-reroutes';

/** The repairs of operators, in the order in which operators see them. */
export const REPAIR_ACTIONS = [
  'retry',
  'reroute',
  'reproduce',
  'release',
  'hold',
  'cancel',
  'dismiss',
] as const satisfies readonly RepairRequest['action'][];

/** A repair that the order run accepts now, and what it can be applied to. */
export type PossibleRepair =
  | { readonly action: 'hold' | 'release' }
  | { readonly action: 'dismiss'; readonly reasons: readonly AttentionReason[] }
  | { readonly action: 'retry' | 'cancel'; readonly itemIds: readonly string[] }
  | { readonly action: 'reroute' | 'reproduce'; readonly reroutes: readonly PossibleReroute[] };

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

const NOBODY = { by: '', reason: '' };

/**
 * Returns the repairs that the order run accepts in this state, in the order of REPAIR_ACTIONS. The guards of the
 * workflow's update decide, so that a listed repair is accepted and no other is.
 */
export function possibleRepairs(state: RunState): PossibleRepair[] {
  return REPAIR_ACTIONS.flatMap((action) => possibleRepair(state, action));
}

function possibleRepair(state: RunState, action: RepairRequest['action']): PossibleRepair[] {
  const accepts = (request: RepairRequest) => whyNotRepair(state, request) === null;
  switch (action) {
    case 'hold':
    case 'release':
      return accepts({ action, ...NOBODY }) ? [{ action }] : [];
    case 'dismiss': {
      const reasons = state.attention.filter(isDismissable);
      return accepts({ action, ...NOBODY }) ? [{ action, reasons }] : [];
    }
    case 'retry':
    case 'cancel': {
      const itemIds = state.items.map(({ id }) => id).filter((id) => accepts({ action, ...NOBODY, itemIds: [id] }));
      return itemIds.length === 0 ? [] : [{ action, itemIds }];
    }
    case 'reroute':
    case 'reproduce': {
      const reroutes = state.items.flatMap((item) => possibleReroute(state, item, action));
      return reroutes.length === 0 ? [] : [{ action, reroutes }];
    }
  }
}

function possibleReroute(state: RunState, item: ItemState, action: 'reroute' | 'reproduce'): PossibleReroute[] {
  const waiting = waitingRerouteOf(state, item.id);
  const request = {
    action,
    ...NOBODY,
    itemId: item.id,
    quantity: null,
    partnerId: null,
    force: waiting !== undefined,
  } as const;
  // A cancelled or refused item is no longer made.
  if (item.status === 'cancelled' || item.status === 'failed') return [];
  if (whyNotRepair(state, request) !== null) return [];
  const taken = reroutedUnits(state, request).reduce((sum, { quantity }) => sum + quantity, 0);
  const partners = state.printOrders
    .filter(({ jobs }) => jobs.some((job) => job.itemId === item.id && job.ended === null))
    .map(({ partnerId }) => partnerId);
  return [
    {
      itemId: item.id,
      quantity: taken || item.quantity,
      largestQuantity: item.quantity,
      needsForce: waiting !== undefined,
      currentPartnerIds: [...new Set(partners)],
    },
  ];
}
