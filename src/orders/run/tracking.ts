import type { Queryable } from '../../platform/postgres';

/**
 * Returns true when a carrier follows a parcel of the order: a label of ours was bought, or the partner's tracking code
 * belongs to a known carrier.
 */
export async function isTrackingFollowed(sql: Queryable, orderId: string): Promise<boolean> {
  const [row] = await sql<{ followed: boolean }[]>`
    SELECT EXISTS (
      SELECT FROM print_orders p JOIN planned_shipments s ON s.print_order_id = p.id
      WHERE p.order_id = ${orderId} AND p.status <> 'cancelled' AND (s.tracking_followed OR EXISTS (
        SELECT FROM shipments h WHERE h.print_order_id = p.id AND h.status = 'bought'))) AS followed`;
  return row!.followed;
}
