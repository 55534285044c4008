import { uuidv7 } from '../platform/ids';
import { wakeRelays } from '../platform/outbox/outbox';
import { type Fragment, json, onCommit, type Queryable, type Transaction } from '../platform/postgres';
import { currentTraceparent } from '../platform/tracing/spans';
import type { NotificationPayload } from './domain/event-schemas';
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
  const deliveries = deliveriesOf(found);
  if (deliveries === undefined) return;
  await writeDeliveries(tx, deliveries, tx`, ${storedSnapshot(tx, found.view)}`);
}

/** Returns the deliveries of an order's changes. Undefined: nothing has changed. */
function deliveriesOf({ view, notified, endpoints }: NotifiableOrder): NewDelivery[] | undefined {
  const changes = changesOf(view, notified);
  if (changes.length === 0) return undefined;
  const created = new Date().toISOString();
  return changes.flatMap(({ event, payload }) => {
    const messageId = uuidv7();
    const body = JSON.stringify({ id: messageId, event, created, ...payload });
    return endpoints
      .filter(({ events }) => events.includes(event))
      .map(({ id: endpointId }) => ({ endpointId, messageId, event, orderId: view.order.orderId, body }));
  });
}

/** Returns the part of a WITH clause that stores the snapshot of an order. */
const storedSnapshot = (sql: Queryable, view: OrderView): Fragment => sql`
  notified AS (
    INSERT INTO notified_states (order_id, snapshot) VALUES (${view.order.orderId}, ${json(sql, snapshotOf(view))})
    ON CONFLICT (order_id) DO UPDATE SET snapshot = excluded.snapshot)`;

export interface NewDelivery {
  readonly endpointId: string;
  readonly messageId: string;
  readonly event: string;
  readonly orderId: string | null;
  /** JSON, as it is signed and sent. */
  readonly body: string;
}

/** Enqueues an event for those endpoints of its client that want it. Returns their number. */
export async function enqueueEvent(tx: Transaction, { event, payload }: NotificationPayload): Promise<number> {
  const { orderId } = payload;
  const endpoints = await tx<{ id: string }[]>`
    SELECT e.id FROM webhook_endpoints e JOIN orders o ON o.client_id = e.client_id
    WHERE o.id = ${orderId} AND e.enabled AND ${event} = ANY(e.events)`;
  const messageId = uuidv7();
  const body = JSON.stringify({ id: messageId, event, created: new Date().toISOString(), ...payload });
  const deliveries = endpoints.map(({ id: endpointId }) => ({ endpointId, messageId, event, orderId, body }));
  return (await enqueueDeliveries(tx, deliveries)).length;
}

/** Stores deliveries and their outbox rows. Returns the deliveries' ids in the same order. */
export async function enqueueDeliveries(tx: Transaction, deliveries: readonly NewDelivery[]): Promise<string[]> {
  return deliveries.length === 0 ? [] : await writeDeliveries(tx, deliveries, tx``);
}

/**
 * Stores deliveries and their outbox rows in one statement.
 * @param along further parts of the WITH clause
 */
async function writeDeliveries(
  tx: Transaction,
  deliveries: readonly NewDelivery[],
  along: Fragment,
): Promise<string[]> {
  const rows = deliveries.map((delivery) => ({ id: uuidv7(), ...delivery }));
  await tx`
    WITH deliveries AS (
      SELECT * FROM jsonb_to_recordset(${json(tx, rows)})
        AS d (id uuid, "endpointId" uuid, "messageId" uuid, event text, "orderId" uuid, body text)
    ), stored_deliveries AS (
      INSERT INTO webhook_deliveries (id, endpoint_id, message_id, event, order_id, body)
      SELECT id, "endpointId", "messageId", event, "orderId", body FROM deliveries
    ), enqueued AS (
      INSERT INTO outbox (kind, target, payload, traceparent)
      SELECT 'notification', "endpointId"::text, jsonb_build_object('deliveryId', id), ${currentTraceparent()} FROM deliveries
    )${along} SELECT`;
  if (rows.length > 0) onCommit(tx, (sql) => wakeRelays(sql, 'notification'));
  return rows.map(({ id }) => id);
}
