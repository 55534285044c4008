import { uuidv7 } from '../platform/ids';
import { wakeRelays } from '../platform/outbox/outbox';
import { type Fragment, json, onCommit, type Queryable, type Transaction } from '../platform/postgres';
import { currentTraceparent } from '../platform/tracing/spans';
import { changesOf, snapshotOf } from './domain/order-changes';
import { type ComingStatuses, type NotifiableOrder, readNotifiableOrder } from './order-view';

/**
 * Enqueues notifications for everything that has changed since the order's last snapshot: statuses of the order and its
 * items, tracking codes and delivery dates. Call it in the transaction that changes the order, after the change, which must
 * update the row of the order: `prepareOrderNotifications` finds it there.
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
  await writeDeliveries(tx, deliveries, tx`, ${storedSnapshot(tx, found, tx`SELECT ${orderId}::uuid AS id`)}`);
}

/** Notifications that are stored by the statement which writes the change. */
export interface PreparedNotifications {
  /** The condition on the row of `orders` under which they are still true. */
  readonly isCurrent: Fragment;
  /** Parts of the statement's WITH clause, which begin with a comma. */
  readonly parts: Fragment;
  /** To call when the statement has stored them. */
  stored(): void;
}

/**
 * Makes the notifications of a change of statuses before it is written.
 * @param coming the statuses, see `isKnownFromStatuses`
 * @param changed query of the order's id, empty when the statement writes no change
 * @returns undefined when the client has no enabled endpoint
 */
export async function prepareOrderNotifications(
  sql: Queryable,
  orderId: string,
  coming: ComingStatuses,
  changed: Fragment,
): Promise<PreparedNotifications | undefined> {
  const found = await readNotifiableOrder(sql, orderId, coming);
  if (found === undefined) return undefined;
  const deliveries = deliveriesOf(found);
  const isCurrent = sql`orders.xmin = ${found.rowVersion}::xid`;
  if (deliveries === undefined) return { isCurrent, parts: sql``, stored: () => undefined };
  return {
    isCurrent,
    parts: sql`, ${storedDeliveries(sql, withIds(deliveries), changed)}, ${storedSnapshot(sql, found, changed)}`,
    stored: () => onCommit(sql, (pool) => wakeRelays(pool, 'notification')),
  };
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
      .map(({ id: endpointId }) => ({ endpointId, messageId, event, orderId: view.orderId, body }));
  });
}

/** Returns the part of a WITH clause that stores the snapshot of an order. @param orderIds query of its id */
const storedSnapshot = (sql: Queryable, { view }: NotifiableOrder, orderIds: Fragment): Fragment => sql`
  notified AS (
    INSERT INTO notified_states (order_id, snapshot) SELECT id, ${json(sql, snapshotOf(view))} FROM (${orderIds}) AS o
    ON CONFLICT (order_id) DO UPDATE SET snapshot = excluded.snapshot)`;

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

type StoredDelivery = NewDelivery & { readonly id: string };

const withIds = (deliveries: readonly NewDelivery[]): StoredDelivery[] =>
  deliveries.map((delivery) => ({ id: uuidv7(), ...delivery }));

/**
 * Stores deliveries and their outbox rows in one statement.
 * @param along further parts of the WITH clause
 */
async function writeDeliveries(
  tx: Transaction,
  deliveries: readonly NewDelivery[],
  along: Fragment,
): Promise<string[]> {
  const rows = withIds(deliveries);
  await tx`WITH ${storedDeliveries(tx, rows, tx`SELECT`)}${along} SELECT`;
  if (rows.length > 0) onCommit(tx, (sql) => wakeRelays(sql, 'notification'));
  return rows.map(({ id }) => id);
}

/**
 * Returns the parts of a WITH clause that store deliveries and their outbox rows.
 * @param condition query without rows when nothing is to be stored, otherwise with one
 */
const storedDeliveries = (sql: Queryable, rows: readonly StoredDelivery[], condition: Fragment): Fragment => sql`
  deliveries AS (
    SELECT d.* FROM jsonb_to_recordset(${json(sql, rows)})
      AS d (id uuid, "endpointId" uuid, "messageId" uuid, event text, "orderId" uuid, body text), (${condition}) AS c
  ), stored_deliveries AS (
    INSERT INTO webhook_deliveries (id, endpoint_id, message_id, event, order_id, body)
    SELECT id, "endpointId", "messageId", event, "orderId", body FROM deliveries
  ), enqueued AS (
    INSERT INTO outbox (kind, target, payload, traceparent)
    SELECT 'notification', "endpointId"::text, jsonb_build_object('deliveryId', id), ${currentTraceparent()} FROM deliveries
  )`;
