import { uuidv7 } from '../platform/ids';
import { wakeRelays } from '../platform/outbox/outbox';
import { type Fragment, json, onCommit, type Queryable, type Transaction } from '../platform/postgres';
import { currentTraceparent } from '../platform/tracing/spans';
import type { NotificationPayload } from './domain/event-schemas';
import { messageBody } from './domain/message-body';
import { changesOf, type OrderView, snapshotOf } from './domain/order-changes';
import { type NotifiableOrder, readNotifiableOrder } from './order-view';

/**
 * Enqueues notifications for everything that has changed since the order's last snapshot: statuses of the order and its
 * items, tracking codes and delivery dates. Call it in the transaction that changes the order, after the change.
 * Costs one indexed look-up when the client has no endpoint, and two statements when it has one.
 */
export async function enqueueOrderNotifications(
  tx: Transaction,
  { orderId }: { readonly orderId: string },
): Promise<void> {
  const found = await readNotifiableOrder(tx, orderId);
  if (found === undefined) return;
  const messages = messagesOf(found);
  if (messages.length > 0) await writeDeliveries(tx, messages, tx`, ${storedSnapshot(tx, found.view)}`);
}

/** Returns the messages of an order's changes. Also those for no endpoint: the snapshot is stored with them. */
const messagesOf = ({ view, notified, endpoints }: NotifiableOrder): NewMessage[] =>
  changesOf(view, notified).map(({ event, payload }) => ({
    event,
    content: payload,
    orderId: view.order.orderId,
    endpointIds: endpoints.filter(({ events }) => events.includes(event)).map(({ id }) => id),
  }));

/** Returns the part of a WITH clause that stores the snapshot of an order. */
const storedSnapshot = (sql: Queryable, view: OrderView): Fragment => sql`
  notified AS (
    INSERT INTO notified_states (order_id, snapshot) VALUES (${view.order.orderId}, ${json(sql, snapshotOf(view))})
    ON CONFLICT (order_id) DO UPDATE SET snapshot = excluded.snapshot)`;

export interface NewMessage {
  readonly event: string;
  readonly content: object;
  readonly orderId: string | null;
  readonly endpointIds: readonly string[];
}

/** Enqueues an event for those endpoints of its client that want it. Returns their number. */
export async function enqueueEvent(tx: Transaction, { event, payload }: NotificationPayload): Promise<number> {
  const { orderId } = payload;
  const endpoints = await tx<{ id: string }[]>`
    SELECT e.id FROM webhook_endpoints e JOIN orders o ON o.client_id = e.client_id
    WHERE o.id = ${orderId} AND e.enabled AND ${event} = ANY(e.events)`;
  const endpointIds = endpoints.map(({ id }) => id);
  return (await enqueueMessage(tx, { event, content: payload, orderId, endpointIds })).length;
}

/** Stores a message's deliveries and their outbox rows. Returns the deliveries' ids, in the order of the endpoints. */
export async function enqueueMessage(tx: Transaction, message: NewMessage): Promise<string[]> {
  return message.endpointIds.length === 0 ? [] : await writeDeliveries(tx, [message], tx``);
}

/**
 * Stores the deliveries of messages and their outbox rows in one statement.
 * @param along further parts of the WITH clause
 */
async function writeDeliveries(tx: Transaction, messages: readonly NewMessage[], along: Fragment): Promise<string[]> {
  const created = new Date().toISOString();
  const rows = messages.flatMap(({ event, content, orderId, endpointIds }) => {
    const messageId = uuidv7();
    const body = messageBody({ id: messageId, event, created, ...content });
    return endpointIds.map((endpointId) => ({ id: uuidv7(), endpointId, messageId, event, orderId, body }));
  });
  await tx`
    WITH deliveries AS (
      SELECT * FROM jsonb_to_recordset(${json(tx, rows)})
        AS d (id uuid, "endpointId" uuid, "messageId" uuid, event text, "orderId" uuid, body text)
    ), stored_deliveries AS (
      INSERT INTO webhook_deliveries (id, endpoint_id, message_id, event, order_id, body)
      SELECT id, "endpointId", "messageId", event, "orderId", body FROM deliveries
    ), enqueued AS (
      INSERT INTO outbox (kind, target, payload, traceparent)
      SELECT 'notification', "endpointId"::text, jsonb_build_object('deliveryId', id,
        'clientId', (SELECT client_id FROM webhook_endpoints e WHERE e.id = "endpointId")), ${currentTraceparent()}
      FROM deliveries
    )${along} SELECT`;
  if (rows.length > 0) onCommit(tx, (sql) => wakeRelays(sql, 'notification'));
  return rows.map(({ id }) => id);
}
