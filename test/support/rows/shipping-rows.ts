import { uuidv7 } from '../../../src/platform/ids';
import { json, type Sql } from '../../../src/platform/postgres';
import type { ShipmentOwner } from '../../../src/shipping/shipments';

/** Inserts an empty shipping order of an account, and returns it as the owner of a shipment. */
export async function insertShippingOrder(
  sql: Sql,
  accountId: string,
): Promise<Extract<ShipmentOwner, { kind: 'shipping_order' }>> {
  const id = uuidv7();
  await sql`
    INSERT INTO shipping_orders (id, account_id, order_reference_id, fingerprint, consignment, method_uid, label, waiting_until)
    VALUES (${id}, ${accountId}, ${id}, '', ${json(sql, {})}, '', ${json(sql, {})}, now())`;
  return { kind: 'shipping_order', shippingOrderId: id };
}
