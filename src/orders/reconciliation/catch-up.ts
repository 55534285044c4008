import { enqueueOrderNotifications } from '../../notifications/enqueue';
import { inTransaction, json, type Sql } from '../../platform/postgres';
import type { RunSnapshot } from '../domain/run/run-record';
import { rowsOf } from '../domain/run/run-rows';
import { keepSnapshot } from '../run/snapshots';

/**
 * Records that no carrier follows the parcels of a shipped order. Returns false when the order is not shipped, or when
 * that is recorded.
 */
export async function settleShippedOrder(sql: Sql, orderId: string): Promise<boolean> {
  return await inTransaction(sql, async (tx) => {
    const settled = await tx`
      UPDATE orders SET tracking_ended_at = now()
      WHERE id = ${orderId} AND fulfillment_status IN ('shipped', 'in_transit') AND tracking_ended_at IS NULL`;
    if (settled.count === 0) return false;
    await keepSnapshot(tx, orderId, null);
    await tx`
      INSERT INTO order_events (order_id, type, data)
      VALUES (${orderId}, 'reconciled', ${json(tx, { found: 'tracking_ended' })})`;
    return true;
  });
}

/**
 * Updates the rows of an order, and its stored state, to the state of its workflow. The rows are behind after Postgres was restored from a
 * backup. While the workflow runs, the rows keep a version one below the state that they show, so that a pending
 * record of that version still applies, with its stock movements and refunds.
 * @returns `behind` when rows were updated, `lostPrintOrders` when the workflow has print orders without rows
 */
export async function catchUp(
  sql: Sql,
  orderId: string,
  { state, clock, pending }: RunSnapshot,
  hasEnded: boolean,
): Promise<{ behind: boolean; lostPrintOrders: boolean }> {
  const { fulfillmentStatus, attention, items, jobs, printOrders } = rowsOf(state);
  return await inTransaction(sql, async (tx) => {
    const updated = await tx`
      UPDATE orders SET fulfillment_status = ${fulfillmentStatus},
        attention = ${attention.length > 0 ? [...attention] : null},
        run_version = ${hasEnded ? state.version : state.version - 1}, updated_at = now()
      WHERE id = ${orderId} AND run_version < ${state.version}`;
    if (updated.count === 0) return { behind: false, lostPrintOrders: false };
    await tx`
      UPDATE order_items SET fulfillment_status = i.status
      FROM jsonb_to_recordset(${json(tx, items)}) AS i (id bigint, status text)
      WHERE order_items.id = i.id AND order_items.order_id = ${orderId}`;
    const known = await tx`
      UPDATE print_orders SET status = p.status
      FROM jsonb_to_recordset(${json(tx, printOrders)}) AS p (id bigint, status text)
      WHERE print_orders.id = p.id AND print_orders.order_id = ${orderId}`;
    await tx`
      UPDATE print_jobs SET status = j.status, quantity = j.quantity, cancelled_quantity = j.cancelled_quantity
      FROM jsonb_to_recordset(${json(tx, jobs)}) AS j (id bigint, status text, quantity int, cancelled_quantity int), print_orders p
      WHERE print_jobs.id = j.id AND p.id = print_jobs.print_order_id AND p.order_id = ${orderId}`;
    await tx`
      INSERT INTO order_events (order_id, type, data)
      VALUES (${orderId}, 'reconciled', ${json(tx, { found: 'rows_behind_run', version: state.version })})`;
    await keepSnapshot(tx, orderId, hasEnded ? null : { state, clock, pending });
    await enqueueOrderNotifications(tx, { orderId });
    return { behind: true, lostPrintOrders: known.count < printOrders.length };
  });
}
