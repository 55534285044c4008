import { uuidv7 } from '../platform/ids';
import { enqueue } from '../platform/outbox/outbox';
import { json, type Transaction } from '../platform/postgres';
import { changesOf, snapshotOf } from './domain/order-changes';
import { readOrderView } from './order-view';

/**
 * Enqueues notifications for everything that has changed since the order's last snapshot: statuses of the order and its
 * items, tracking codes and delivery dates. Call it in the transaction that changes the order, after the change.
 * Costs one indexed look-up when the client has no endpoint.
 */
export async function enqueueOrderNotifications(
  tx: Transaction,
  { orderId }: { readonly orderId: string },
): Promise<void> {
  const endpoints = await tx<{ id: string; events: string[] }[]>`
    SELECT e.id, e.events FROM orders o JOIN webhook_endpoints e ON e.client_id = o.client_id
    WHERE o.id = ${orderId} AND e.enabled`;
  if (endpoints.length === 0) return;
  const found = await readOrderView(tx, orderId);
  if (found === undefined) return;
  const changes = changesOf(found.view, found.notified);
  if (changes.length === 0) return;
  const created = new Date().toISOString();
  const deliveries = changes.flatMap(({ event, payload }) => {
    const messageId = uuidv7();
    const body = JSON.stringify({ id: messageId, event, created, ...payload });
    return endpoints
      .filter(({ events }) => events.includes(event))
      .map(({ id: endpointId }) => ({ endpointId, messageId, event, orderId, body }));
  });
  await tx`
    INSERT INTO notified_states (order_id, snapshot) VALUES (${orderId}, ${json(tx, snapshotOf(found.view))})
    ON CONFLICT (order_id) DO UPDATE SET snapshot = excluded.snapshot`;
  await enqueueDeliveries(tx, deliveries);
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
export async function enqueueDeliveries(
  tx: Transaction,
  deliveries: readonly NewDelivery[],
): Promise<string[]> {
  if (deliveries.length === 0) return [];
  const rows = deliveries.map((delivery) => ({ id: uuidv7(), ...delivery }));
  await tx`
    INSERT INTO webhook_deliveries (id, endpoint_id, message_id, event, order_id, body)
    SELECT id, "endpointId", "messageId", event, "orderId", body
    FROM jsonb_to_recordset(${json(tx, rows)})
      AS d (id uuid, "endpointId" uuid, "messageId" uuid, event text, "orderId" uuid, body text)`;
  await enqueue(
    tx,
    ...rows.map(({ id, endpointId }) => ({
      kind: 'notification' as const,
      target: endpointId,
      payload: { deliveryId: id },
    })),
  );
  return rows.map(({ id }) => id);
}
