import type { Queryable } from '../../platform/postgres';
import type { OrderStatus } from '../domain/lifecycle/statuses';

export interface StageCount {
  readonly status: OrderStatus;
  readonly orders: number;
  readonly averageSeconds: number;
}

export interface StagePeriod {
  /** Start of the hour or day in UTC. */
  readonly from: Date;
  readonly stages: readonly StageCount[];
}

/** Changes that one statement adds to the hours. */
const FOLDED = 20_000;
const KEPT_DAYS = 90;
const HOURS = 48;
const DAYS = 60;

/** Adds changes that triggers have written to the hours, and deletes hours older than 90 days. Returns the number of changes. */
async function foldOnce(sql: Queryable): Promise<number> {
  const [row] = await sql<{ folded: number }[]>`
    WITH folded AS (
      DELETE FROM order_stage_changes WHERE id = ANY(ARRAY(
        SELECT id FROM order_stage_changes ORDER BY id LIMIT ${FOLDED} FOR UPDATE SKIP LOCKED))
      RETURNING hour, status, orders, seconds
    ), kept AS (
      INSERT INTO order_stages AS s (hour, status, orders, seconds)
      SELECT hour, status, sum(orders), sum(seconds) FROM folded GROUP BY 1, 2 ORDER BY 1, 2
      ON CONFLICT (hour, status) DO UPDATE SET orders = s.orders + excluded.orders, seconds = s.seconds + excluded.seconds
    ), expired AS (
      DELETE FROM order_stages WHERE hour < now() - make_interval(days => ${KEPT_DAYS})
    )
    SELECT count(*)::int AS folded FROM folded`;
  return row!.folded;
}

/**
 * Returns the statuses that orders reached in the last 48 hours and in the last 60 days, oldest first. Hours and days without
 * a change are left out. The cost depends on the hours and not on the number of orders.
 */
export async function orderStages(
  sql: Queryable,
): Promise<{ readonly hours: readonly StagePeriod[]; readonly days: readonly StagePeriod[] }> {
  await foldOnce(sql);
  const rows = await sql<{ period: 'hour' | 'day'; from: Date; stages: StageCount[] }[]>`
    WITH counted AS (
      SELECT hour, status, orders, seconds FROM order_stages
      UNION ALL SELECT hour, status, orders, seconds FROM order_stage_changes
    ), periods AS (
      SELECT 'hour' AS period, hour AS "from", status, orders, seconds FROM counted
      WHERE hour > now() - make_interval(hours => ${HOURS})
      UNION ALL
      SELECT 'day', date_trunc('day', hour, 'UTC'), status, orders, seconds FROM counted
      WHERE hour >= date_trunc('day', now(), 'UTC') - make_interval(days => ${DAYS - 1})
    ), summed AS (
      SELECT period, "from", status, sum(orders)::float8 AS orders, sum(seconds) / greatest(sum(orders), 1) AS average
      FROM periods GROUP BY 1, 2, 3
    )
    SELECT period, "from", jsonb_agg(jsonb_build_object(
      'status', status, 'orders', orders, 'averageSeconds', round(average::numeric, 1)) ORDER BY status) AS stages
    FROM summed GROUP BY 1, 2 ORDER BY 1, 2`;
  const of = (period: 'hour' | 'day') =>
    rows.filter((row) => row.period === period).map(({ from, stages }) => ({ from, stages }));
  return { hours: of('hour'), days: of('day') };
}

/** Adds all changes to the hours. Reconciliation calls it, because otherwise only readers of the charts do. */
export async function foldOrderStages(sql: Queryable): Promise<void> {
  while ((await foldOnce(sql)) === FOLDED);
}
