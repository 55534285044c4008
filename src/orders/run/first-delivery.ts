import { inTransaction, type Sql } from '../../platform/postgres';

/**
 * Keeps the activity that plans an order from delivering its print order. The run learns of a delivery when the activity ends.
 * Until then it takes no update: it withholds the delivery, or waits for its end. The row of the order decides which of the two
 * comes first: this statement changes it, and the one that stores the message of a first delivery locks it (`delivery.ts`).
 * @returns false when a message is stored already: the activity may be sending it, and is about to end
 */
export async function withholdDelivery(sql: Sql, orderId: string): Promise<boolean> {
  return await inTransaction(sql, async (tx) => {
    await tx`UPDATE orders SET delivery_withheld = true WHERE id = ${orderId}`;
    const stored = await tx`SELECT FROM print_orders WHERE order_id = ${orderId} AND body IS NOT NULL LIMIT 1`;
    return stored.length === 0;
  });
}
