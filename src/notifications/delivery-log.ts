import { isUuid } from '../platform/ids';
import { enqueue } from '../platform/outbox/outbox';
import { type Fragment, inTransaction, json, type Queryable, type Sql, type Transaction } from '../platform/postgres';
import { TEST_EVENT } from './domain/event-schemas';
import { endpointColumns } from './endpoints';
import { enqueueMessage } from './enqueue';
import {
  type Delivery,
  type Endpoint,
  type EndpointHealth,
  MOST_COUNTED,
  type OrderDelivery,
  RECENT_DELIVERIES,
} from './webhook-schemas';

export interface DeliveryFilter {
  readonly id?: string;
  readonly endpointId?: string;
  readonly orderId?: string | undefined;
  readonly state?: Delivery['state'] | undefined;
  readonly event?: string | undefined;
  readonly limit?: number;
  /** Id of the last delivery of the previous page. */
  readonly after?: string | undefined;
}

/** Returns deliveries, newest first. @param further columns beside those of a `Delivery` */
async function readDeliveries<Row extends object = Delivery>(
  sql: Queryable,
  further: Fragment,
  { id, endpointId, orderId, state, event, after, limit = 1 }: DeliveryFilter,
): Promise<Row[]> {
  return await sql<Row[]>`
    SELECT d.id, d.message_id, d.event, d.order_id, d.state, d.attempts, d.next_attempt_at, d.created_at, d.settled_at${further}
    FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id
    WHERE true
      ${id === undefined ? sql`` : sql`AND d.id = ${id}`}
      ${endpointId === undefined ? sql`` : sql`AND d.endpoint_id = ${endpointId}`}
      ${orderId === undefined ? sql`` : sql`AND d.order_id = ${orderId}`}
      ${state === undefined ? sql`` : sql`AND d.state = ${state}`}
      ${event === undefined ? sql`` : sql`AND d.event = ${event}`}
      ${after === undefined ? sql`` : sql`AND d.id < ${after}`}
    ORDER BY d.id DESC LIMIT ${limit}`;
}

export async function listDeliveries(sql: Queryable, filter: DeliveryFilter): Promise<Delivery[]> {
  return await readDeliveries(sql, sql``, filter);
}

export async function listOrderDeliveries(sql: Queryable, filter: DeliveryFilter): Promise<OrderDelivery[]> {
  const endpoint = sql`, jsonb_build_object('id', e.id, 'url', e.url, 'enabled', e.enabled) AS endpoint`;
  return await readDeliveries(sql, endpoint, filter);
}

export async function deliveryWithBody(
  sql: Queryable,
  filter: DeliveryFilter,
): Promise<(Delivery & { readonly body: string }) | undefined> {
  return (await readDeliveries<Delivery & { body: string }>(sql, sql`, d.body`, filter))[0];
}

/**
 * Returns what messages of the outbox are about, by their ids: the order of a notification, and the client that has its endpoint.
 * @param messages `target`: id of an endpoint; `deliveryId`: id of a delivery. Null for messages that are no notifications.
 */
export async function subjectsOfNotifications(
  sql: Queryable,
  messages: readonly { readonly id: string; readonly target: string; readonly deliveryId: string | null }[],
): Promise<ReadonlyMap<string, { readonly orderId: string | null; readonly clientId: string | null }>> {
  const sent = messages.filter(({ deliveryId }) => deliveryId !== null && isUuid(deliveryId));
  if (sent.length === 0) return new Map();
  const rows = await sql<{ id: string; orderId: string | null; clientId: string | null }[]>`
    SELECT m.id, d.order_id, a.id AS client_id
    FROM jsonb_to_recordset(${json(sql, sent)}) AS m (id text, "deliveryId" uuid)
    JOIN webhook_deliveries d ON d.id = m."deliveryId"
    JOIN webhook_endpoints e ON e.id = d.endpoint_id
    LEFT JOIN accounts a ON a.id = e.client_id AND a.role = 'client'`;
  return new Map(rows.map(({ id, ...subject }) => [id, subject]));
}

/** Returns the endpoints of an account with their health. */
export async function endpointsWithHealth(
  sql: Queryable,
  ownerId: string,
): Promise<(Endpoint & { readonly health: EndpointHealth })[]> {
  const rows = await sql<(Endpoint & EndpointHealth)[]>`
    SELECT ${endpointColumns(sql)},
      (SELECT count(*)::int FROM (
        SELECT FROM webhook_deliveries d WHERE d.endpoint_id = e.id AND d.state = 'dead' LIMIT ${MOST_COUNTED}) found) AS dead,
      r.recent, r.last_delivered_at, f.last_failure
    FROM webhook_endpoints e
    CROSS JOIN LATERAL (
      SELECT jsonb_build_object('delivered', count(*) FILTER (WHERE state = 'delivered'),
          'pending', count(*) FILTER (WHERE state = 'pending'), 'dead', count(*) FILTER (WHERE state = 'dead'),
          'failedAttempts', coalesce(sum(failed), 0)) AS recent,
        max(settled_at) FILTER (WHERE state = 'delivered') AS last_delivered_at
      FROM (SELECT d.state, d.settled_at,
              jsonb_array_length(jsonb_path_query_array(d.attempts, '$[*] ? (@.error != null)')) AS failed
            FROM webhook_deliveries d WHERE d.endpoint_id = e.id ORDER BY d.id DESC LIMIT ${RECENT_DELIVERIES}) latest) r
    LEFT JOIN LATERAL (
      SELECT attempt AS last_failure
      FROM (SELECT d.attempts FROM webhook_deliveries d WHERE d.endpoint_id = e.id ORDER BY d.id DESC LIMIT ${RECENT_DELIVERIES}) latest,
        jsonb_array_elements(latest.attempts) attempt
      WHERE attempt ->> 'error' IS NOT NULL
      ORDER BY attempt ->> 'at' DESC LIMIT 1) f ON true
    WHERE e.client_id = ${ownerId} ORDER BY e.created_at, e.id`;
  return rows.map(({ dead, recent, lastDeliveredAt, lastFailure, ...endpoint }) => ({
    ...endpoint,
    health: { dead, recent, lastDeliveredAt, lastFailure },
  }));
}

/**
 * Sends deliveries again, now, with the same message id and body and a new schedule.
 * @param only one delivery, or every dead delivery. A delivery that is being sent stays as it is.
 * @returns the number of deliveries
 */
export async function redeliver(
  tx: Transaction,
  endpointId: string,
  only: { deliveryId: string } | 'dead',
): Promise<number> {
  const which =
    only === 'dead'
      ? tx`state = 'dead'`
      : tx`id = ${only.deliveryId} AND (state <> 'pending' OR next_attempt_at > now())`;
  const rows = await tx<{ id: string; clientId: string }[]>`
    UPDATE webhook_deliveries SET state = 'pending', settled_at = NULL, next_attempt_at = now()
    WHERE endpoint_id = ${endpointId} AND ${which}
    RETURNING id, (SELECT client_id FROM webhook_endpoints e WHERE e.id = endpoint_id)`;
  const ids = rows.map(({ id }) => id);
  // The outbox rows of dead and of waiting deliveries are replaced, so that the message is not sent twice.
  for (const isDead of [tx`IS NOT NULL`, tx`IS NULL`])
    await tx`
      DELETE FROM outbox WHERE kind = 'notification' AND target = ${endpointId} AND dead_at ${isDead}
        AND payload ->> 'deliveryId' = ANY(${ids})`;
  const kind = 'notification' as const;
  await enqueue(
    tx,
    ...rows.map(({ id: deliveryId, clientId }) => ({ kind, target: endpointId, payload: { deliveryId, clientId } })),
  );
  return rows.length;
}

/** Sends a test event to an endpoint. Returns the delivery's id. */
export async function sendTestEvent(sql: Sql, endpointId: string): Promise<string> {
  const message = { event: TEST_EVENT, content: {}, orderId: null, endpointIds: [endpointId] };
  const [id] = await inTransaction(sql, (tx) => enqueueMessage(tx, message));
  return id!;
}

/** Deletes dead messages of the outbox whose deliveries are not stored any more. Returns the number deleted. */
export async function pruneDeadMessages(sql: Sql): Promise<number> {
  const { count } = await sql`
    DELETE FROM outbox o
    WHERE o.kind = 'notification' AND o.dead_at IS NOT NULL
      AND NOT EXISTS (SELECT FROM webhook_deliveries d WHERE d.id = (o.payload ->> 'deliveryId')::uuid)`;
  return count;
}
