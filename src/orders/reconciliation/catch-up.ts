import { enqueueOrderNotifications } from '../../notifications/enqueue';
import { inTransaction, json, type Sql } from '../../platform/postgres';
import type { AttentionReason, RunState } from '../domain/lifecycle/run-state';
import { rowsOf } from '../domain/run/run-rows';

/** Has an operator look at an order. @returns whether it did not want one for this reason before */
export async function flagOrder(sql: Sql, orderId: string, reason: AttentionReason): Promise<boolean> {
  return await inTransaction(sql, async (tx) => {
    const flagged = await tx`
      UPDATE orders SET attention = concat_ws(' ', attention, ${reason}::text), updated_at = now()
      WHERE id = ${orderId} AND NOT coalesce(${reason} = ANY(string_to_array(attention, ' ')), false)`;
    if (flagged.count === 0) return false;
    await tx`
      INSERT INTO order_events (order_id, type, data)
      VALUES (${orderId}, 'reconciled', ${json(tx, { found: reason })})`;
    return true;
  });
}

/**
 * Brings the rows of an order in line with a run that is ahead of them, as after Postgres was restored from a backup.
 * While the run goes on they stay one version behind the state that they show: a record of that very version that is
 * under way still counts, with its stock and refunds.
 * @returns whether anything was behind, and whether the run knows of print orders that have no rows
 */
export async function catchUp(
  sql: Sql,
  orderId: string,
  state: RunState,
  hasEnded: boolean,
): Promise<{ behind: boolean; lostPrintOrders: boolean }> {
  const { fulfillmentStatus, attention, items, jobs, printOrders } = rowsOf(state);
  return await inTransaction(sql, async (tx) => {
    const updated = await tx`
      UPDATE orders SET fulfillment_status = ${fulfillmentStatus},
        attention = ${attention.length > 0 ? attention.join(' ') : null},
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
      UPDATE print_jobs SET status = j.status, quantity = j.quantity
      FROM jsonb_to_recordset(${json(tx, jobs)}) AS j (id bigint, status text, quantity int), print_orders p
      WHERE print_jobs.id = j.id AND p.id = print_jobs.print_order_id AND p.order_id = ${orderId}`;
    await tx`
      INSERT INTO order_events (order_id, type, data)
      VALUES (${orderId}, 'reconciled', ${json(tx, { found: 'rows_behind_run', version: state.version })})`;
    await enqueueOrderNotifications(tx, { orderId });
    return { behind: true, lostPrintOrders: known.count < printOrders.length };
  });
}
