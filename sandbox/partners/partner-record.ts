import type { PostbackStatus } from '../behaviour';
import type { ChosenBehaviour } from '../behaviours';
import { type PrintOrder, workloadOf } from './print-order';

/**
 * The journal entries of a partner, and the state that they produce. State changes only by entries, so that a partner
 * restored from its journal equals the partner that was killed. Journals on disk hold the entry types under these names.
 */

/** Selects a behaviour for the print orders that match. */
export interface Rule {
  readonly id: string;
  readonly behaviour: ChosenBehaviour;
  /** Text that the body of the print order contains (an id, a name, a model uid). Default: every print order matches. */
  readonly contains?: string;
  /** Number of print orders that the rule applies to. Default: no limit. */
  readonly times?: number;
}

export interface StockLevel {
  readonly status: 'in-stock' | 'out-of-stock';
  readonly amount?: number;
  /** YYYY-MM-DD. */
  readonly replenishmentDate?: string;
}

export type PartnerEntry =
  | { type: 'subscribed'; signingSecret: string }
  | { type: 'rule'; rule: Rule }
  | { type: 'rules-cleared' }
  | { type: 'stock'; sku: string; level: StockLevel }
  | {
      type: 'print-order';
      printOrderId: string;
      kind: PrintOrderKind;
      order: PrintOrder;
      behaviour: ChosenBehaviour;
      ruleId?: string;
    }
  | {
      type: 'delivery';
      printOrderId: string;
      webhookId: string;
      contentHash: string;
      taken: boolean;
      response: string;
    }
  | { type: 'assets'; printOrderId: string; fetched: number }
  | { type: 'postback'; printOrderId: string; status: string; orderItemId?: string; responseStatus: number }
  | { type: 'document'; printOrderId: string; document: ShippingDocument }
  | { type: 'dispatched'; printOrderId: string; trackingCode?: string; parcels: string[] }
  /** The partner ships with a carrier of its own. `isFollowed`: Pressline knows that carrier's numbers. */
  | { type: 'own-parcel'; printOrderId: string; trackingNumber: string; isFollowed: boolean }
  | { type: 'shipping-order'; printOrderId: string; shippingOrder: OwnShippingOrder }
  | { type: 'held'; printOrderId: string; itemIds: string[] }
  | { type: 'cancel-order'; printOrderId: string; itemIds: string[]; accepted: boolean; postbackDue: boolean }
  | { type: 'order-update'; printOrderId: string; update: ReceivedUpdate }
  | { type: 'cancel-told'; printOrderId: string }
  | { type: 'step'; printOrderId: string; done: number }
  | { type: 'ended'; printOrderId: string; state: 'finished' | 'cancelled' | 'given-up'; reason?: string };

/** One delivery of an order update, with its response. */
export interface ReceivedUpdate {
  readonly revision: number;
  readonly webhookId: string;
  readonly addressLine1: string;
  readonly shipmentMethodUid: string;
  /** Units of each item that are still wanted. */
  readonly counts: readonly number[];
  readonly response: string;
}

/** A shipping order that the partner placed, as Pressline returned it last. */
export interface OwnShippingOrder {
  readonly orderReferenceId: string;
  readonly status: string;
  readonly trackingNumbers: readonly string[];
}

/** The address of the partner that received the print order. */
export type PrintOrderKind = 'print' | 'apparel';

export interface ShippingDocument {
  readonly type: string;
  /** Hex. */
  readonly sha256: string;
  readonly bytes: number;
}

export interface PrintOrderRecord {
  readonly id: string;
  readonly kind: PrintOrderKind;
  readonly behaviour: ChosenBehaviour;
  /** True when the next delivery counts as a new print order, which no marker selects a behaviour for. */
  lifted: boolean;
  readonly itemIds: readonly string[];
  /** Removed at the end, because a partner keeps thousands of ended print orders. */
  order: PrintOrder | undefined;
  deliveries: number;
  readonly webhookIds: Set<string>;
  readonly contents: Set<string>;
  /** Response to each delivery: a status, `hang-up` or `silence`. */
  readonly responses: string[];
  state: 'not-taken' | 'taken' | 'finished' | 'cancelled' | 'given-up';
  reason: string | undefined;
  stepsDone: number;
  assetsFetched: number;
  readonly postbacks: { status: string; orderItemId?: string; responseStatus: number }[];
  readonly documents: ShippingDocument[];
  readonly trackingCodes: Set<string>;
  /** Tracking numbers of the newest labels. A change of address replaces them. */
  parcels: readonly string[];
  /** Tracking number of the partner's own carrier, once the parcel has left. */
  ownParcel: string | undefined;
  /** Items that Pressline or the partner cancelled. */
  readonly held: Set<string>;
  readonly cancelOrders: { itemIds: string[]; accepted: boolean }[];
  readonly updates: ReceivedUpdate[];
  readonly shippingOrders: OwnShippingOrder[];
  /** Items of an accepted cancel request whose `cancelled` postback is still due. */
  cancelToConfirm: string[] | undefined;
}

export interface PartnerState {
  /** The last two secrets. Pressline may sign with the older one for a moment after a new subscription. */
  signingSecrets: string[];
  /** Newest first. */
  rules: { rule: Rule; left: number }[];
  readonly stock: Map<string, StockLevel>;
  readonly printOrders: Map<string, PrintOrderRecord>;
}

export function emptyPartnerState(): PartnerState {
  return { signingSecrets: [], rules: [], stock: new Map(), printOrders: new Map() };
}

/** Applies one entry to the state. */
export function apply(state: PartnerState, entry: PartnerEntry): void {
  switch (entry.type) {
    case 'subscribed':
      state.signingSecrets = [entry.signingSecret, ...state.signingSecrets].slice(0, 2);
      return;
    case 'rule':
      state.rules.unshift({ rule: entry.rule, left: entry.rule.times ?? Number.POSITIVE_INFINITY });
      return;
    case 'rules-cleared':
      state.rules = [];
      for (const record of state.printOrders.values()) record.lifted = isUnmade(record);
      return;
    case 'stock':
      state.stock.set(entry.sku, entry.level);
      return;
    case 'print-order': {
      const spent = state.rules.find(({ rule }) => rule.id === entry.ruleId);
      if (spent !== undefined) spent.left -= 1;
      state.printOrders.set(entry.printOrderId, {
        id: entry.printOrderId,
        kind: entry.kind,
        behaviour: entry.behaviour,
        lifted: false,
        itemIds: workloadOf(entry.order).itemIds,
        order: entry.order,
        deliveries: 0,
        webhookIds: new Set(),
        contents: new Set(),
        responses: [],
        state: 'not-taken',
        reason: undefined,
        stepsDone: 0,
        assetsFetched: 0,
        postbacks: [],
        documents: [],
        trackingCodes: new Set(),
        parcels: [],
        ownParcel: undefined,
        held: new Set(),
        cancelOrders: [],
        updates: [],
        shippingOrders: [],
        cancelToConfirm: undefined,
      });
      return;
    }
  }
  const record = state.printOrders.get(entry.printOrderId);
  if (record === undefined) throw new Error(`the journal names print order ${entry.printOrderId} before its arrival`);
  switch (entry.type) {
    case 'delivery':
      record.deliveries += 1;
      record.webhookIds.add(entry.webhookId);
      record.contents.add(entry.contentHash);
      record.responses.push(entry.response);
      if (entry.taken && record.state === 'not-taken') record.state = 'taken';
      return;
    case 'assets':
      record.assetsFetched += entry.fetched;
      return;
    case 'postback': {
      const { status, orderItemId, responseStatus } = entry;
      record.postbacks.push({ status, ...(orderItemId === undefined ? {} : { orderItemId }), responseStatus });
      return;
    }
    case 'document':
      record.documents.push(entry.document);
      return;
    case 'dispatched':
      if (entry.trackingCode !== undefined) record.trackingCodes.add(entry.trackingCode);
      record.parcels = entry.parcels;
      return;
    case 'own-parcel':
      record.ownParcel = entry.trackingNumber;
      if (entry.isFollowed) record.parcels = [entry.trackingNumber];
      return;
    case 'shipping-order':
      record.shippingOrders.push(entry.shippingOrder);
      return;
    case 'held':
      for (const id of entry.itemIds) record.held.add(id);
      return;
    case 'cancel-order':
      record.cancelOrders.push({ itemIds: entry.itemIds, accepted: entry.accepted });
      if (!entry.accepted) return;
      for (const id of entry.itemIds) record.held.add(id);
      if (entry.postbackDue) record.cancelToConfirm = entry.itemIds;
      return;
    case 'order-update':
      record.updates.push(entry.update);
      return;
    case 'cancel-told':
      record.cancelToConfirm = undefined;
      return;
    case 'step':
      record.stepsDone = entry.done;
      return;
    case 'ended':
      record.state = entry.state;
      record.reason = entry.reason;
      record.order = undefined;
      return;
  }
}

/** Returns true for a print order that the partner refused, or stopped to work on before it had shipped. */
function isUnmade(record: PrintOrderRecord): boolean {
  if (record.state === 'not-taken') return true;
  return (record.state === 'finished' || record.state === 'given-up') && !hasReported(record, 'shipped');
}

/** Returns true when every item of the print order is cancelled. */
export function allHeld(record: PrintOrderRecord): boolean {
  return record.itemIds.every((id) => record.held.has(id));
}

/** Returns true when Pressline accepted a postback with this status, for an item or the whole print order. */
export function hasReported(record: PrintOrderRecord, status: PostbackStatus): boolean {
  return record.postbacks.some((postback) => postback.status === status && postback.responseStatus < 300);
}
