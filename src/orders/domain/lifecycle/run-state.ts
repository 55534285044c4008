import type { AttentionReason } from './attention-reasons';
import type { ReroutedUnits } from './requests';
import type { ItemStatus } from './statuses';

/**
 * The state of an order run, as plain JSON. It is carried through queries and continue-as-new.
 * Print jobs hold facts, not statuses: statuses are derived from the facts. Each fact is merged by a rule that does not
 * depend on the order of arrival (greater progress, later time). So the same postbacks lead to the same state in any
 * order and with any duplicates.
 */

/** The progress that a partner has reported for a job. */
export const JOB_PROGRESS = { none: 0, received: 1, printed: 2, shipped: 3 } as const;
export type JobProgress = (typeof JOB_PROGRESS)[keyof typeof JOB_PROGRESS];

export interface JobState {
  /** The item id in the print order, which postbacks name. Decimal string. */
  readonly id: string;
  readonly itemId: string;
  readonly quantity: number;
  readonly progress: JobProgress;
  /** Latest partner time of a progress postback, ISO 8601. Empty before the first. */
  readonly progressAt: string;
  /** The partner's latest error. Progress with a later partner time overrides it. */
  readonly error: { readonly at: string; readonly message: string } | null;
  /** Units that the partner cancelled and no operator has handled yet. */
  readonly cancelledQuantity: number;
  /** Latest partner time of a cancellation. Absent before the first. */
  readonly cancelledAt?: string;
  /** An operator's cancel request that the partner has not agreed to. */
  readonly cancelRequest?: { readonly reason: string; readonly refused: boolean };
  /** Units, not all of the job, that the partner is asked by an order update not to make. Absent without a request. */
  readonly unitsRequest?: { readonly quantity: number; readonly reason: string; readonly refused: boolean };
  /** The partner has a request to stop, because the units are rerouted. Absent otherwise. */
  readonly stopRequest?: StopRequest;
  /**
   * The shipment with whose label the job left before the address or the method changed for the rest of its print order. Null
   * without a label of ours. Absent for all other jobs.
   */
  readonly leftWith?: string | null;
  /** All units have shipped, and are made again: they were lost, damaged or wrong. The job no longer counts. Absent otherwise. */
  readonly claimed?: true;
  /** Units that were refunded because their parcel was lost. A job without others no longer counts. Absent without one. */
  readonly lostQuantity?: number;
  /** Why the job no longer counts: it was cancelled, or all its units were rerouted. */
  readonly ended: 'cancelled' | 'superseded' | null;
}

/**
 * The partner's response to the request to stop a job. `unanswered`: the deadline has passed. `forced`: an operator
 * decided not to wait for it.
 */
export const STOP_REQUESTS = ['waiting', 'agreed', 'refused', 'unanswered', 'forced'] as const;
export type StopRequest = (typeof STOP_REQUESTS)[number];

/**
 * How the delivery of a print order stands. It ends `refused` by the partner, `undeliverable` after the time for retries, or
 * `unbuildable` when no message can be made from the order.
 */
export const DELIVERIES = ['pending', 'accepted', 'refused', 'undeliverable', 'unbuildable'] as const;
export type Delivery = (typeof DELIVERIES)[number];
/** The deliveries that have failed. Without a postback, the jobs wait for an operator. */
export const FAILED_DELIVERIES: readonly Delivery[] = ['refused', 'undeliverable', 'unbuildable'];
/** The deliveries after which the partner does not have the print order. */
export const NOT_TAKEN: readonly Delivery[] = ['refused', 'unbuildable'];
export type Transit = 'in_transit' | 'delivered' | 'returned';

/** A parcel of a print order: a package with a label of ours, or one with a tracking code of the partner's own. */
export interface ParcelState {
  /** Tracking number without spaces. */
  readonly number: string;
  /** The shipment whose label the parcel has. Null: the code is the partner's own. */
  readonly shipmentId: string | null;
  /** The jobs with units in the parcel. Null: all that are in no other parcel. */
  readonly jobIds: readonly string[] | null;
  /** The partner sent the code before the parcel left. A code with `shipped` for the same jobs takes its place. Absent otherwise. */
  readonly announced?: true;
  /** Null: a carrier follows the parcel and has not scanned it. Absent: no carrier is known to follow it. */
  readonly transit?: Transit | null;
}

/** State of the latest message that tells a partner about a changed address or method, cancelled units or replaced files. */
export interface OrderUpdateState {
  /** Number of the update among those of its print order. */
  readonly revision: number;
  /**
   * What has changed beside files since the partner accepted the latest message. `none`: files, or the VAT on the import. Absent:
   * the address or the method.
   */
  readonly changes?: 'units' | 'both' | 'none';
  /** True when print files have been replaced. Absent otherwise. */
  readonly files?: true;
  /** `waiting`: the partner has not accepted the print order yet. `failed`: it did not get the update. */
  readonly status: 'waiting' | 'sending' | 'accepted' | 'failed';
}

/** A planned print order: its rows exist, and it was not sent. */
export interface PlannedPrintOrder {
  /** Decimal string. */
  readonly id: string;
  readonly partnerId: string;
  /** The partner's name in routing decisions, lists and the Temporal UI. */
  readonly partnerUid: string;
  /** The day by which the partner must hand over the parcels, YYYY-MM-DD. */
  readonly dispatchDate: string;
  /** End of the dispatch date in the partner's time zone, ISO 8601. */
  readonly dispatchDueAt: string;
  /** The print order that this one reproduces. */
  readonly reproducesId: string | null;
  /** The valid label, when one was bought before the run was reset. Absent otherwise. */
  readonly boughtShipmentId?: string;
  /** True when the client has an IOSS number. */
  readonly ioss?: boolean;
  readonly jobs: readonly { readonly id: string; readonly itemId: string; readonly quantity: number }[];
}

export interface PrintOrderState extends Omit<PlannedPrintOrder, 'jobs' | 'boughtShipmentId' | 'ioss'> {
  readonly delivery: Delivery;
  readonly jobs: readonly JobState[];
  readonly shipment: { readonly id: string; readonly revision: number } | null;
  /** State of the client's cancel request at the partner. */
  readonly cancel: 'requested' | 'confirmed' | 'refused' | null;
  /** The parcels that partners have named or carriers have scanned. Absent before the first. */
  readonly parcels?: readonly ParcelState[];
  /** A label was voided after a change of address or method. Absent before. */
  readonly labelTakenBack?: boolean;
  /** Units that end can change the VAT on the import: the client has an IOSS number. Absent otherwise. */
  readonly ioss?: true;
  /** The order update for the latest change. Absent without a change after planning. */
  readonly update?: OrderUpdateState;
  /** Why the latest dispatch failed. Absent without one, or when labels were bought since. */
  readonly dispatchFailure?: string;
  /** A carrier scanned a parcel with another label than the valid one. Absent before. */
  readonly strayParcel?: boolean;
}

export interface ItemState {
  /** Decimal string. */
  readonly id: string;
  readonly quantity: number;
  readonly status: ItemStatus;
}

/**
 * A print order that makes units of other print orders, and waits until their partners have agreed to stop. Until
 * then it counts nowhere, and no partner gets it.
 */
export interface WaitingReroute {
  readonly action: 'reroute' | 'reproduce';
  readonly by: string;
  readonly reason: string;
  readonly units: readonly ReroutedUnits[];
  readonly printOrder: PrintOrderState;
  /** Deadline of the partners' responses, epoch milliseconds. */
  readonly until: number;
  /** The order's shipping revision when the print order was planned. */
  readonly shippingRevision: number;
}

export interface RunState {
  /** Number of changes. The rows in Postgres carry the version that they show. */
  readonly version: number;
  /** `preparing` until print orders exist, then `running`. `closed` when every item has a final status. */
  readonly phase: 'preparing' | 'running' | 'closed';
  readonly items: readonly ItemState[];
  readonly printOrders: readonly PrintOrderState[];
  /** Absent when there are none. */
  readonly waitingReroutes?: readonly WaitingReroute[];
  readonly shippingRevision: number;
  /** True while an operator holds the order. No print order is delivered meanwhile. */
  readonly held: boolean;
  readonly attention: readonly AttentionReason[];
  /** The steps that were running when the order stalled, and why the latest one failed. Absent when they have ended. */
  readonly stalled?: { readonly steps: readonly string[]; readonly message: string };
  /** Event ids of the postbacks that were applied. */
  readonly seen: readonly string[];
}

/** Times that an order run keeps beside its state, in epoch milliseconds. */
export interface RunClock {
  /** When each print order was accepted, by print order id. */
  readonly acceptedAt: Readonly<Record<string, number>>;
  /** Keys of the deadlines that have already passed, see `deadlineKey`. */
  readonly raised: readonly string[];
  /** When the last item shipped. Null before. */
  readonly shippedAt: number | null;
  /** True after the check whether a carrier follows the parcels. Absent before. */
  readonly trackingChecked?: boolean;
  /** Reminders of print orders that no postback has confirmed, by print order id. Absent before the first. */
  readonly reminders?: Readonly<Record<string, Reminders>>;
}

export interface Reminders {
  readonly count: number;
  /** When the last one was sent, in epoch milliseconds. */
  readonly at: number;
}

/** Lengths in milliseconds, which every run starts with. */
export interface DeadlineSettings {
  /** Time that a partner has from acceptance to `received`, before the order needs attention. */
  readonly receivedDeadlineMs: number;
  /** Time after shipping at which a run ends when no carrier follows its parcels. */
  readonly untrackedEndMs: number;
  /** Time that a partner has to stop units that another partner is to make. */
  readonly stopDeadlineMs: number;
}

/** Returns the state of an order that was just submitted. */
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

/** Returns a print order of the state. @param id must exist */
export function printOrderOf(state: RunState, id: string): PrintOrderState {
  return state.printOrders.find((printOrder) => printOrder.id === id)!;
}
