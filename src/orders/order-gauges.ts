import type { GaugePoint } from '../platform/metrics/metrics';
import type { Queryable } from '../platform/postgres';
import { readRunningTotals } from '../platform/running-totals';
import { ATTENTION_REASONS } from './domain/lifecycle/attention-reasons';
import { OPEN_ORDERS } from './domain/lifecycle/statuses';
import { attentionCounts } from './reading/attention-counts';

/** Reads how many orders are open, how many need attention, and since when the oldest postback waits. */
export async function orderGauges(tx: Queryable): Promise<GaugePoint[]> {
  const open = await readRunningTotals(tx, 'orders');
  const attention = await attentionCounts(tx);
  // An index scan of one postback.
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
        { name: 'pressline_attention', labels: { reason }, value: row?.orders ?? 0 },
        {
          name: 'pressline_attention_oldest_age_seconds',
          labels: { reason },
          value: row?.oldestSeconds ?? 0,
        },
      ];
    }),
    {
      name: 'pressline_postbacks_unhandled_oldest_age_seconds',
      labels: {},
      value: Math.max(0, postback?.oldest ?? 0),
    },
  ];
}
