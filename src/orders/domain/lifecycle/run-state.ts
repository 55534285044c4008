import type { ItemStatus } from './statuses';

/**
 * What an order run knows, as plain JSON: it travels through Temporal payloads and continue-as-new.
 * Print jobs hold facts, not statuses. A status is always derived from the facts, and every fact is
 * merged by a rule that does not depend on order (the greater progress, the later time), so that the
 * same postbacks give the same state in whatever order and however often they come.
 */

/** How far a partner has said a job is. */
export const JOB_PROGRESS = { none: 0, received: 1, printed: 2, shipped: 3 } as const;
export type JobProgress = (typeof JOB_PROGRESS)[keyof typeof JOB_PROGRESS];

export interface JobState {
  /** The print order's item id, a decimal string: what partners name in postbacks. */
  readonly id: string;
  readonly itemId: string;
  readonly quantity: number;
  readonly progress: JobProgress;
  /** Latest partner time of a progress postback, '' before the first. */
  readonly progressAt: string;
  /** The partner's latest error; overtaken by progress the partner reports at a later time. */
  readonly error: { readonly at: string; readonly message: string } | null;
  /** Units that the partner has cancelled and nobody has dealt with. */
  readonly cancelledQuantity: number;
  /** Latest partner time of a cancellation; absent before the first. */
  readonly cancelledAt?: string;
  /** An operator's wish to cancel the job, while its partner has not agreed; absent without one. */
  readonly cancelRequest?: { readonly reason: string; readonly refused: boolean };
  /** Why the job no longer counts: cancelled for good, or replaced by another job. */
  readonly ended: 'cancelled' | 'superseded' | null;
}

export type Delivery = 'pending' | 'accepted' | 'refused' | 'undeliverable';
export type Transit = 'in_transit' | 'delivered' | 'returned';

export interface PrintOrderState {
  /** Decimal string. */
  readonly id: string;
  readonly partnerId: string;
  readonly partnerUid: string;
  /** YYYY-MM-DD, the day by which the partner is to hand the parcels over. */
  readonly dispatchDate: string;
  readonly delivery: Delivery;
  /** The print order this one makes again, when an operator asked for it. */
  readonly reproducesId: string | null;
  readonly jobs: readonly JobState[];
  readonly shipment: { readonly id: string; readonly revision: number } | null;
  /** Where a client's wish to cancel stands with the partner. */
  readonly cancel: 'requested' | 'confirmed' | 'refused' | null;
  readonly transit: Transit | null;
  /** A label was voided after a change of address or method. Absent in runs of older versions, as the next. */
  readonly labelTakenBack?: boolean;
  /** A carrier has scanned a parcel under another label than the one that stands. */
  readonly strayParcel?: boolean;
}

export interface ItemState {
  /** Decimal string. */
  readonly id: string;
  readonly quantity: number;
  readonly status: ItemStatus;
}

export const ATTENTION_REASONS = [
  'not_received',
  'not_printed',
  'not_dispatched',
  'partner_error',
  'partner_refused',
  'partner_unreachable',
  'partner_cancelled',
  'short_shipped',
  'voided_label',
  'cancel_refused',
  'no_partner',
  'dispatch_failed',
  // The run and the rows do not fit together: one of the two has lost something.
  'out_of_step',
] as const;
/** Why an operator should look at an order. */
export type AttentionReason = (typeof ATTENTION_REASONS)[number];

export interface RunState {
  /** Counts changes; the rows in Postgres carry the version they show. */
  readonly version: number;
  /** preparing until print orders exist; then running; closed at the end. */
  readonly phase: 'preparing' | 'running' | 'closed';
  readonly items: readonly ItemState[];
  readonly printOrders: readonly PrintOrderState[];
  readonly shippingRevision: number;
  /** The operator's hold: nothing new is handed over while it stands. */
  readonly held: boolean;
  readonly attention: readonly AttentionReason[];
  /** Ids of events already taken in: duplicates change nothing. */
  readonly seen: readonly string[];
}

export function initialRunState(items: readonly { id: string; quantity: number }[]): RunState {
  return {
    version: 1,
    phase: 'preparing',
    items: items.map(({ id, quantity }) => ({ id, quantity, status: 'created' })),
    printOrders: [],
    shippingRevision: 0,
    held: false,
    attention: [],
    seen: [],
  };
}

/** @param id of a print order that the state knows */
export function printOrderOf(state: RunState, id: string): PrintOrderState {
  return state.printOrders.find((printOrder) => printOrder.id === id)!;
}
