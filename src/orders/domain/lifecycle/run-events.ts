import type { PostbackStatus } from '../../../partners/domain/partner-protocol';
import type { AttentionReason, ParkingReason } from './attention-reasons';
import type { ItemUnits, MarkedShipment, MovedPromise, RequestedBy, ReroutedUnits, UnitsForce } from './requests';
import type { Delivery, PlannedPrintOrder, Transit } from './run-state';

/** How far a carrier has taken a parcel. */
export interface ScannedParcel {
  readonly number: string;
  /** Null: it was not scanned. */
  readonly transit: Transit | null;
  /** The items with units in the parcel. Absent when only the partner knows. */
  readonly itemIds?: readonly string[];
}

/** Why an order is refused. `code` is the client's `refusalReasonCode`. */
export interface OrderRefusal {
  readonly code: string;
  readonly reason: string;
  readonly details: object | null;
}

/** What each event of an order run says. */
interface RunEvents {
  fetching_files: unknown;
  refused: OrderRefusal;
  /** The order cannot be planned now. It is planned again later. */
  parked: { readonly reason: ParkingReason; readonly message: string };
  prepared: {
    readonly printOrders: readonly PlannedPrintOrder[];
    /** The order's shipping revision, when the plan was stored before. Absent otherwise. */
    readonly shippingRevision?: number;
  };
  delivery: { readonly printOrderId: string; readonly outcome: Exclude<Delivery, 'pending'>; readonly message: string };
  /** A partner's status postback (operation `postOrderStatus`). Its ids were checked against the print order. */
  postback: {
    /** Row id of the postback in the inbox. Equal postbacks have the same id. */
    readonly eventId: string;
    readonly printOrderId: string;
    readonly status: PostbackStatus;
    /** The partner's time, ISO 8601 in UTC. */
    readonly at: string;
    readonly message: string | null;
    /** The job that the postback is about. Null: the whole print order. */
    readonly jobId: string | null;
    /** Cancelled jobs and units (null: all units), with status `cancelled`. Null: every job. */
    readonly items: readonly { readonly jobId: string; readonly quantity: number | null }[] | null;
    readonly trackingCode: string | null;
    readonly trackingLink: string | null;
  };
  dispatched: { readonly printOrderId: string; readonly shipmentId: string; readonly revision: number };
  shipping_changed: { readonly revision: number };
  /** A print file of an item that a partner has was replaced, checked and stored. */
  file_replaced: { readonly itemId: string };
  /** The delivery of an order update ended. `not_needed`: the partner's first message has or will have the changes. */
  order_update: {
    readonly printOrderId: string;
    /** The number of the update among those of its print order. */
    readonly revision: number;
    readonly outcome: 'accepted' | 'not_needed' | 'no_address' | 'refused' | 'undeliverable' | 'unbuildable';
    readonly message: string;
    /** `revision` of the message that the partner has accepted. */
    readonly messageRevision?: number;
  };
  /** The record of a step was skipped, because the rows had a later step or another run. */
  record_skipped: unknown;
  /** Postgres refused the record of a step for its content. */
  record_refused: unknown;
  /** Something outside the workflow found a reason for attention. `steps`: the running steps, for `stalled`. */
  flagged: { readonly reason: AttentionReason; readonly message: string; readonly steps?: readonly string[] };
  /** The cause of a flag from outside no longer exists. */
  flag_cleared: { readonly reason: AttentionReason };
  /** Units were refunded after a claim, because their parcel was lost. */
  lost_refunded: { readonly units: readonly ItemUnits[] };
  /** The steps of a stalled order have ended. */
  stall_ended: unknown;
  /** At the end of UNTRACKED_ORDER_END: whether a carrier follows a parcel of the order. */
  tracking_checked: { readonly followed: boolean };
  /** The labels of a print order could not be bought. */
  dispatch_failed: { readonly printOrderId: string; readonly message: string };
  /** The carrier refused to void a label. */
  void_failed: { readonly printOrderId: string; readonly shipmentId: string; readonly message: string };
  tracking: {
    readonly eventId: string;
    readonly printOrderId: string;
    /** The shipment whose labels were scanned. Absent for parcels that the partner shipped with its own codes. */
    readonly shipmentId?: string;
    /** All parcels of the shipment, or all with codes of the partner's own that a carrier follows. */
    readonly parcels: readonly ScannedParcel[];
  };
  partner_cancel: {
    readonly printOrderId: string;
    /** The jobs named in the cancel request. Absent: all jobs. */
    readonly jobIds?: readonly string[];
    readonly outcome: 'confirmed' | 'refused';
    readonly message: string;
  };
  deadline: { readonly reason: AttentionReason; readonly printOrderId: string };
  /** A partner that has not sent `received` gets its print order once more. `count` starts at 1. */
  reminded: { readonly printOrderId: string; readonly count: number };
  /** The client cancels the order (`cancel_requested`), or an operator repairs it. */
  cancel_requested: RequestedBy;
  hold: RequestedBy;
  release: RequestedBy;
  dismiss: RequestedBy;
  /** An operator accepts the print files as they are. */
  accept_files: RequestedBy;
  /** An operator accepts the address as it is. */
  accept_address: RequestedBy;
  retry: RequestedBy & { readonly itemIds: readonly string[] };
  /** `asksOnly`: for a client. Jobs that a partner has end only with its consent. */
  cancel_items: RequestedBy & { readonly itemIds: readonly string[]; readonly asksOnly?: true };
  /** A client or an operator cancels single units. `force`: of an operator. */
  cancel_units: RequestedBy & { readonly units: readonly ItemUnits[]; readonly force?: UnitsForce };
  /** An operator refunds the units that partners have cancelled, instead of having them made. */
  refund_items: RequestedBy & { readonly itemIds: readonly string[] };
  /** An operator reports a print order as shipped, because its partner has not. `at` is the time of the report, ISO 8601. */
  mark_shipped: RequestedBy & MarkedShipment & { readonly at: string };
  /** Days off of partners move the dates of print orders. */
  move_promise: RequestedBy & { readonly promises: readonly MovedPromise[] };
  rerouted: RequestedBy & {
    readonly action: 'reroute' | 'reproduce';
    readonly printOrder: PlannedPrintOrder;
    readonly units: readonly ReroutedUnits[];
    /**
     * Deadline of the partners' responses, epoch milliseconds: the print order waits until the partners of the
     * units have agreed to stop. Absent: it is delivered at once.
     */
    readonly waitsUntil?: number;
    /** True when the operator decided that the print order is delivered at once, whatever the partners do. */
    readonly force?: boolean;
    /** The jobs that have shipped and are lost, damaged or wrong as a whole. The print order makes them again. */
    readonly claimedJobIds?: readonly string[];
  };
  /** An operator decided that a waiting reroute ends its wait, whatever the partners do. */
  reroute_forced: RequestedBy & { readonly printOrderId: string };
  /** The deadline of a waiting reroute has passed. */
  reroute_due: { readonly printOrderId: string };
}

/** The event of a type, as plain JSON. */
export type EventOf<Type extends keyof RunEvents> = { readonly type: Type } & RunEvents[Type];
/** The events of an order run. `reduce` applies them to the state. */
export type RunEvent = { [Type in keyof RunEvents]: EventOf<Type> }[keyof RunEvents];
export type PostbackEvent = EventOf<'postback'>;
/** What code outside the workflow tells the run about the order. */
export type OutsideEvent = Extract<RunEvent, { readonly type: 'flagged' | 'flag_cleared' | 'lost_refunded' }>;

/**
 * Returns the event of a plan.
 * @param plan.shippingRevision present when the plan was stored by an earlier call
 */
export function preparedBy({ printOrders, shippingRevision }: RunEvents['prepared']): EventOf<'prepared'> {
  return { type: 'prepared', printOrders, ...(shippingRevision === undefined ? {} : { shippingRevision }) };
}

/**
 * What the order run does after an event. `recordRun` writes the effects from `log` to `end_replacements` to Postgres. The
 * workflow carries out the others as background steps.
 */
interface RunEffects {
  log: {
    readonly event: string;
    readonly itemId?: string;
    readonly printOrderId?: string;
    readonly data?: object;
  };
  /** `units` is the number made: the planned quantity without the units that the partner cancelled. */
  consume_stock: { readonly jobs: readonly JobUnits[] };
  release_stock: { readonly jobIds: readonly string[] };
  /** Releases what is reserved for more than these units, which are still to be made. */
  reduce_stock: { readonly jobs: readonly JobUnits[] };
  refund: {
    readonly reason: string;
    readonly printOrderId: string;
    /** The jobs that the units belong to. A job is refunded once; `<id>-<quantity>` stands for units of a job that continues. */
    readonly jobIds: readonly string[];
    readonly items: readonly ItemUnits[];
  };
  tracking_code: {
    readonly printOrderId: string;
    /** The job that the postback is about. Null: the whole print order. */
    readonly jobId: string | null;
    readonly trackingCode: string | null;
    readonly trackingLink: string | null;
    /** True for a code that came before the parcel left. */
    readonly announced: boolean;
  };
  /** The stored print files count as accepted, with their findings. */
  accept_files: unknown;
  /** The address that the order has counts as accepted, with its findings. */
  accept_address: unknown;
  /** The print orders get new dates. */
  move_promise: { readonly promises: readonly MovedPromise[] };
  /** The replaced files of a print order or an item are printed, or refused (`refusal`: in words for the client). */
  end_replacements: {
    readonly of: { readonly printOrderId: string } | { readonly itemId: string };
    readonly refusal: string | null;
  };
  deliver_print_order: { readonly printOrderId: string };
  /** `units`: the partner must be told about units or files, also when it has the address and the method. */
  deliver_order_update: { readonly printOrderId: string; readonly revision: number; readonly units?: true };
  request_partner_cancel: {
    readonly printOrderId: string;
    readonly jobIds: readonly string[];
    readonly reason: string;
  };
  /** Plan the shipments of print orders again: they have lost units, or waited. */
  replan_shipments: {
    readonly printOrderIds: readonly string[];
    /** The units were cancelled: what the shipment costs less is refunded. */
    readonly refunds?: true;
  };
  void_shipment: { readonly printOrderId: string; readonly shipmentId: string };
}

interface JobUnits {
  readonly id: string;
  readonly units: number;
}

export type RunEffect = { [Type in keyof RunEffects]: { readonly type: Type } & RunEffects[Type] }[keyof RunEffects];
