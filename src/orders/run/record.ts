import { enqueueOrderNotifications } from '../../notifications/enqueue';
import { inTransaction, json, type Queryable, type Sql } from '../../platform/postgres';
import { settleReservations } from '../../procurement/reservations';
import { followPartnerTracking } from '../../shipping/partner-tracking';
import type { RunEffect } from '../domain/lifecycle/run-events';
import type { RunRecord } from '../domain/run/run-messages';
import { refundItems } from '../receipts/receipts';
import type { RecordedChange } from './run-metrics';

/**
 * Writes the result of a step of the order workflow in one transaction: statuses, event log, stock, refunds and
 * notifications. A repeated step, or one that a later step has overtaken, changes nothing. When Temporal loses a workflow
 * task, the step runs again at a later position, possibly with more events. It then replaces what the lost attempt
 * wrote: its log entries are deleted, and its stock movements and refunds are recognized by their print jobs.
 * @returns what changed about the order, or null when nothing was written
 */
export async function recordRun(sql: Sql, record: RunRecord): Promise<RecordedChange | null> {
  // One statement is one transaction: one round trip instead of four when only statuses and log change and no endpoint is notified.
  if (record.effects.every(({ type }) => type === 'log')) {
    const change = await writeStatuses(sql, record, 'without-endpoints');
    if (change !== null) return change;
  }
  return await inTransaction(sql, async (tx) => {
    const change = await writeStatuses(tx, record, 'all');
    if (change === null) return null;
    const pick = <T extends RunEffect['type']>(type: T) =>
      record.effects.filter((effect): effect is Extract<RunEffect, { type: T }> => effect.type === type);
    const printed = pick('consume_stock').flatMap(({ jobs }) => jobs);
    const cancelled = pick('release_stock').flatMap(({ jobIds }) => jobIds);
    // One call, because stock rows must be locked in one order, once in a transaction.
    if (printed.length + cancelled.length > 0) await settleReservations(tx, { printed, cancelled });
    for (const { jobIds, ...refund } of pick('refund')) {
      await refundItems(tx, { orderId: record.orderId, step: `refund:${jobIds.join('+')}`, ...refund });
    }
    for (const { printOrderId, jobId, trackingCode, trackingLink } of pick('tracking_code')) {
      // A partner can repeat the tracking number of our label. That is not its own code.
      if (jobId !== null) {
        await tx`
          UPDATE print_jobs SET tracking_code = coalesce(${trackingCode}, tracking_code),
            tracking_link = coalesce(${trackingLink}, tracking_link)
          WHERE id = ${jobId} AND print_order_id = ${printOrderId} AND NOT EXISTS (
            SELECT FROM shipment_packages k JOIN shipments h ON h.id = k.shipment_id
            WHERE h.print_order_id = ${printOrderId} AND k.tracking_number = ${trackingCode})`;
      }
      await tx`
        UPDATE planned_shipments SET tracking_code = coalesce(${trackingCode}, tracking_code),
          tracking_link = coalesce(${trackingLink}, tracking_link)
        WHERE print_order_id = ${printOrderId}`;
      if (trackingCode !== null)
        await followPartnerTracking(tx, { printOrderId, trackingCode, trackingLink });
    }
    await enqueueOrderNotifications(tx, { orderId: record.orderId });
    return change;
  });
}

/**
 * Writes statuses and log entries.
 * @param which `without-endpoints` writes only when the client has no enabled endpoint for notifications
 * @returns what it changed; null for a step that is already recorded
 */
async function writeStatuses(
  tx: Queryable,
  record: RunRecord,
  which: 'all' | 'without-endpoints',
): Promise<RecordedChange | null> {
  const { refusal, position, version, follows } = record;
  const refunds = record.effects.some(({ type }) => type === 'refund');
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
  const [change] = await tx<RecordedChange[]>`
    WITH before AS (
      SELECT fulfillment_status FROM orders WHERE id = ${record.orderId}
    ), changed_order AS (
      UPDATE orders SET fulfillment_status = ${record.fulfillmentStatus},
        -- A record repeats the workflow's status. It applies when it has changed, or with a refund.
        financial_status = CASE WHEN ${refunds} OR ${record.financialStatus}::text <> coalesce(run_financial_status, financial_status)
          THEN coalesce(${record.financialStatus}, financial_status) ELSE financial_status END,
        run_financial_status = coalesce(${record.financialStatus}, run_financial_status),
        attention = ${record.attention.length > 0 ? [...record.attention] : null},
        tracking_ended_at = CASE WHEN ${hasTrackingEnded(record)} THEN now() ELSE tracking_ended_at END,
        refusal_reason = ${refusal?.reason ?? null}, refusal_reason_code = ${refusal?.code ?? null},
        refusal_reason_details = ${refusal?.details ? json(tx, refusal.details) : null},
        run_position = ${position}, run_version = ${version}, updated_at = now()
      WHERE id = ${record.orderId} AND (run_position, run_version) < (${position}::bigint, ${version}::bigint)
        AND (${which === 'all'} OR NOT EXISTS (
          SELECT 1 FROM webhook_endpoints e WHERE e.client_id = orders.client_id AND e.enabled))
      RETURNING id, ordered_at
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
    ), overwritten AS (
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
    SELECT before.fulfillment_status AS before, ${record.fulfillmentStatus}::text AS after,
      greatest(0, extract(epoch FROM now() - ordered_at))::float8 AS age_seconds
    FROM changed_order, before`;
  return change ?? null;
}

/** Returns true for the record with which a run ends because nobody follows its parcels. */
function hasTrackingEnded({ effects }: RunRecord): boolean {
  return effects.some((effect) => effect.type === 'log' && effect.event === 'untracked_order_ended');
}
