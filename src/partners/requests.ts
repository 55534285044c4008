import type { PendingQuery, Row } from 'postgres';
import type { Queryable, Sql } from '../platform/postgres';
import type { PartnerAttempt } from './calls';

/** The log of requests to partners: each attempt with its status, duration and the beginning of its response. */

export const PARTNER_REQUEST_KINDS = ['print_order', 'order_update', 'cancellation', 'ping'] as const;
export type PartnerRequestKind = (typeof PARTNER_REQUEST_KINDS)[number];

export interface NewPartnerRequest {
  readonly partnerId: string;
  readonly kind: PartnerRequestKind;
  readonly printOrderId: string | null;
  /** Shipping revision of an order update. */
  readonly revision?: number;
  readonly attempt: PartnerAttempt;
}

export interface PartnerRequest {
  /** Decimal string. */
  readonly id: string;
  readonly kind: PartnerRequestKind;
  readonly printOrderId: string | null;
  readonly revision: number | null;
  readonly at: Date;
  readonly durationMs: number;
  readonly status: number | null;
  readonly outcome: 'accepted' | 'retry' | 'refused';
  readonly response: string | null;
}

const KEPT_DAYS = 90;
const PRUNE_BATCH = 10_000;

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

/** Returns a page of the requests to a partner, newest first. @param page `before`: id of the previous page's last one */
export async function requestsToPartner(
  sql: Queryable,
  partnerId: string,
  page: { readonly limit: number; readonly before?: string | undefined },
): Promise<PartnerRequest[]> {
  const { limit, before } = page;
  return await sql<PartnerRequest[]>`
    SELECT ${columns(sql)} FROM partner_requests
    WHERE partner_id = ${partnerId} ${before === undefined ? sql`` : sql`AND id < ${before}`}
    ORDER BY id DESC LIMIT ${limit}`;
}

/** Deletes requests older than 90 days, in batches. Returns the number deleted. */
export async function prunePartnerRequests(sql: Sql, now = new Date()): Promise<number> {
  const before = new Date(now.getTime() - KEPT_DAYS * 24 * 60 * 60 * 1000);
  let pruned = 0;
  for (;;) {
    const { count } = await sql`
      DELETE FROM partner_requests WHERE id IN (
        SELECT id FROM partner_requests WHERE at < ${before} LIMIT ${PRUNE_BATCH} FOR UPDATE SKIP LOCKED)`;
    pruned += count;
    if (count < PRUNE_BATCH) return pruned;
  }
}
