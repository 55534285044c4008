import { z } from 'zod';
import type { Queryable } from '../../platform/postgres';
import { PRINT_ORDER_STAGES } from '../domain/lifecycle/statuses';

/** A print order with the messages that its partner got. */
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

/** Returns the print orders of an order, oldest first. */
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
