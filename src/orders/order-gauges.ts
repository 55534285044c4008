import { readKeptCounts } from '../platform/kept-counts';
import type { GaugePoint } from '../platform/metrics/metrics';
import type { Queryable } from '../platform/postgres';
import { ATTENTION_REASONS } from './domain/lifecycle/run-state';
import { OPEN_ORDERS } from './domain/lifecycle/statuses';

/** Reads how many orders are open, how many need attention, and since when the oldest postback waits. */
export async function orderGauges(tx: Queryable): Promise<GaugePoint[]> {
  const open = await readKeptCounts(tx, 'orders');
  // Index scans of the few orders that need attention, and of one postback.
  const attention = await tx<{ reason: string; count: number; oldest: number }[]>`
    SELECT r.reason, count(*)::int,
      extract(epoch FROM clock_timestamp() - min(coalesce((attention_since ->> r.reason)::timestamptz, updated_at)))::float8 AS oldest
    FROM orders, unnest(attention) AS r (reason)
    WHERE attention IS NOT NULL GROUP BY 1`;
  const [postback] = await tx<{ oldest: number }[]>`
    SELECT extract(epoch FROM clock_timestamp() - received_at)::float8 AS oldest
    FROM postbacks WHERE handled_at IS NULL ORDER BY received_at LIMIT 1`;
  return [
    ...OPEN_ORDERS.map(
      (status): GaugePoint => ({
        name: 'pressline_orders_open',
        labels: { status },
        value: open.get(status) ?? 0,
      }),
    ),
    ...ATTENTION_REASONS.flatMap((reason): GaugePoint[] => {
      const row = attention.find((each) => each.reason === reason);
      return [
        { name: 'pressline_attention', labels: { reason }, value: row?.count ?? 0 },
        { name: 'pressline_attention_oldest_age_seconds', labels: { reason }, value: row?.oldest ?? 0 },
      ];
    }),
    {
      name: 'pressline_postbacks_unhandled_oldest_age_seconds',
      labels: {},
      value: Math.max(0, postback?.oldest ?? 0),
    },
  ];
}
