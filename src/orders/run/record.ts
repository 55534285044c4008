import { enqueueOrderNotifications } from '../../notifications/enqueue';
import { inTransaction, json, type Queryable, type Sql } from '../../platform/postgres';
import { settleReservations } from '../../procurement/reservations';
import type { RunEffect } from '../domain/lifecycle/run-events';
import type { RunRecord } from '../domain/run/run-messages';
import { refundItems } from '../preparation/receipts';

/**
 * Writes what a step of an order's run decided: statuses, event log, stock, refunds, notifications, in one
 * transaction. Tried again, or overtaken by a later step, it changes nothing. A step that Temporal lost is taken anew at
 * a later position, perhaps together with what has come in meanwhile: it writes over what the lost try wrote, whose log
 * lines go, and whose stock and refunds are known by the print jobs they are for.
 */
export async function recordRun(sql: Sql, record: RunRecord): Promise<void> {
  // One statement is one transaction: where only statuses and log change and nobody is told, four round trips are one.
  if (record.effects.every(({ type }) => type === 'log') && (await writeStatuses(sql, record, 'untold')))
    return;
  await inTransaction(sql, async (tx) => {
    const isNew = await writeStatuses(tx, record, 'all');
    if (!isNew) return;
    const pick = <T extends RunEffect['type']>(type: T) =>
      record.effects.filter((effect): effect is Extract<RunEffect, { type: T }> => effect.type === type);
    const printed = pick('consume_stock').flatMap(({ jobs }) => jobs);
    const cancelled = pick('release_stock').flatMap(({ jobIds }) => jobIds);
    // One call: stock is locked in one order, once a transaction.
    if (printed.length + cancelled.length > 0) await settleReservations(tx, { printed, cancelled });
    for (const { jobIds, ...refund } of pick('refund')) {
      await refundItems(tx, { orderId: record.orderId, step: `refund:${jobIds.join('+')}`, ...refund });
    }
    for (const { printOrderId, trackingCode, trackingLink } of pick('tracking_code')) {
      await tx`
        UPDATE planned_shipments SET tracking_code = coalesce(${trackingCode}, tracking_code),
          tracking_link = coalesce(${trackingLink}, tracking_link)
        WHERE print_order_id = ${printOrderId}`;
    }
    await enqueueOrderNotifications(tx, { orderId: record.orderId });
  });
}

/**
 * @param which orders it writes to: `all`, or those `untold`, whose client has no endpoint for notifications
 * @returns whether it wrote: the step is new
 */
async function writeStatuses(tx: Queryable, record: RunRecord, which: 'all' | 'untold'): Promise<boolean> {
  const { refusal, position, version, follows } = record;
  const log = record.effects.flatMap((effect) =>
    effect.type !== 'log'
      ? []
      : [
          {
            type: effect.event,
            order_item_id: effect.itemId ?? null,
            print_order_id: effect.printOrderId ?? null,
            data: effect.data ?? {},
          },
        ],
  );
  const rows = await tx`
    WITH changed_order AS (
      UPDATE orders SET fulfillment_status = ${record.fulfillmentStatus},
        financial_status = coalesce(${record.financialStatus}, financial_status),
        attention = ${record.attention.length > 0 ? record.attention.join(' ') : null},
        refusal_reason = ${refusal?.reason ?? null}, refusal_reason_code = ${refusal?.code ?? null},
        refusal_reason_details = ${refusal?.details ? json(tx, refusal.details) : null},
        run_position = ${position}, run_version = ${version}, updated_at = now()
      WHERE id = ${record.orderId} AND (run_position, run_version) < (${position}::bigint, ${version}::bigint)
        AND (${which === 'all'} OR NOT EXISTS (
          SELECT 1 FROM webhook_endpoints e WHERE e.client_id = orders.client_id AND e.enabled))
      RETURNING id
    ), changed_items AS (
      UPDATE order_items SET fulfillment_status = i.status
      FROM jsonb_to_recordset(${json(tx, record.items)}) AS i (id bigint, status text), changed_order
      WHERE order_items.id = i.id AND order_items.order_id = changed_order.id
        AND order_items.fulfillment_status <> i.status
    ), changed_jobs AS (
      UPDATE print_jobs SET status = j.status, quantity = j.quantity
      FROM jsonb_to_recordset(${json(tx, record.jobs)}) AS j (id bigint, status text, quantity int), changed_order
      WHERE print_jobs.id = j.id AND (print_jobs.status, print_jobs.quantity) <> (j.status, j.quantity)
    ), changed_print_orders AS (
      UPDATE print_orders SET status = p.status
      FROM jsonb_to_recordset(${json(tx, record.printOrders)}) AS p (id bigint, status text), changed_order
      WHERE print_orders.id = p.id AND print_orders.order_id = changed_order.id AND print_orders.status <> p.status
    ), unsaid AS (
      DELETE FROM order_events e USING changed_order
      WHERE e.order_id = changed_order.id AND ${follows !== null}
        AND (e.run_position, e.run_version) > (${follows?.position ?? 0}::bigint, ${follows?.version ?? 0}::bigint)
    ), logged AS (
      INSERT INTO order_events (order_id, order_item_id, print_order_id, type, data, run_position, run_version)
      SELECT changed_order.id, e.order_item_id, e.print_order_id, e.type, e.data, ${position}, ${version}
      FROM changed_order, jsonb_to_recordset(${json(tx, log)}) AS e (
        type text, order_item_id bigint, print_order_id bigint, data jsonb)
    ), handled AS (
      UPDATE postbacks SET handled_at = now() FROM changed_order
      WHERE postbacks.id = ANY(${[...record.handledPostbacks]}::bigint[])
    )
    SELECT id FROM changed_order`;
  return rows.length > 0;
}
