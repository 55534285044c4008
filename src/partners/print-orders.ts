import { z } from 'zod';
import { timestamp } from '../platform/domain/fields';
import type { Queryable } from '../platform/postgres';
import { POSTBACK_STATUSES } from './domain/partner-protocol';
import type { PrintOrderBody } from './message-schemas';

export interface AddressedPrintOrder {
  /** Decimal string. */
  readonly id: string;
  readonly orderId: string;
  readonly status: string;
  readonly jobs: readonly { readonly id: string; readonly partIds: readonly string[] }[];
  /** JSON as it was sent first. Null before. */
  readonly body: string | null;
}

export const isPrintOrderId = (text: string): boolean => /^\d{1,18}$/.test(text);

export async function printOrderOfPartner(
  sql: Queryable,
  partnerId: string,
  printOrderId: string,
): Promise<AddressedPrintOrder | null> {
  if (!isPrintOrderId(printOrderId)) return null;
  const [printOrder] = await sql<AddressedPrintOrder[]>`
    SELECT p.id, p.order_id, p.status, p.body,
      (SELECT jsonb_agg(jsonb_build_object('id', j.id::text, 'partIds', j.part_ids::text[]))
       FROM print_jobs j WHERE j.print_order_id = p.id) AS jobs
    FROM print_orders p WHERE p.id = ${printOrderId} AND p.partner_id = ${partnerId}`;
  return printOrder ?? null;
}

/** Returns the id of the print job that an item id stands for: the job's id or the id of one of its parts. */
export function jobOfItem({ jobs }: Pick<AddressedPrintOrder, 'jobs'>, orderItemId: string): string | undefined {
  return jobs.find(({ id, partIds }) => id === orderItemId || partIds.includes(orderItemId))?.id;
}

/** Returns the units of an item, or of a part, in the print order as it was sent first. Undefined when it was not sent. */
export function unitsOfItem({ body }: AddressedPrintOrder, orderItemId: string): number | undefined {
  if (body === null) return undefined;
  for (const item of (JSON.parse(body) as PrintOrderBody).items) {
    const found = ('parts' in item ? item.parts : [item]).find(({ id }) => id === orderItemId);
    if (found !== undefined) return found.count;
  }
  return undefined;
}

/**
 * Status of a print order in lists of its partner: that of the job that is least far along. `sent` covers the time
 * before the `received` postback.
 */
export const PRINT_ORDER_STATUSES = ['sent', 'received', 'printed', 'shipped', 'manual_handling', 'cancelled'] as const;
export type PrintOrderStatus = (typeof PRINT_ORDER_STATUSES)[number];

export interface SentPrintOrder {
  readonly id: string;
  readonly status: PrintOrderStatus;
  /** 1 is the first delivery. Order updates count from 2. */
  readonly revision: number;
  readonly body: PrintOrderBody;
}

/** Job statuses of print orders that are not finished. A partial index covers them. */
const openJobs = (sql: Queryable) => sql`('planned', 'passed', 'in_production', 'printed', 'manual_handling')`;

const statusOf = (sql: Queryable) => sql`
  (SELECT CASE
     WHEN count(*) FILTER (WHERE j.status NOT IN ('cancelled', 'superseded')) = 0 THEN 'cancelled'
     WHEN bool_or(j.status = 'manual_handling') THEN 'manual_handling'
     WHEN bool_or(j.status IN ('planned', 'passed')) THEN 'sent'
     WHEN bool_or(j.status = 'in_production') THEN 'received'
     WHEN bool_or(j.status = 'printed') THEN 'printed'
     ELSE 'shipped' END
   FROM print_jobs j WHERE j.print_order_id = p.id)`;

interface SentFilter {
  readonly id?: string;
  readonly status?: PrintOrderStatus | undefined;
  /** Id of the last print order of the previous page. */
  readonly after?: string | undefined;
  readonly limit: number;
}

export async function listSentPrintOrders(
  sql: Queryable,
  partnerId: string,
  { id, status, after, limit }: SentFilter,
): Promise<SentPrintOrder[]> {
  if (id !== undefined && !isPrintOrderId(id)) return [];
  const isOpen = status !== undefined && status !== 'shipped' && status !== 'cancelled';
  const rows = await sql<(Omit<SentPrintOrder, 'body'> & { readonly body: string })[]>`
    SELECT * FROM (
      SELECT p.id, ${statusOf(sql)} AS status, coalesce(u.revision, 1) AS revision, coalesce(u.body, p.body) AS body
      FROM print_orders p LEFT JOIN LATERAL (
        SELECT revision, body FROM print_order_updates WHERE print_order_id = p.id ORDER BY revision DESC LIMIT 1
      ) u ON true
      WHERE p.partner_id = ${partnerId} AND p.body IS NOT NULL
        ${id === undefined ? sql`` : sql`AND p.id = ${id}`}
        ${after === undefined ? sql`` : sql`AND p.id < ${after}`}
        ${isOpen ? sql`AND p.id IN (SELECT print_order_id FROM print_jobs WHERE status IN ${openJobs(sql)})` : sql``}
        ${status === 'cancelled' ? sql`AND p.status = 'cancelled'` : sql``}
    ) sent
    ${status === undefined ? sql`` : sql`WHERE status = ${status}`}
    ORDER BY id DESC LIMIT ${limit}`;
  return rows.map(({ body, ...row }) => ({ ...row, body: JSON.parse(body) as PrintOrderBody }));
}

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

/** Returns a page of the postbacks of a partner, newest first. @param page `after`: id of the previous page's last one */
export async function postbacksOfPartner(
  sql: Queryable,
  partnerId: string,
  page: { readonly limit: number; readonly after?: string | undefined },
): Promise<PartnerPostback[]> {
  const { limit, after } = page;
  return await sql<PartnerPostback[]>`
    SELECT b.id, b.order_id, b.print_order_id, b.body ->> 'status' AS status, b.body ->> 'message' AS message,
      b.body ->> 'trackingCode' AS tracking_code, b.received_at, b.handled_at
    FROM postbacks b
    WHERE b.partner_id = ${partnerId} ${after === undefined ? sql`` : sql`AND b.id < ${after}`}
    ORDER BY b.id DESC LIMIT ${limit}`;
}
