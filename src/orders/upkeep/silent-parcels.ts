import { weekdaysBefore } from '../../platform/domain/working-days';
import { inTransaction, type Queryable } from '../../platform/postgres';
import { clearFlag, flagOrder } from '../run/flags';
import { isOpenOrder } from './compare';
import { type Counts, type ReconcileDeps, settleEach } from './reconciliation';

/** Orders that one reconciliation flags, and clears. The next one continues: orders that are flagged are left out. */
const MOST = 500;

/**
 * Flags open orders with a parcel on its way that no carrier has scanned for PARCEL_SILENT_AFTER, and clears the flag of those
 * whose parcels were scanned since. The time counts from the last scan, or else from when the order had shipped. An order with a
 * claim for a lost parcel since then is not flagged. Only orders as old as that are read, few of which are open.
 */
export async function flagSilentParcels(
  { sql, log, silentAfterDays }: Pick<ReconcileDeps, 'sql' | 'log' | 'silentAfterDays'>,
  now = new Date(),
): Promise<Counts> {
  const before = weekdaysBefore(now, silentAfterDays);
  const silent = await sql<{ id: string; number: string }[]>`
    SELECT id, number FROM (
      SELECT o.id, ${silentParcelOf(sql, before)} AS number FROM orders o
      WHERE ${isOpenOrder(sql)} AND id < least_uuid_at(${before}) AND NOT coalesce('parcel_silent' = ANY(attention), false)
    ) AS old WHERE number IS NOT NULL LIMIT ${MOST}`;
  const heard = await sql<{ id: string }[]>`
    SELECT o.id FROM orders o
    WHERE attention IS NOT NULL AND 'parcel_silent' = ANY(attention) AND ${isOpenOrder(sql)}
      AND ${silentParcelOf(sql, before)} IS NULL LIMIT ${MOST}`;
  await settleEach(log, 'orderId', heard, async ({ id }) => {
    await inTransaction(sql, (tx) => clearFlag(tx, id, 'parcel_silent'));
    return {};
  });
  return await settleEach(log, 'orderId', silent, async ({ id, number }) => {
    const message = `parcel ${number} has no scan for ${silentAfterDays} working days`;
    return { silent: Number(await flagOrder(sql, id, 'parcel_silent', message)) };
  });
}

/** Returns the tracking number of a silent parcel of an order `o`, as SQL. Null: it has none. */
const silentParcelOf = (sql: Queryable, before: Date) => sql`(
  SELECT t.tracking_number FROM print_orders p
  JOIN trackings t ON t.print_order_id = p.id OR t.shipment_id IN (
    SELECT s.id FROM shipments s WHERE s.print_order_id = p.id AND s.status = 'bought')
  LEFT JOIN LATERAL (
    SELECT max(c.occurred_at) AS at FROM tracking_checkpoints c
    WHERE c.tracking_number = t.tracking_number AND c.generation = t.generation AND c.tracked_since = t.created_at) scan ON true
  LEFT JOIN run_snapshots r ON r.order_id = o.id
  WHERE p.order_id = o.id AND t.status_uid NOT IN ('delivered', 'returned')
    AND coalesce(scan.at, to_timestamp((r.snapshot #>> '{clock,shippedAt}')::float8 / 1000), t.created_at) < ${before}
    AND EXISTS (SELECT FROM print_jobs j WHERE j.print_order_id = p.id AND j.status IN ('shipped', 'in_transit'))
    AND NOT EXISTS (SELECT FROM shipment_packages k
      WHERE k.shipment_id = t.shipment_id AND k.tracking_number = t.tracking_number AND k.left_out_at IS NOT NULL)
    AND NOT EXISTS (SELECT FROM claims c
      WHERE c.order_id = o.id AND c.reason = 'parcel_lost' AND c.created_at > coalesce(scan.at, t.created_at))
  ORDER BY t.tracking_number LIMIT 1)`;
