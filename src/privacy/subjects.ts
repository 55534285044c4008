import { FOLLOWED_DAYS } from '../consignments/domain/tracking-status';
import { ENDED_ORDERS } from '../orders/domain/lifecycle/statuses';
import type { Queryable } from '../platform/postgres';

export type SubjectKind = 'order' | 'shipping_order';

/** An order or a shipping order: what one erasure covers. */
export interface Subject {
  readonly kind: SubjectKind;
  readonly id: string;
  /** `running` and `parcels_under_way`: something is still to come, and needs the address. */
  readonly state: 'draft' | 'running' | 'parcels_under_way' | 'ended';
}

/** Returns true when nothing needs the address any more. */
export const isErasable = ({ state }: Subject) => state === 'draft' || state === 'ended';

/** The condition of the partial index `orders_not_erased`. Literal text: the planner has to see it. */
export const orderHasEnded = (sql: Queryable) => sql`
  (fulfillment_status IN ${sql.unsafe(`(${ENDED_ORDERS.map((status) => `'${status}'`).join(', ')})`)}
   OR tracking_ended_at IS NOT NULL)`;

/** Shipping orders end with their last parcel, and with a refusal or a cancellation. */
export const shippingOrderHasEnded = (sql: Queryable) => sql`
  (o.status IN ('refused', 'canceled') OR (o.status = 'bought' AND NOT EXISTS (
    SELECT FROM shipments s JOIN trackings t ON t.shipment_id = s.id
    WHERE s.shipping_order_id = o.id AND t.status_uid NOT IN ('delivered', 'returned')
      AND t.created_at > now() - make_interval(days => ${FOLLOWED_DAYS}))))`;

const orders = (sql: Queryable) => sql`
  SELECT 'order' AS kind, id, CASE WHEN order_type = 'draft' THEN 'draft' WHEN ${orderHasEnded(sql)} THEN 'ended'
    WHEN fulfillment_status IN ('shipped', 'in_transit') THEN 'parcels_under_way' ELSE 'running' END AS state
  FROM orders`;

const shippingOrders = (sql: Queryable) => sql`
  SELECT 'shipping_order' AS kind, id, CASE WHEN ${shippingOrderHasEnded(sql)} THEN 'ended'
    WHEN status = 'bought' THEN 'parcels_under_way' ELSE 'running' END AS state
  FROM shipping_orders o`;

/** Archived orders have ended. */
const archivedOrders = (sql: Queryable) => sql`SELECT 'order' AS kind, id, 'ended' AS state FROM archived_orders`;

/** Returns the orders and shipping orders with these ids. */
export async function subjectsById(sql: Queryable, ids: readonly string[]): Promise<Subject[]> {
  return await sql<Subject[]>`
    ${orders(sql)} WHERE id = ANY(${[...ids]}::uuid[])
    UNION ALL ${archivedOrders(sql)} WHERE id = ANY(${[...ids]}::uuid[])
    UNION ALL ${shippingOrders(sql)} WHERE id = ANY(${[...ids]}::uuid[])`;
}

/**
 * Returns the orders and shipping orders that go, or once went, to an e-mail address, in the order of their ids.
 * @param page `after` is the last id of the previous page
 */
export async function subjectsByEmail(
  sql: Queryable,
  email: string,
  page: { readonly after?: string | undefined; readonly limit: number },
): Promise<Subject[]> {
  const address = email.toLowerCase();
  const { after, limit } = page;
  return await sql<Subject[]>`
    SELECT * FROM (
      ${orders(sql)} WHERE id IN (
        SELECT id FROM orders WHERE lower(shipping_address ->> 'email') = ${address}
        UNION SELECT order_id FROM shipping_changes WHERE lower(replaced_email) = ${address})
      UNION ALL
      ${archivedOrders(sql)} WHERE emails @> ARRAY[${address}]
      UNION ALL
      ${shippingOrders(sql)} WHERE lower(consignment -> 'receiver' ->> 'email') = ${address}
    ) found
    ${after === undefined ? sql`` : sql`WHERE id > ${after}`}
    ORDER BY id LIMIT ${limit}`;
}
