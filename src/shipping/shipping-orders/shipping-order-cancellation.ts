import { SCANNED_STATUSES } from '../../consignments/domain/tracking-status';
import { inTransaction, type Sql, type Transaction } from '../../platform/postgres';
import { type Cancellation, shippingOrderPurchaseKey } from '../domain/shipping-order-run';
import { type PurchaseDeps, voidShipment } from '../purchase';

/** The state of a shipping order after a cancellation was requested. */
export type RequestedCancellation =
  /** The labels are to be voided by `cancelShippingOrder`. */
  | 'canceling'
  | 'canceled'
  /** The purchase was refused, so there are no labels. */
  | 'refused'
  /** A carrier has scanned a package. */
  | 'scanned';

/** Records the request to cancel a shipping order, unless a carrier has scanned one of its packages. */
export async function requestCancellation(sql: Sql, shippingOrderId: string): Promise<RequestedCancellation> {
  return await inTransaction(sql, async (tx) => {
    const [order] = await tx<{ status: string }[]>`
      SELECT status FROM shipping_orders WHERE id = ${shippingOrderId} FOR UPDATE`;
    if (order === undefined) throw new Error(`shipping order ${shippingOrderId} does not exist`);
    if (order.status === 'canceled' || order.status === 'refused') return order.status;
    if (await isScanned(tx, shippingOrderId)) return 'scanned';
    await tx`UPDATE shipping_orders SET status = 'canceling' WHERE id = ${shippingOrderId}`;
    return 'canceling';
  });
}

/**
 * Voids the labels of a shipping order whose cancellation was requested, and records the outcome. The call is idempotent.
 * A purchase that is still running ends first, and is voided too: it can buy nothing under its key afterwards.
 * @throws CarrierUnavailable when the carrier does not respond; repeat the call to continue
 */
export async function cancelShippingOrder(
  deps: PurchaseDeps,
  shippingOrderId: string,
  cancelled?: AbortSignal,
): Promise<Cancellation> {
  const { sql } = deps;
  const [order] = await sql<{ status: string }[]>`SELECT status FROM shipping_orders WHERE id = ${shippingOrderId}`;
  if (order?.status === 'canceled') return { outcome: 'canceled' };
  // A package may have been scanned while the carrier did not respond.
  if (await inTransaction(sql, (tx) => isScanned(tx, shippingOrderId))) {
    await endCanceling(sql, shippingOrderId);
    return { outcome: 'scanned' };
  }
  const idempotencyKey = shippingOrderPurchaseKey(shippingOrderId);
  const voided = await voidShipment(deps, { idempotencyKey }, cancelled);
  if (!voided.ok) {
    await endCanceling(sql, shippingOrderId);
    return { outcome: 'carrier_refused', reason: voided.reason };
  }
  await sql`
    UPDATE shipping_orders SET status = 'canceled', canceled_at = now()
    WHERE id = ${shippingOrderId} AND status = 'canceling'`;
  return { outcome: 'canceled' };
}

/** Returns true when a carrier has scanned a package of a shipping order. Locks the shipment against new events. */
async function isScanned(tx: Transaction, shippingOrderId: string): Promise<boolean> {
  await tx`SELECT 1 FROM shipments WHERE shipping_order_id = ${shippingOrderId} FOR UPDATE`;
  const scanned = await tx`
    SELECT 1 FROM shipments s JOIN trackings t ON t.shipment_id = s.id
    WHERE s.shipping_order_id = ${shippingOrderId} AND t.status_uid = ANY(${SCANNED_STATUSES}) LIMIT 1`;
  return scanned.length > 0;
}

/** Returns a shipping order that could not be canceled to the status that it had before. */
async function endCanceling(sql: Sql, shippingOrderId: string): Promise<void> {
  await sql`
    UPDATE shipping_orders o SET status = CASE
      WHEN EXISTS (SELECT FROM shipments s WHERE s.shipping_order_id = o.id AND s.status = 'bought') THEN 'bought'
      ELSE 'buying' END
    WHERE id = ${shippingOrderId} AND status = 'canceling'`;
}
