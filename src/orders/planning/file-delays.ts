import type { z } from 'zod';
import { EVENT_SCHEMAS, type NotifiedOrder } from '../../notifications/domain/event-schemas';
import { enqueueEvent } from '../../notifications/enqueue';
import { notifiedOrder } from '../../notifications/order-view';
import { inTransaction, json, type Sql } from '../../platform/postgres';

/** Milliseconds after the first attempt at which the client is told that files are not fetched. */
const TOLD_AFTER_MS = 5 * 60_000;

export const fileDelay = EVENT_SCHEMAS.order_files_delayed.schema
  .pick({ message: true, attempts: true, nextAttemptAt: true })
  .meta({ id: 'FileDelay' });
export type FileDelay = z.output<typeof fileDelay>;

/**
 * Stores why files of an order are not fetched yet. Tells the client once, in the log and with a notification, when the
 * next attempt is later than TOLD_AFTER_MS.
 * @param since time of the first attempt, in milliseconds since 1970
 */
export async function recordFileDelay(sql: Sql, orderId: string, since: number, delay: FileDelay): Promise<void> {
  const isLong = Date.parse(delay.nextAttemptAt) - since >= TOLD_AFTER_MS;
  await inTransaction(sql, async (tx) => {
    const [told] = await tx<{ order: NotifiedOrder; metadata: readonly unknown[] }[]>`
      WITH delayed AS (UPDATE orders SET file_delay = ${json(tx, delay)}, updated_at = now() WHERE id = ${orderId}),
      told AS (
        INSERT INTO order_events (order_id, type, data)
        SELECT ${orderId}, 'files_delayed', ${json(tx, { ...delay, since })} WHERE ${isLong} AND NOT EXISTS (
          SELECT FROM order_events WHERE order_id = ${orderId} AND type = 'files_delayed' AND data -> 'since' = to_jsonb(${since}::bigint))
        RETURNING order_id)
      SELECT ${notifiedOrder(tx)} AS "order", o.metadata FROM told JOIN orders o ON o.id = told.order_id`;
    if (told === undefined) return;
    const { order, metadata } = told;
    await enqueueEvent(tx, { event: 'order_files_delayed', payload: { ...order, metadata, ...delay } });
  });
}
