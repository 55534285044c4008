import { uuidv7 } from '../platform/ids';
import { wakeRelays } from '../platform/outbox/outbox';
import { type Fragment, json, onCommit, type Transaction } from '../platform/postgres';
import { currentTraceparent } from '../platform/tracing/spans';
import { changesOf, snapshotOf } from './domain/order-changes';
import { readNotifiableOrder } from './order-view';

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
  const changes = changesOf(found.view, found.notified);
  if (changes.length === 0) return;
  const created = new Date().toISOString();
  const deliveries = changes.flatMap(({ event, payload }) => {
    const messageId = uuidv7();
    const body = JSON.stringify({ id: messageId, event, created, ...payload });
    return found.endpoints
      .filter(({ events }) => events.includes(event))
      .map(({ id: endpointId }) => ({ endpointId, messageId, event, orderId, body }));
  });
  await writeDeliveries(
    tx,
    deliveries,
    tx`, notified AS (
      INSERT INTO notified_states (order_id, snapshot) VALUES (${orderId}, ${json(tx, snapshotOf(found.view))})
      ON CONFLICT (order_id) DO UPDATE SET snapshot = excluded.snapshot)`,
  );
}

export interface NewDelivery {
  readonly endpointId: string;
  readonly messageId: string;
  readonly event: string;
  readonly orderId: string | null;
  /** JSON, as it is signed and sent. */
  readonly body: string;
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
    ), stored AS (
      INSERT INTO webhook_deliveries (id, endpoint_id, message_id, event, order_id, body)
      SELECT id, "endpointId", "messageId", event, "orderId", body FROM deliveries
    )${along}
    INSERT INTO outbox (kind, target, payload, traceparent)
    SELECT 'notification', "endpointId"::text, jsonb_build_object('deliveryId', id), ${currentTraceparent()} FROM deliveries`;
  if (rows.length > 0) onCommit(tx, (sql) => wakeRelays(sql, 'notification'));
  return rows.map(({ id }) => id);
}
