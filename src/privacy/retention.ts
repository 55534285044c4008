import { uuidv7 } from '../platform/ids';
import { type ErasureDeps, eraseSubjects } from './erase';
import { ERASURE_BATCH } from './erasures';
import { orderHasEnded, type Subject, shippingOrderHasEnded } from './subjects';

/**
 * Erases the personal data of orders and shipping orders that ended before `endedBefore`, and deletes drafts that were not
 * changed since. Processes one batch, ordered by id.
 * @param after `next` of the previous batch; empty for the first
 */
export async function eraseExpired(
  deps: ErasureDeps,
  endedBefore: Date,
  after: string,
): Promise<{ readonly erased: number; readonly next: string }> {
  const { sql } = deps;
  // Ids contain their time: younger orders are not read.
  const youngest = uuidv7(endedBefore.getTime());
  const range = sql`erased_at IS NULL AND id < ${youngest} ${after === '' ? sql`` : sql`AND id > ${after}`}`;
  const subjects = await sql<Subject[]>`
    SELECT * FROM (
      (SELECT 'order' AS kind, id, 'ended' AS state FROM orders
        WHERE ${range} AND ${orderHasEnded(sql)} AND updated_at < ${endedBefore} ORDER BY id LIMIT ${ERASURE_BATCH})
      UNION ALL
      (SELECT 'order', id, 'draft' FROM orders
        WHERE ${range} AND fulfillment_status = 'draft' AND updated_at < ${endedBefore} ORDER BY id LIMIT ${ERASURE_BATCH})
      UNION ALL
      (SELECT 'shipping_order', o.id, 'ended' FROM shipping_orders o
        WHERE ${range} AND ${shippingOrderHasEnded(sql)} AND NOT EXISTS (
          SELECT FROM shipments s JOIN trackings t ON t.shipment_id = s.id
          WHERE s.shipping_order_id = o.id AND t.updated_at >= ${endedBefore})
        ORDER BY o.id LIMIT ${ERASURE_BATCH})
    ) expired ORDER BY id LIMIT ${ERASURE_BATCH}`;
  const { length } = await eraseSubjects(deps, subjects);
  return { erased: length, next: subjects.length < ERASURE_BATCH ? '' : subjects.at(-1)!.id };
}
