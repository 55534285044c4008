import type { PendingQuery, Row } from 'postgres';
import { z } from 'zod';
import { timestamp } from '../platform/domain/fields';
import type { Queryable } from '../platform/postgres';

/** The log of requests to partners: each attempt with its status, duration and the beginning of its response. */

const PARTNER_REQUEST_KINDS = ['print_order', 'order_update', 'cancellation', 'ping'] as const;

export interface NewPartnerRequest {
  readonly partnerId: string;
  readonly kind: PartnerRequest['kind'];
  readonly printOrderId: string | null;
  /** Of an order update, as in its message. */
  readonly revision?: number;
  readonly attempt: PartnerAttempt;
}

/** An attempt of Pressline to send something to a partner. */
export const partnerRequestSchema = z
  .object({
    id: z.string(),
    kind: z.enum(PARTNER_REQUEST_KINDS),
    printOrderId: z.string().nullable().describe('Null for a test ping.'),
    revision: z.int().nullable().describe('Of an order update, as in its message.'),
    at: timestamp,
    durationMs: z.int(),
    status: z.int().nullable().describe('HTTP status. Null when there was no response.'),
    outcome: z
      .enum(['accepted', 'retry', 'refused'])
      .describe('`retry`: a transient failure. `refused`: the partner rejected the message.'),
    response: z.string().nullable().describe('Beginning of the response without credentials, or why there was none.'),
  })
  .meta({ id: 'PartnerRequest' });

export type PartnerRequest = z.output<typeof partnerRequestSchema>;

export type PartnerAttempt = Pick<PartnerRequest, 'at' | 'durationMs' | 'status' | 'outcome' | 'response'>;

/** Returns the insert of an attempt. Statements that record an accepted request contain it as a CTE. */
export function insertPartnerRequest(sql: Queryable, request: NewPartnerRequest): PendingQuery<Row[]> {
  const { partnerId, kind, printOrderId, revision = null, attempt } = request;
  return sql`
    INSERT INTO partner_requests (partner_id, print_order_id, kind, revision, at, duration_ms, status, outcome, response)
    VALUES (${partnerId}, ${printOrderId}, ${kind}, ${revision}, ${attempt.at}, ${attempt.durationMs}, ${attempt.status},
      ${attempt.outcome}, ${attempt.response})`;
}

const columns = (sql: Queryable) => sql`id, kind, print_order_id, revision, at, duration_ms, status, outcome, response`;

/** Returns the requests about print orders, oldest first: at most the latest `limit` of each. */
export async function requestsOfPrintOrders(
  sql: Queryable,
  printOrderIds: readonly string[],
  limit: number,
): Promise<PartnerRequest[]> {
  return await sql<PartnerRequest[]>`
    SELECT r.* FROM unnest(${[...printOrderIds]}::bigint[]) p (id)
    CROSS JOIN LATERAL (
      SELECT ${columns(sql)} FROM partner_requests WHERE print_order_id = p.id ORDER BY id DESC LIMIT ${limit}) r
    ORDER BY r.id`;
}

/** Returns a page of the requests to a partner, newest first. @param page `after`: id of the previous page's last one */
export async function requestsToPartner(
  sql: Queryable,
  partnerId: string,
  page: { readonly limit: number; readonly after?: string | undefined },
): Promise<PartnerRequest[]> {
  const { limit, after } = page;
  return await sql<PartnerRequest[]>`
    SELECT ${columns(sql)} FROM partner_requests
    WHERE partner_id = ${partnerId} ${after === undefined ? sql`` : sql`AND id < ${after}`}
    ORDER BY id DESC LIMIT ${limit}`;
}
