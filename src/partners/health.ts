import { z } from 'zod';
import { timestamp } from '../platform/domain/fields';
import { ATTEMPT_OUTCOMES } from '../platform/metrics/metric-table';
import type { Metrics } from '../platform/metrics/metrics';
import type { Queryable, Sql } from '../platform/postgres';
import { POSTBACK_STATUSES } from './domain/partner-protocol';
import { listPartners } from './partner-rows';

/** Print orders, requests and stock levels that the figures are made from, so that their cost does not grow with the tables. */
const RECENT_PRINT_ORDERS = 500;
const RECENT_REQUESTS = 200;
const MOST_LEVELS = 10_000;

/** As JSON of Postgres has times. */
const reported = z.iso.datetime({ offset: true }).nullable();

export const partnerHealthSchema = z
  .object({
    printOrders: z
      .int()
      .describe(`Print orders that the figures are of: the latest ${RECENT_PRINT_ORDERS} that were sent.`),
    accepted: z.int(),
    acceptSecondsMedian: z
      .number()
      .nullable()
      .describe('From the creation of a print order until the partner accepted it.'),
    acceptSecondsP95: z.number().nullable(),
    due: z.int().describe('Print orders that have shipped, or whose dispatch date has passed.'),
    late: z.int().describe('Of these: `shipped` came after the dispatch date (UTC), or has not come.'),
    lateShare: z.number().nullable().describe('From 0 to 1. Null when none is due.'),
    errors: z.int().describe('Print orders with an `error` postback.'),
    requests: z
      .object({ accepted: z.int(), retry: z.int(), refused: z.int() })
      .describe(`The latest ${RECENT_REQUESTS} requests by outcome.`),
    lastRequestAt: timestamp.nullable(),
    lastPostbackAt: timestamp.nullable(),
    stock: z
      .object({ skus: z.int(), oldest: reported, newest: reported })
      .describe('Reported stock levels, and the times of the oldest and the newest report.'),
  })
  .meta({ id: 'PartnerHealth' });

/** Returns figures of a partner's latest print orders, requests and stock reports. */
export async function partnerHealth(sql: Queryable, partnerId: string): Promise<z.output<typeof partnerHealthSchema>> {
  const [row] = await sql<z.output<typeof partnerHealthSchema>[]>`
    WITH recent AS (
      SELECT p.dispatch_date, extract(epoch FROM p.accepted_at - p.created_at)::float8 AS accept_seconds, b.*,
        EXISTS (SELECT FROM print_jobs j WHERE j.print_order_id = p.id
          AND j.status IN ('planned', 'passed', 'in_production', 'printed', 'manual_handling')) AS is_open
      FROM (SELECT id, order_id, dispatch_date, accepted_at, created_at FROM print_orders
            WHERE partner_id = ${partnerId} AND body IS NOT NULL ORDER BY id DESC LIMIT ${RECENT_PRINT_ORDERS}) p
      CROSS JOIN LATERAL (
        SELECT min(received_at) FILTER (WHERE body ->> 'status' = 'shipped') AS shipped_at, max(received_at) AS posted_at,
          bool_or(body ->> 'status' = 'error') AS has_error
        FROM postbacks WHERE print_order_id = p.id AND order_id = p.order_id) b
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
      count(*) FILTER (WHERE is_late)::float8 / nullif(count(*) FILTER (WHERE is_due), 0) AS late_share,
      count(*) FILTER (WHERE has_error)::int AS errors, max(posted_at) AS last_postback_at,
      (SELECT jsonb_build_object('accepted', count(*) FILTER (WHERE outcome = 'accepted'),
         'retry', count(*) FILTER (WHERE outcome = 'retry'), 'refused', count(*) FILTER (WHERE outcome = 'refused')) FROM requests) AS requests,
      (SELECT max(at) FROM requests) AS last_request_at,
      (SELECT jsonb_build_object('skus', count(*), 'oldest', min(reported_at), 'newest', max(reported_at)) FROM levels) AS stock
    FROM judged`;
  return row!;
}

/** Outcomes of a postback: new, known already, refused, or not stored because of an error. */
const POSTBACK_OUTCOMES = ['accepted', 'duplicate', 'refused', 'failed'] as const;
export type PostbackOutcome = (typeof POSTBACK_OUTCOMES)[number];

/** Exposes the counters of all partners as 0. A partner that is added later is exposed from its first message. */
export async function expectPartners(sql: Sql, metrics: Metrics): Promise<void> {
  for (const { uid } of await listPartners(sql)) {
    for (const outcome of ATTEMPT_OUTCOMES) {
      metrics.count('pressline_partner_deliveries_total', { partner: uid, outcome }, 0);
      metrics.expectObservations('http_client_request_duration_seconds', {
        kind: 'partner',
        target: uid,
        outcome,
      });
    }
    for (const status of POSTBACK_STATUSES)
      for (const outcome of POSTBACK_OUTCOMES)
        metrics.count('pressline_postbacks_total', { partner: uid, status, outcome }, 0);
  }
}
