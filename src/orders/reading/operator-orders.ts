import { z } from 'zod';
import { json, type Queryable } from '../../platform/postgres';
import { itemMembers } from '../domain/item-fields';
import { type RequestedBy, requestedBy } from '../domain/lifecycle/requests';
import { ENDED_ORDERS, PRINT_ORDER_STAGES } from '../domain/lifecycle/statuses';
import { dispatchDueAt } from '../planning/print-order-rows';
import { type ArchivedRows, withRows } from './archived-tables';
import { LISTED_POSTBACKS, type OperatorOrder } from './operator-order-schemas';
import { eventsAsJson } from './order-reader';

/** Returns null when there is no such order. @param archived its rows, when it is archived */
export async function operatorOrder(
  sql: Queryable,
  orderId: string,
  archived: ArchivedRows | null = null,
): Promise<OperatorOrder | null> {
  const [order] = await sql<OperatorOrder[]>`
    ${withRows(sql, archived)} wanted AS (SELECT ${orderId}::uuid AS id)
    SELECT ${archived !== null} AS archived, o.id, o.order_reference_id, o.client_id, a.name AS client_name, o.fulfillment_status, o.financial_status,
      o.shipping_address ->> 'country' AS country, coalesce(o.attention, '{}') AS attention, o.shipping_revision,
      o.reprint_of, ARRAY(SELECT n.id::text FROM orders n WHERE n.reprint_of = o.id ORDER BY n.id) AS reprints,
      o.request_id, o.created_at, o.updated_at, o.tracking_ended_at,
      CASE WHEN o.refusal_reason_code IS NOT NULL THEN jsonb_build_object('code', o.refusal_reason_code,
        'reason', coalesce(o.refusal_reason, ''), 'details', o.refusal_reason_details) END AS refusal,
      to_jsonb(ARRAY(
        SELECT jsonb_build_object(${itemMembers(sql, ['id', 'itemReferenceId', 'quantity', 'fulfillmentStatus'])},
          'productUid', i.product ->> 'productUid', 'productName', i.product ->> 'name',
          'surplusLabels', greatest(0, coalesce(labelled.units, 0) - (
            SELECT coalesce(sum(j.quantity - j.cancelled_quantity), 0) FROM print_jobs j
            WHERE j.order_item_id = i.id AND j.status NOT IN ('cancelled', 'superseded'))))
        FROM order_items i LEFT JOIN (
          SELECT u ->> 'itemReferenceId' AS reference, sum((u ->> 'quantity')::int) AS units
          FROM print_orders p JOIN shipments s ON s.print_order_id = p.id AND s.status = 'bought'
          JOIN shipment_packages k ON k.shipment_id = s.id AND k.left_out_at IS NULL CROSS JOIN jsonb_array_elements(k.items) u
          WHERE p.order_id = o.id GROUP BY 1) labelled ON labelled.reference = i.item_reference_id
        WHERE i.order_id = o.id ORDER BY i.position)) AS items,
      to_jsonb(ARRAY(
        SELECT jsonb_build_object('id', p.id::text, 'partnerId', p.partner_id, 'partnerUid', pa.uid, 'kind', p.kind,
          'version', p.version, 'step', p.step, 'status', p.status, 'reproducesId', p.reproduces_id::text,
          'messageId', p.message_id, 'acceptedAt', p.accepted_at, 'dispatchDate', p.dispatch_date,
          'dispatchDueAt', ${dispatchDueAt(sql)}, 'createdAt', p.created_at,
          'promise', (
            SELECT jsonb_build_object('methodUid', l.shipment_method_uid, 'methodName', l.shipment_method_name,
              'minDeliveryDate', l.min_delivery_date, 'maxDeliveryDate', l.max_delivery_date,
              'initialMinDeliveryDate', l.initial_min_delivery_date, 'initialMaxDeliveryDate', l.initial_max_delivery_date)
            FROM planned_shipments l WHERE l.print_order_id = p.id),
          'jobs', ARRAY(
            SELECT jsonb_build_object('id', j.id::text, 'itemId', j.order_item_id::text, 'quantity', j.quantity,
              'cancelledQuantity', j.cancelled_quantity, 'status', j.status)
            FROM print_jobs j WHERE j.print_order_id = p.id ORDER BY j.id),
          'shipments', ARRAY(
            SELECT jsonb_build_object('id', s.id, 'status', s.status, 'shipmentMethodUid', s.method_uid,
              'startedAt', s.started_at, 'boughtAt', s.bought_at, 'voidedAt', s.voided_at, 'trackingNumbers', ARRAY(
                SELECT k.tracking_number FROM shipment_packages k WHERE k.shipment_id = s.id ORDER BY k.position))
            FROM shipments s WHERE s.print_order_id = p.id ORDER BY s.started_at),
          'postbacks', ARRAY(
            SELECT b.body || jsonb_build_object('id', b.id::text, 'receivedAt', b.received_at, 'handledAt', b.handled_at,
              'repetitions', b.repetitions)
            FROM (
              SELECT * FROM postbacks b WHERE b.print_order_id = p.id AND b.order_id = o.id ORDER BY b.id DESC LIMIT ${LISTED_POSTBACKS}
            ) b ORDER BY b.id),
          'postbackCount', (SELECT count(*) FROM postbacks b WHERE b.print_order_id = p.id AND b.order_id = o.id))
        FROM print_orders p JOIN partners pa ON pa.account_id = p.partner_id WHERE p.order_id = o.id ORDER BY p.id)) AS print_orders,
      to_jsonb(ARRAY(
        SELECT jsonb_build_object('trackingNumber', t.tracking_number, 'trackingUrl', t.url,
          'printOrderId', t.print_order_id::text, 'shipmentId', t.shipment_id, 'carrier', t.carrier, 'status', t.status_uid,
          'expectedDeliveryDate', t.expected_delivery_date, 'checkedAt', t.checked_at, 'voided', t.voided)
        FROM (
          SELECT t.tracking_number, coalesce(k.tracking_url, t.tracking_url) AS url, p.id AS print_order_id, s.id AS shipment_id,
            coalesce(t.carrier_name, s.carrier_name, t.carrier_uid) AS carrier, t.status_uid, t.expected_delivery_date, t.checked_at,
            t.created_at, s.voided_at IS NOT NULL OR k.left_out_at IS NOT NULL AS voided
          FROM print_orders p JOIN shipments s ON s.print_order_id = p.id JOIN trackings t ON t.shipment_id = s.id
          LEFT JOIN shipment_packages k ON k.shipment_id = s.id AND k.tracking_number = t.tracking_number
          WHERE p.order_id = o.id
          UNION ALL
          SELECT t.tracking_number, t.tracking_url, p.id, NULL, coalesce(t.carrier_name, t.carrier_uid), t.status_uid,
            t.expected_delivery_date, t.checked_at, t.created_at, false
          FROM print_orders p JOIN trackings t ON t.print_order_id = p.id WHERE p.order_id = o.id) AS t
        ORDER BY t.created_at, t.tracking_number)) AS parcels,
      to_jsonb(ARRAY(
        SELECT jsonb_build_object('id', c.id, 'reason', c.reason, 'status', c.status, 'items', ARRAY(
            SELECT u - 'refusals' FROM jsonb_array_elements(c.items) u), 'note', c.note,
          'pictures', c.pictures, 'madeBy', c.made_by, 'liable', c.liable, 'message', c.message,
          'replacementOrderId', c.replacement_id, 'createdAt', c.created_at, 'decidedAt', c.decided_at)
        FROM claims c WHERE c.order_id = o.id ORDER BY c.id)) AS claims,
      ${eventsAsJson(sql)} AS events
    FROM wanted JOIN orders o USING (id) JOIN accounts a ON a.id = o.client_id`;
  return order ?? null;
}

/**
 * Dismisses the attention reasons of an order that has ended, and records them in its event log.
 * @returns `open` for an order that has not ended, whose workflow derives the reasons; `nothing` for an order without reasons
 */
export async function dismissAttention(
  sql: Queryable,
  orderId: string,
  request: RequestedBy,
): Promise<'dismissed' | 'open' | 'nothing'> {
  const [row] = await sql<{ ended: boolean; dismissed: boolean }[]>`
    WITH found AS (
      SELECT id, attention, fulfillment_status = ANY(${[...ENDED_ORDERS]}) OR tracking_ended_at IS NOT NULL AS ended FROM orders
      WHERE id = ${orderId} AND attention IS NOT NULL FOR UPDATE),
    dismissed AS (
      UPDATE orders SET attention = NULL, updated_at = now() FROM found WHERE orders.id = found.id AND ended
      RETURNING orders.id, found.attention),
    logged AS (
      INSERT INTO order_events (order_id, type, data)
      SELECT id, 'dismiss', ${json(sql, requestedBy(request))}::jsonb || jsonb_build_object('attention', to_jsonb(attention)) FROM dismissed)
    SELECT ended, EXISTS (SELECT FROM dismissed) AS dismissed FROM found`;
  if (row === undefined) return 'nothing';
  return row.dismissed ? 'dismissed' : 'open';
}

export const sentPrintOrderSchema = z.object({
  id: z.string(),
  partnerId: z.string(),
  partnerUid: z.string(),
  status: z.enum(PRINT_ORDER_STAGES),
  messages: z
    .array(
      z.object({
        revision: z.int().describe('1 is the first delivery. Order updates count from 2.'),
        messageId: z.string().describe('`webhook-id` of every attempt.'),
        body: z.record(z.string(), z.unknown()).describe('The message as sent.'),
        acceptedAt: z.iso.datetime({ offset: true }).nullable(),
      }),
    )
    .describe('Empty before the first delivery.'),
});
type SentPrintOrder = z.output<typeof sentPrintOrderSchema>;

export async function sentMessages(sql: Queryable, orderId: string): Promise<SentPrintOrder[]> {
  return await sql<SentPrintOrder[]>`
    SELECT p.id, p.partner_id, pa.uid AS partner_uid, p.status,
      to_jsonb(ARRAY(
        SELECT jsonb_build_object('revision', m.revision, 'messageId', m.message_id, 'body', m.body::jsonb,
          'acceptedAt', m.accepted_at)
        FROM (
          SELECT 1 AS revision, p.message_id, p.body, p.accepted_at WHERE p.body IS NOT NULL
          UNION ALL
          SELECT u.revision, u.message_id, u.body, u.accepted_at FROM print_order_updates u WHERE u.print_order_id = p.id
        ) m ORDER BY m.revision)) AS messages
    FROM print_orders p JOIN partners pa ON pa.account_id = p.partner_id
    WHERE p.order_id = ${orderId} ORDER BY p.id`;
}
