import { isUuid, uuidv7 } from '../platform/ids';
import { enqueue } from '../platform/outbox/outbox';
import { inTransaction, type Queryable, type Sql, type Transaction } from '../platform/postgres';
import type { Attempt } from './delivery';
import { TEST_EVENT } from './domain/events';
import { enqueueDeliveries } from './enqueue';

export const DELIVERY_STATES = ['pending', 'delivered', 'dead'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export interface DeliveryEntry {
  readonly id: string;
  readonly messageId: string;
  readonly event: string;
  readonly orderId: string | null;
  readonly state: DeliveryState;
  readonly attempts: Attempt[];
  /** Time of the next attempt; null when the delivery is settled. */
  readonly nextAttemptAt: Date | null;
  readonly createdAt: Date;
  readonly settledAt: Date | null;
}

export interface DeliveryFilter {
  readonly state?: DeliveryState | undefined;
  readonly event?: string | undefined;
  readonly orderId?: string | undefined;
  readonly limit: number;
  /** Id of the last delivery of the previous page. */
  readonly after?: string | undefined;
}

const KEPT_DAYS = 30;
const PRUNE_BATCH = 10_000;

const columns = (sql: Queryable) =>
  sql`d.id, d.message_id, d.event, d.order_id, d.state, d.attempts, d.next_attempt_at, d.created_at, d.settled_at`;

/** Returns a page of the deliveries to an endpoint, newest first. */
export async function listDeliveries(
  sql: Queryable,
  endpointId: string,
  { state, event, orderId, limit, after }: DeliveryFilter,
): Promise<DeliveryEntry[]> {
  return await sql<DeliveryEntry[]>`
    SELECT ${columns(sql)} FROM webhook_deliveries d
    WHERE d.endpoint_id = ${endpointId}
      ${state === undefined ? sql`` : sql`AND d.state = ${state}`}
      ${event === undefined ? sql`` : sql`AND d.event = ${event}`}
      ${orderId === undefined ? sql`` : sql`AND d.order_id = ${orderId}`}
      ${after === undefined ? sql`` : sql`AND d.id < ${after}`}
    ORDER BY d.id DESC LIMIT ${limit}`;
}

/** A delivery of an order with the endpoint that it is for. */
export interface OrderDelivery extends DeliveryEntry {
  readonly endpointId: string;
  readonly url: string;
  /** False for a disabled endpoint, which gets nothing before it is enabled. */
  readonly enabled: boolean;
}

const orderDeliveries = (sql: Queryable) => sql`
  SELECT ${columns(sql)}, d.endpoint_id, e.url, e.enabled
  FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id`;

/** Returns a page of the deliveries about an order to all endpoints, newest first. */
export async function listOrderDeliveries(
  sql: Queryable,
  orderId: string,
  { state, limit, after }: Omit<DeliveryFilter, 'event' | 'orderId'>,
): Promise<OrderDelivery[]> {
  return await sql<OrderDelivery[]>`
    ${orderDeliveries(sql)} WHERE d.order_id = ${orderId}
      ${state === undefined ? sql`` : sql`AND d.state = ${state}`}
      ${after === undefined ? sql`` : sql`AND d.id < ${after}`}
    ORDER BY d.id DESC LIMIT ${limit}`;
}

/** Returns a delivery about an order, or undefined. */
export async function orderDelivery(
  sql: Queryable,
  orderId: string,
  deliveryId: string,
): Promise<OrderDelivery | undefined> {
  if (!isUuid(deliveryId)) return undefined;
  const [row] = await sql<OrderDelivery[]>`
    ${orderDeliveries(sql)} WHERE d.id = ${deliveryId} AND d.order_id = ${orderId}`;
  return row;
}

/** How the latest deliveries to an endpoint went. */
export interface EndpointHealth {
  readonly endpointId: string;
  /** Number of dead letters, at most `MOST_COUNTED`. */
  readonly dead: number;
  /** Of the latest deliveries, at most `RECENT`. */
  readonly recent: {
    readonly delivered: number;
    readonly pending: number;
    readonly dead: number;
    readonly failedAttempts: number;
  };
  readonly lastDeliveredAt: Date | null;
  readonly lastFailure: Attempt | null;
}

/** Deliveries that the figures of an endpoint are made from, so that their cost does not grow with the log. */
export const RECENT = 100;
export const MOST_COUNTED = 1_000;

/** Returns the health of each endpoint of an account. */
export async function endpointHealth(sql: Queryable, ownerId: string): Promise<EndpointHealth[]> {
  return await sql<EndpointHealth[]>`
    SELECT e.id AS endpoint_id,
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
            FROM webhook_deliveries d WHERE d.endpoint_id = e.id ORDER BY d.id DESC LIMIT ${RECENT}) latest) r
    LEFT JOIN LATERAL (
      SELECT attempt AS last_failure
      FROM (SELECT d.attempts FROM webhook_deliveries d WHERE d.endpoint_id = e.id ORDER BY d.id DESC LIMIT ${RECENT}) latest,
        jsonb_array_elements(latest.attempts) attempt
      WHERE attempt ->> 'error' IS NOT NULL
      ORDER BY attempt ->> 'at' DESC LIMIT 1) f ON true
    WHERE e.client_id = ${ownerId} ORDER BY e.created_at, e.id`;
}

/** Returns a delivery with the body as sent. */
export async function deliveryOf(
  sql: Queryable,
  endpointId: string,
  deliveryId: string,
): Promise<(DeliveryEntry & { body: string }) | undefined> {
  if (!isUuid(deliveryId)) return undefined;
  const [row] = await sql<(DeliveryEntry & { body: string })[]>`
    SELECT ${columns(sql)}, d.body FROM webhook_deliveries d
    WHERE d.id = ${deliveryId} AND d.endpoint_id = ${endpointId}`;
  return row;
}

/**
 * Sends settled deliveries again, with the same message id and body and a new schedule.
 * @param only one delivery, delivered or dead; or every dead delivery
 * @returns the number of deliveries
 */
export async function redeliver(
  tx: Transaction,
  endpointId: string,
  only: { deliveryId: string } | 'dead',
): Promise<number> {
  const rows = await tx<{ id: string }[]>`
    UPDATE webhook_deliveries SET state = 'pending', settled_at = NULL, next_attempt_at = now()
    WHERE endpoint_id = ${endpointId} AND ${only === 'dead' ? tx`state = 'dead'` : tx`id = ${only.deliveryId} AND state <> 'pending'`}
    RETURNING id`;
  const ids = rows.map(({ id }) => id);
  // Dead outbox rows are replaced, so that an operator's replay cannot send the message twice.
  await tx`
    DELETE FROM outbox WHERE kind = 'notification' AND target = ${endpointId} AND dead_at IS NOT NULL
      AND payload ->> 'deliveryId' = ANY(${ids})`;
  await enqueue(
    tx,
    ...ids.map((deliveryId) => ({
      kind: 'notification' as const,
      target: endpointId,
      payload: { deliveryId },
    })),
  );
  return rows.length;
}

/** Sends a test event to an endpoint. Returns the delivery's id. */
export async function sendTestEvent(sql: Sql, endpointId: string): Promise<string> {
  const messageId = uuidv7();
  const body = JSON.stringify({ id: messageId, event: TEST_EVENT, created: new Date().toISOString() });
  const [id] = await inTransaction(sql, (tx) =>
    enqueueDeliveries(tx, [{ endpointId, messageId, event: TEST_EVENT, orderId: null, body }]),
  );
  return id!;
}

/** Deletes settled deliveries older than 30 days, in batches. Returns the number deleted. */
export async function pruneDeliveries(sql: Sql, now = new Date()): Promise<number> {
  const before = new Date(now.getTime() - KEPT_DAYS * 24 * 60 * 60 * 1000);
  let pruned = 0;
  for (;;) {
    const { count } = await sql`
      WITH old AS (
        SELECT id, endpoint_id FROM webhook_deliveries
        WHERE created_at < ${before} AND state <> 'pending' LIMIT ${PRUNE_BATCH}
        FOR UPDATE SKIP LOCKED
      ), dead AS (
        DELETE FROM outbox o USING old
        WHERE o.kind = 'notification' AND o.target = old.endpoint_id::text AND o.dead_at IS NOT NULL
          AND o.payload ->> 'deliveryId' = old.id::text
      )
      DELETE FROM webhook_deliveries d USING old WHERE d.id = old.id`;
    pruned += count;
    if (count < PRUNE_BATCH) return pruned;
  }
}
