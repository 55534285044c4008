import { z } from 'zod';
import { deriveOrderStatus, type ItemStatus, type OrderStatus } from '../domain/lifecycle/statuses';
import type { EventRecord, OrderRecord } from './order-reader';

export const clientEvent = z.object({
  type: z.string(),
  printOrderId: z.string().nullable(),
  data: z.looseObject({}),
  createdAt: z.iso.datetime(),
});

/**
 * The events that clients see in `eventLog`, and which of their data. Every other event and field is internal: names of
 * operators, their reasons, words of partners and carriers, routing and repairs. Operators see the complete log
 * (`GET /v1/operator/orders/{orderId}`).
 */
const CLIENT_EVENTS: Readonly<Record<string, readonly string[]>> = {
  status: ['status'],
  order_refused: ['code', 'reason'],
  files_held: [],
  address_held: [],
  files_delayed: ['message', 'attempts', 'nextAttemptAt'],
  file_replaced: ['type'],
  file_replacement_requested: ['type'],
  file_requested: ['type', 'message'],
  file_replacement_refused: ['type', 'message'],
  accept_files: [],
  accept_address: [],
  handed_over: [],
  postback_received: ['at'],
  postback_error: ['at'],
  postback_printed: ['at'],
  postback_shipped: ['at'],
  postback_cancelled: ['at', 'quantity'],
  dispatched: [],
  shipping_changed: [],
  order_update_accepted: ['revision'],
  label_not_voided: [],
  voided_label_used: [],
  tracking_in_transit: [],
  tracking_delivered: [],
  tracking_returned: [],
  untracked_order_ended: [],
  hold: [],
  release: [],
  reroute: [],
  reproduce: [],
  cancel_requested: [],
  cancel_items: ['itemIds'],
  cancel_units: ['units'],
  units_cancelled: ['quantity'],
  refund_units: [],
  partner_cancel_confirmed: [],
  partner_cancel_refused: [],
  payment: ['status', 'reference'],
  reprint: ['orderId'],
  retail_prices_given: [],
};

export function clientEvents(events: readonly EventRecord[]) {
  return events.flatMap(({ type, printOrderId, data, at }) => {
    const fields = CLIENT_EVENTS[type];
    if (fields === undefined) return [];
    const shown = Object.fromEntries(fields.filter((name) => name in data).map((name) => [name, data[name]]));
    return [{ type, printOrderId, data: shown, createdAt: new Date(at).toISOString() }];
  });
}

/**
 * Returns the events of the order as a whole, with the changes of its status. These follow from the statuses of its items:
 * one step of the order run writes the changes of all items at the same time.
 */
export function orderEvents(order: Pick<OrderRecord, 'events' | 'items'>): EventRecord[] {
  const { events } = order;
  const statuses = new Map(order.items.map(({ id }): [string, ItemStatus] => [id, 'created']));
  let status: OrderStatus = 'created';
  return events.flatMap((event, index) => {
    const { type, itemId, data, at } = event;
    if (itemId === null) return [event];
    const next = events[index + 1];
    if (type !== 'status') return [];
    statuses.set(itemId, data.status as ItemStatus);
    if (next?.type === 'status' && next.itemId !== null && next.at === at) return [];
    const before = status;
    status = deriveOrderStatus([...statuses.values()]);
    return status === before ? [] : [{ type, itemId: null, printOrderId: null, data: { status }, at }];
  });
}
