import { uuidv7 } from '../../../src/platform/ids';
import type { Sql } from '../../../src/platform/postgres';

/** Inserts a print order whose message is stored, with its plan, as an order run does before the first delivery. */
export async function plannedPrintOrder(
  sql: Sql,
  { orderId, partnerId, body }: { readonly orderId: string; readonly partnerId: string; readonly body: object },
): Promise<string> {
  const [row] = await sql<{ id: string }[]>`
    INSERT INTO print_orders (order_id, partner_id, step, kind, version, status, message_id, body, body_shipping_revision, dispatch_date)
    VALUES (${orderId}, ${partnerId}, 'handoff:0', 'print', '1.1', 'planned', ${`msg_${uuidv7()}`}, ${JSON.stringify(body)}, 0, '2026-01-09')
    RETURNING id`;
  await sql`
    INSERT INTO planned_shipments (id, order_id, print_order_id, carrier_uid, shipment_method_uid, shipment_method_name,
      service_type, is_cheapest, package_count, total_weight_grams, price_minor, currency, min_delivery_days,
      max_delivery_days, min_delivery_date, max_delivery_date, initial_min_delivery_date, initial_max_delivery_date,
      fulfillment_country, fulfillment_facility_id)
    VALUES (${uuidv7()}, ${orderId}, ${row!.id}, 'tern', 'tern_parcel', 'Tern Parcel', 'standard', true, 1, 500,
      499, 'EUR', 2, 4, '2026-05-04', '2026-05-06', '2026-05-04', '2026-05-06', 'DE', 'prints-berlin')`;
  return row!.id;
}
