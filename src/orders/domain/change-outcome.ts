import type { OrderStatus } from './lifecycle/statuses';

/** What came of a change that an operator or a client has requested, as the order's log tells it. */

export const CHANGE_STATES = ['done', 'waiting', 'refused'] as const;

/** An entry of an order's log. */
export interface LoggedEvent {
  readonly type: string;
  readonly printOrderId: string | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly at: string;
}

/** What the outcome of a change depends on. */
export interface ChangedOrder {
  readonly fulfillmentStatus: OrderStatus;
  readonly printOrders: readonly {
    readonly id: string;
    readonly partnerUid: string;
    /** ISO 8601. */
    readonly acceptedAt: string | null;
  }[];
  /** Oldest first. */
  readonly events: readonly LoggedEvent[];
}

/** `waiting`: a partner was asked and has not responded. `message`: the words of who refused the change. */
export interface ChangeOutcome {
  readonly state: (typeof CHANGE_STATES)[number];
  /** The partner that has accepted or refused the change. */
  readonly partnerUid: string | null;
  readonly message: string | null;
}

/** Events after a change that say that it has not worked. */
const REFUSALS: readonly string[] = [
  'partner_cancel_refused',
  'print_order_refused',
  'print_order_undeliverable',
  'order_parked',
  'files_held',
  'address_held',
  'order_refused',
  'reroute_withdrawn',
  'reproduce_withdrawn',
];

/** The changes that others have to agree to, and the events that say what came of it. Every other change works at once. */
const AWAITED: Readonly<Record<string, { readonly done: string; readonly refused?: string }>> = {
  cancel_requested: { done: 'partner_cancel_confirmed' },
  cancel_items: { done: 'partner_cancel_confirmed' },
  cancel_units: { done: 'units_cancelled' },
  reroute_requested: { done: 'reroute' },
  reproduce_requested: { done: 'reproduce' },
  file_requested: { done: 'file_replaced' },
  file_replacement_requested: { done: 'file_replaced', refused: 'file_replacement_refused' },
  change_shipping: { done: 'order_update_accepted', refused: 'partner_not_updated' },
};
/** Changes that work when a partner accepts a print order after them. */
const SENDING: readonly string[] = ['reroute', 'reproduce', 'retry'];
/** Events that say what is wrong with an order. */
const PROBLEMS: readonly string[] = [
  ...REFUSALS,
  'postback_error',
  'postback_cancelled',
  'dispatch_failed',
  'partner_not_updated',
  'label_not_voided',
];

/** Returns the words of an event: of a partner, of a host, or of the order run. Null: it has none. */
export function wordsOf({ message, reason, why }: LoggedEvent['data']): string | null {
  const words = message ?? reason ?? why;
  return typeof words === 'string' && words !== '' ? words : null;
}

const partnerOf = ({ printOrders }: ChangedOrder, { printOrderId }: LoggedEvent): string | null =>
  printOrders.find(({ id }) => id === printOrderId)?.partnerUid ?? null;

/** Returns what came of the change whose event is at this index. */
export function changeOutcome(order: ChangedOrder, index: number): ChangeOutcome {
  const { events, printOrders, fulfillmentStatus } = order;
  const { type, at } = events[index]!;
  // The run can have sent the new address before the API logs who changed it.
  const since =
    type === 'change_shipping'
      ? events.findLastIndex((event, i) => i < index && event.type === 'shipping_changed')
      : -1;
  const after = events.slice((since === -1 ? index : since) + 1);
  const awaited = AWAITED[type];
  const isSent = SENDING.includes(type);
  const done = { state: 'done', partnerUid: null, message: null } as const;
  if ((awaited === undefined && !isSent) || fulfillmentStatus === 'canceled') return done;
  const time = Date.parse(at);
  const accepted = printOrders.filter(({ acceptedAt }) => acceptedAt !== null);
  const taken = isSent ? accepted.findLast(({ acceptedAt }) => Date.parse(acceptedAt!) >= time) : undefined;
  if (taken !== undefined) return { ...done, partnerUid: taken.partnerUid };
  const refusals = awaited?.refused === undefined ? REFUSALS : [awaited.refused];
  const refused = after.findLast((event) => refusals.includes(event.type));
  if (refused !== undefined) {
    return { state: 'refused', partnerUid: partnerOf(order, refused), message: wordsOf(refused.data) };
  }
  // A partner that has nothing of what is cancelled or changed is not asked.
  const isUnasked = type === 'change_shipping' && !accepted.some(({ acceptedAt }) => Date.parse(acceptedAt!) <= time);
  const isDone = (event: LoggedEvent) =>
    event.type === awaited?.done ||
    (type === 'cancel_items' && event.type === 'status' && event.data.status === 'cancelled');
  return isUnasked || after.some(isDone) ? done : { ...done, state: 'waiting' };
}

/**
 * Returns the latest sentence of a partner, a host, the order run or a flag that the order has about what is wrong. Null: none has
 * said anything.
 */
export function latestProblem(order: ChangedOrder & { readonly attention: readonly string[] }) {
  const isProblem = ({ type, data }: LoggedEvent) =>
    PROBLEMS.includes(type) || (type === 'flagged' && order.attention.includes(String(data.reason)));
  const event = order.events.findLast((each) => isProblem(each) && wordsOf(each.data) !== null);
  if (event === undefined) return null;
  const type = event.type === 'flagged' ? String(event.data.reason) : event.type;
  return { type, partnerUid: partnerOf(order, event), message: wordsOf(event.data)! };
}

/** Returns the latest change of an operator or the client, with what came of it. Null: there is none. */
export function latestChange(order: ChangedOrder) {
  const index = order.events.findLastIndex(({ data }) => typeof data.by === 'string');
  const event = order.events[index];
  if (event === undefined) return null;
  const { type, at, data } = event;
  return { type, by: String(data.by), at, ...changeOutcome(order, index) };
}
