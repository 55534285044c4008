import type { Queryable } from '../platform/postgres';

/** Print orders, requests and stock levels that the figures are made from, so that their cost does not grow with the tables. */
export const RECENT_PRINT_ORDERS = 500;
export const RECENT_REQUESTS = 200;
const MOST_LEVELS = 10_000;

export interface PartnerHealth {
  /** Print orders that the figures are of: the latest ones that were sent. */
  readonly printOrders: number;
  readonly accepted: number;
  /** Seconds from the creation of a print order until the partner accepted it. Null when none was accepted. */
  readonly acceptSecondsMedian: number | null;
  readonly acceptSecondsP95: number | null;
  /** Print orders whose first `shipped` postback came after the dispatch date, or that are still expected after it. */
  readonly late: number;
  /** Print orders whose dispatch date has passed, or that have shipped. */
  readonly due: number;
  readonly errors: number;
  readonly requests: { readonly accepted: number; readonly retry: number; readonly refused: number };
  readonly lastRequestAt: Date | null;
  readonly lastPostbackAt: Date | null;
  readonly stock: { readonly skus: number; readonly oldest: string | null; readonly newest: string | null };
}

/** Returns figures of a partner's latest print orders, requests and stock reports. */
export async function partnerHealth(sql: Queryable, partnerId: string): Promise<PartnerHealth> {
  const [row] = await sql<PartnerHealth[]>`
    WITH recent AS (
      SELECT p.dispatch_date, extract(epoch FROM p.accepted_at - p.created_at)::float8 AS accept_seconds, b.*,
        EXISTS (SELECT FROM print_jobs j WHERE j.print_order_id = p.id
          AND j.status IN ('planned', 'passed', 'in_production', 'printed', 'manual_handling')) AS is_open
      FROM (SELECT id, dispatch_date, accepted_at, created_at FROM print_orders
            WHERE partner_id = ${partnerId} AND body IS NOT NULL ORDER BY id DESC LIMIT ${RECENT_PRINT_ORDERS}) p
      CROSS JOIN LATERAL (
        SELECT min(received_at) FILTER (WHERE body ->> 'status' = 'shipped') AS shipped_at, max(received_at) AS posted_at,
          bool_or(body ->> 'status' = 'error') AS has_error
        FROM postbacks WHERE print_order_id = p.id) b
    ), judged AS (
      SELECT *, shipped_at IS NOT NULL OR (is_open AND dispatch_date < current_date) AS is_due,
        CASE WHEN shipped_at IS NULL THEN is_open AND dispatch_date < current_date
          ELSE (shipped_at AT TIME ZONE 'UTC')::date > dispatch_date END AS is_late
      FROM recent
    ), requests AS (
      SELECT outcome, at FROM partner_requests WHERE partner_id = ${partnerId} ORDER BY id DESC LIMIT ${RECENT_REQUESTS}
    ), levels AS (
      SELECT reported_at FROM partner_stock_levels WHERE partner_id = ${partnerId} LIMIT ${MOST_LEVELS}
    )
    SELECT count(*)::int AS print_orders, count(accept_seconds)::int AS accepted,
      percentile_cont(0.5) WITHIN GROUP (ORDER BY accept_seconds) AS accept_seconds_median,
      percentile_cont(0.95) WITHIN GROUP (ORDER BY accept_seconds) AS accept_seconds_p95,
      count(*) FILTER (WHERE is_late)::int AS late, count(*) FILTER (WHERE is_due)::int AS due,
      count(*) FILTER (WHERE has_error)::int AS errors, max(posted_at) AS last_postback_at,
      (SELECT jsonb_build_object('accepted', count(*) FILTER (WHERE outcome = 'accepted'),
         'retry', count(*) FILTER (WHERE outcome = 'retry'), 'refused', count(*) FILTER (WHERE outcome = 'refused')) FROM requests) AS requests,
      (SELECT max(at) FROM requests) AS last_request_at,
      (SELECT jsonb_build_object('skus', count(*), 'oldest', min(reported_at), 'newest', max(reported_at)) FROM levels) AS stock
    FROM judged`;
  return row!;
}
