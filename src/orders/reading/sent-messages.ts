import type { Queryable } from '../../platform/postgres';
import type { PrintOrderStage } from '../domain/lifecycle/statuses';

/** A message about a print order, as its partner got it. */
export interface SentMessage {
  /** 1 is the first delivery. Order updates count from 2. */
  readonly revision: number;
  readonly messageId: string;
  readonly body: Record<string, unknown>;
  readonly acceptedAt: string | null;
}

export interface PrintOrderMessages {
  readonly id: string;
  readonly partnerId: string;
  readonly partnerUid: string;
  readonly status: PrintOrderStage;
  /** Empty before the first delivery. */
  readonly messages: readonly SentMessage[] | null;
}

/** Returns the print orders of an order, oldest first, with the messages that their partners got. */
export async function sentMessages(sql: Queryable, orderId: string): Promise<PrintOrderMessages[]> {
  return await sql<PrintOrderMessages[]>`
    SELECT p.id, p.partner_id, pa.uid AS partner_uid, p.status,
      (SELECT jsonb_agg(jsonb_build_object('revision', m.revision, 'messageId', m.message_id, 'body', m.body::jsonb,
          'acceptedAt', m.accepted_at) ORDER BY m.revision)
        FROM (
          SELECT 1 AS revision, p.message_id, p.body, p.accepted_at WHERE p.body IS NOT NULL
          UNION ALL
          SELECT u.revision, u.message_id, u.body, u.accepted_at FROM print_order_updates u WHERE u.print_order_id = p.id
        ) m) AS messages
    FROM print_orders p JOIN partners pa ON pa.account_id = p.partner_id
    WHERE p.order_id = ${orderId} ORDER BY p.id`;
}
