import type { Fragment, Queryable } from '../../platform/postgres';

/**
 * Returns the query of the lines that reports add up. An order has lines of these kinds, in the order of `order_id`:
 * `item`: an item at a partner, or at none yet; `revenue`: a line of a receipt; `cost`: what a partner or a label costs;
 * `parcel`; `error`: a print order about which its partner reported an error; `claim`: a claim for which its partner or its
 * carrier has to pay. Counts are in lines with the currency of the
 * order; costs have their own. Amounts are minor units.
 * @param orders condition on the orders `o`
 */
export const reportLines = (sql: Queryable, orders: Fragment): Fragment => sql`(
  WITH reported AS (
    SELECT o.id, o.client_id, o.shipping_address ->> 'country' AS country, o.currency, o.reprint_of IS NOT NULL AS is_reprint FROM orders o
    WHERE o.order_type = 'order' AND (${orders})
  ), jobs AS (
    SELECT r.*, i.id AS item_id, coalesce(i.product_uid, i.product ->> 'productUid') AS product_uid, p.partner_id, s.carrier_uid,
      CASE WHEN p.accepted_at IS NOT NULL AND j.status <> 'cancelled' THEN j.quantity ELSE 0 END AS units
    FROM reported r JOIN order_items i ON i.order_id = r.id LEFT JOIN print_jobs j ON j.order_item_id = i.id
    LEFT JOIN print_orders p ON p.id = j.print_order_id LEFT JOIN planned_shipments s ON s.print_order_id = p.id
  ), packages AS (
    SELECT r.*, p.partner_id, h.carrier_uid, k.cost_minor, k.currency AS cost_currency,
      h.voided_at IS NOT NULL OR k.left_out_at IS NOT NULL AS is_voided, s.initial_max_delivery_date AS promised,
      (SELECT min(c.occurred_at) FROM trackings t JOIN tracking_checkpoints c ON c.tracking_number = t.tracking_number
        AND c.generation = t.generation AND c.tracked_since = t.created_at AND c.status_uid = 'delivered'
       WHERE t.shipment_id = h.id AND t.tracking_number = k.tracking_number) AS delivered_at
    FROM reported r JOIN print_orders p ON p.order_id = r.id JOIN shipments h ON h.print_order_id = p.id
    JOIN shipment_packages k ON k.shipment_id = h.id LEFT JOIN planned_shipments s ON s.print_order_id = p.id
    UNION ALL
    SELECT r.*, p.partner_id, coalesce(t.carrier_uid, s.carrier_uid), 0, r.currency, false, s.initial_max_delivery_date,
      (SELECT min(c.occurred_at) FROM tracking_checkpoints c WHERE c.tracking_number = t.tracking_number
        AND c.generation = t.generation AND c.tracked_since = t.created_at AND c.status_uid = 'delivered')
    FROM reported r JOIN print_orders p ON p.order_id = r.id JOIN trackings t ON t.print_order_id = p.id
    LEFT JOIN planned_shipments s ON s.print_order_id = p.id
  )
  SELECT id AS order_id, 'item' AS kind, client_id, country, partner_id, carrier_uid, product_uid, currency, is_reprint, units,
    0::bigint AS revenue_minor, 0::bigint AS cost_minor, false AS is_delivered, false AS is_late FROM jobs
  UNION ALL
  SELECT r.id, 'revenue', r.client_id, r.country, p.partner_id, s.carrier_uid, coalesce(i.product_uid, i.product ->> 'productUid'), c.currency,
    r.is_reprint, 0, (line ->> 'price')::bigint, 0, false, false
  FROM reported r JOIN receipts c ON c.order_id = r.id CROSS JOIN jsonb_array_elements(c.body -> 'lines') AS line
  LEFT JOIN print_orders p ON p.id = c.print_order_id LEFT JOIN planned_shipments s ON s.print_order_id = p.id
  LEFT JOIN order_items i ON i.order_id = r.id AND line ->> 'type' = 'product' AND i.item_reference_id = line ->> 'referenceId'
  UNION ALL
  SELECT j.id, 'cost', j.client_id, j.country, j.partner_id, j.carrier_uid, j.product_uid, d.currency, j.is_reprint, 0, 0,
    round(d.minor * j.units / d.quantity)::bigint, false, false
  FROM jobs j CROSS JOIN LATERAL (
    SELECT a #>> '{productionCost,currency}' AS currency, (a #>> '{productionCost,minor}')::numeric AS minor,
      (a ->> 'quantity')::numeric AS quantity
    FROM routing_decisions d CROSS JOIN jsonb_array_elements(d.decision -> 'assignments') AS a
    WHERE d.order_id = j.id AND d.routed AND a ->> 'itemId' = j.item_id::text AND a ->> 'partnerId' = j.partner_id::text
    ORDER BY d.created_at DESC, d.step LIMIT 1) d
  WHERE j.units > 0
  UNION ALL
  SELECT id, 'cost', client_id, country, partner_id, carrier_uid, NULL, cost_currency, is_reprint, 0, 0, cost_minor, false, false
  FROM packages WHERE NOT is_voided AND cost_minor > 0
  UNION ALL
  SELECT id, 'parcel', client_id, country, partner_id, carrier_uid, NULL, currency, is_reprint, 0, 0, 0, delivered_at IS NOT NULL,
    coalesce((delivered_at AT TIME ZONE 'UTC')::date > promised, false)
  FROM packages WHERE NOT is_voided
  UNION ALL
  SELECT r.id, 'error', r.client_id, r.country, p.partner_id, s.carrier_uid, NULL, r.currency, r.is_reprint, 0, 0, 0, false, false
  FROM reported r JOIN print_orders p ON p.order_id = r.id LEFT JOIN planned_shipments s ON s.print_order_id = p.id
  WHERE EXISTS (SELECT FROM postbacks b
    WHERE b.print_order_id = p.id AND b.order_id = r.id AND b.body ->> 'status' = 'error')
  UNION ALL
  SELECT r.id, 'claim', r.client_id, r.country, CASE WHEN c.liable = 'partner' THEN c.partner_id END,
    CASE WHEN c.liable = 'carrier' THEN c.carrier_uid END, NULL, r.currency, r.is_reprint, 0, 0, 0, false, false
  FROM reported r JOIN claims c ON c.order_id = r.id WHERE c.liable IN ('partner', 'carrier')
)`;

/**
 * Returns the condition on orders `o` that a query names. Postgres takes a range of uuids for as many rows as are in the parts of
 * its histogram that the range touches, 20,000 of two million, and would read whole tables for a few orders.
 */
export const byTheirIds = (sql: Queryable, ids: Fragment): Fragment => sql`o.id = ANY(ARRAY(${ids}))`;
