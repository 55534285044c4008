import type { Queryable } from '../platform/postgres';
import type { NotifiedSnapshot, OrderView } from './domain/order-changes';

/** Statuses whose reason a client wants to read. */
const EXPLAINED = ['failed', 'manual_handling', 'on_hold', 'cancelled'];

/** Print jobs that no parcel will come of. */
const ENDED_JOBS = ['cancelled', 'superseded'];

/** Reads how an order stands within the caller's transaction, and what its client was last told. */
export async function readOrderView(
  tx: Queryable,
  orderId: string,
): Promise<{ view: OrderView; notified: NotifiedSnapshot | null } | undefined> {
  const [row] = await tx<(OrderView & { notified: NotifiedSnapshot | null })[]>`
    SELECT o.id AS order_id, o.order_reference_id, o.fulfillment_status, o.metadata, o.refusal_reason,
      s.min_delivery_date::text, s.max_delivery_date::text, t.snapshot AS notified,
      (SELECT coalesce(jsonb_agg(jsonb_build_object(
          'id', i.id::text, 'itemReferenceId', i.item_reference_id, 'status', i.fulfillment_status,
          'metadata', i.metadata, 'comment', CASE WHEN i.fulfillment_status = ANY(${EXPLAINED}) THEN coalesce(
            (SELECT e.data ->> 'message' FROM order_events e
             WHERE e.order_id = o.id AND (e.order_item_id = i.id OR e.order_item_id IS NULL) AND e.data ->> 'message' <> ''
             ORDER BY e.id DESC LIMIT 1), o.refusal_reason) END,
          'fulfillments', coalesce(f.fulfillments, '[]')) ORDER BY i.position), '[]')
       FROM order_items i
       LEFT JOIN LATERAL (
         SELECT jsonb_agg(jsonb_build_object(
           'trackingCode', coalesce(k.tracking_number, p.tracking_code),
           'trackingUrl', CASE WHEN k.tracking_number IS NULL THEN p.tracking_link ELSE k.tracking_url END,
           'shipmentMethodName', p.shipment_method_name, 'shipmentMethodUid', p.shipment_method_uid,
           'fulfillmentCountry', p.fulfillment_country, 'fulfillmentStateProvince', p.fulfillment_state,
           'fulfillmentFacilityId', p.fulfillment_facility_id) ORDER BY j.id, k.position) AS fulfillments
         FROM print_jobs j
         JOIN planned_shipments p ON p.print_order_id = j.print_order_id
         -- Labels that we bought speak before what a partner wrote in a postback.
         LEFT JOIN shipments sh ON sh.print_order_id = j.print_order_id AND sh.status = 'bought'
         LEFT JOIN shipment_packages k ON k.shipment_id = sh.id
         WHERE j.order_item_id = i.id AND j.status <> ALL(${ENDED_JOBS})
       ) f ON true
       WHERE i.order_id = o.id) AS items
    FROM orders o
    LEFT JOIN LATERAL (
      SELECT min(min_delivery_date) AS min_delivery_date, max(max_delivery_date) AS max_delivery_date
      FROM planned_shipments p
      WHERE p.order_id = o.id AND EXISTS (
        SELECT FROM print_jobs j WHERE j.print_order_id = p.print_order_id AND j.status <> ALL(${ENDED_JOBS}))
    ) s ON true
    LEFT JOIN notified_states t ON t.order_id = o.id
    WHERE o.id = ${orderId}`;
  if (row === undefined) return undefined;
  const { notified, ...view } = row;
  return { view, notified };
}
