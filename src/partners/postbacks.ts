import { z } from 'zod';
import { timestamp } from '../platform/domain/fields';
import type { Queryable } from '../platform/postgres';
import { POSTBACK_STATUSES } from './domain/postback-status';

/** A postback of a partner, as operators read it. */
export const partnerPostbackSchema = z
  .object({
    id: z.string(),
    orderId: z.string(),
    printOrderId: z.string(),
    status: z.enum(POSTBACK_STATUSES),
    message: z.string().nullable(),
    trackingCode: z.string().nullable(),
    receivedAt: timestamp,
    handledAt: timestamp.nullable().describe('Null: the workflow has not handled it yet.'),
  })
  .meta({ id: 'PartnerPostback' });

type PartnerPostback = z.output<typeof partnerPostbackSchema>;

/** Returns a page of the postbacks of a partner, newest first. @param page `before`: id of the previous page's last one */
export async function postbacksOfPartner(
  sql: Queryable,
  partnerId: string,
  page: { readonly limit: number; readonly before?: string | undefined },
): Promise<PartnerPostback[]> {
  const { limit, before } = page;
  return await sql<PartnerPostback[]>`
    SELECT b.id, b.order_id, b.print_order_id, b.body ->> 'status' AS status, b.body ->> 'message' AS message,
      b.body ->> 'trackingCode' AS tracking_code, b.received_at, b.handled_at
    FROM postbacks b
    WHERE b.partner_id = ${partnerId} ${before === undefined ? sql`` : sql`AND b.id < ${before}`}
    ORDER BY b.id DESC LIMIT ${limit}`;
}
