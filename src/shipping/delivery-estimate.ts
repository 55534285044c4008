import { enqueueOrderNotifications } from '../notifications/enqueue';
import type { Transaction } from '../platform/postgres';

/**
 * Sets the delivery dates of print orders to the dates that carriers expect, from the earliest parcel to the latest, and
 * enqueues notifications where they change. The dates promised first are kept beside them. Parcels without an estimate
 * are assumed to arrive with the others.
 * @param shipmentIds shipments that the transaction has locked
 * @param printOrderIds print orders whose partners ship with tracking codes of their own
 */
export async function updateDeliveryEstimates(
  tx: Transaction,
  shipmentIds: readonly string[],
  printOrderIds: readonly string[],
): Promise<void> {
  // Order runs lock the order row first. The same lock order makes the notified state the latest one.
  const estimates = await tx<{ orderId: string; printOrderId: string; first: string; last: string }[]>`
    WITH expected AS (
      SELECT s.order_id, s.print_order_id, min(t.expected_delivery_date) AS first, max(t.expected_delivery_date) AS last
      FROM shipments s JOIN trackings t ON t.shipment_id = s.id
      WHERE s.id = ANY(${[...shipmentIds]}) AND s.print_order_id IS NOT NULL AND s.status = 'bought'
      GROUP BY s.id
      UNION ALL
      SELECT p.order_id, p.id, min(t.expected_delivery_date), max(t.expected_delivery_date)
      FROM print_orders p JOIN trackings t ON t.print_order_id = p.id
      WHERE p.id = ANY(${[...printOrderIds]}::bigint[])
      GROUP BY p.id
    )
    SELECT e.order_id, e.print_order_id::text, e.first::text, e.last::text
    FROM expected e
    JOIN orders o ON o.id = e.order_id
    JOIN planned_shipments p ON p.print_order_id = e.print_order_id
    WHERE (p.min_delivery_date, p.max_delivery_date) <> (e.first, e.last)
    ORDER BY o.id
    FOR NO KEY UPDATE OF o`;
  for (const { orderId, printOrderId, first, last } of estimates) {
    await tx`
      UPDATE planned_shipments SET min_delivery_date = ${first}, max_delivery_date = ${last},
        min_delivery_days = greatest(0, min_delivery_days + (${first}::date - min_delivery_date)),
        max_delivery_days = greatest(0, max_delivery_days + (${last}::date - max_delivery_date))
      WHERE print_order_id = ${printOrderId}`;
    await tx`UPDATE orders SET updated_at = now() WHERE id = ${orderId}`;
    await enqueueOrderNotifications(tx, { orderId });
  }
}
