import { randomUUID } from 'node:crypto';
import type { Sql } from '../../../src/platform/postgres';
import { testAccount } from '../api-deps';

/** Inserts an order without items, for tests of rows that belong to an order. Returns its id. */
export async function insertOrder(sql: Sql, clientId?: string): Promise<string> {
  const client = clientId ?? (await testAccount(sql, 'client')).id;
  const id = randomUUID();
  await sql`
    INSERT INTO orders (id, client_id, order_reference_id, order_type, fulfillment_status, financial_status, currency,
                        shipping_address)
    VALUES (${id}, ${client}, 'ref', 'order', 'created', 'pending', 'EUR', '{}')`;
  return id;
}
