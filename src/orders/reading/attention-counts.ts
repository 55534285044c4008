import { type DigestSource, FIRST_DIGEST_MINUTES, type Raised } from '../../notifications/operator-digest';
import { attentionPage } from '../../platform/http/operator-page-urls';
import type { GaugePoint } from '../../platform/metrics/metrics';
import type { Queryable } from '../../platform/postgres';
import { readRunningTotals } from '../../platform/running-totals';
import { ATTENTION_REASONS, type AttentionReason } from '../domain/lifecycle/attention-reasons';
import { OPEN_ORDERS } from '../domain/lifecycle/statuses';

export interface AttentionCount {
  readonly reason: AttentionReason;
  readonly orders: number;
  readonly oldestSeconds: number;
}

export async function countOrdersNeedingAttention(tx: Queryable): Promise<number> {
  const [row] = await tx<{ orders: number }[]>`
    SELECT count(*)::int AS orders FROM orders WHERE attention IS NOT NULL`;
  return row!.orders;
}

/** Counts the orders that need attention, by reason. Reads the index of these orders, which are few. */
export async function attentionCounts(tx: Queryable): Promise<AttentionCount[]> {
  return await tx<AttentionCount[]>`
      SELECT r.reason, count(*)::int AS orders,
        extract(epoch FROM clock_timestamp() - min(coalesce((attention_since ->> r.reason)::timestamptz, updated_at)))::float8
          AS oldest_seconds
      FROM orders, unnest(attention) AS r (reason)
      WHERE attention IS NOT NULL GROUP BY 1 ORDER BY 1`;
}

const NAMED_ORDERS = 10;

export const ATTENTION_DIGEST: DigestSource = {
  event: 'attention_raised',
  link: (reason, publicUrl) => attentionPage(publicUrl, reason),
  async read(tx, until) {
    const rows = await tx<{ reason: string; count: number; since: Date; orders: object[] }[]>`
      SELECT raised.reason, count(*)::int, min(raised_at) AS since,
        (array_agg(jsonb_build_object('id', id, 'orderReferenceId', order_reference_id) ORDER BY raised_at, id))[:${NAMED_ORDERS}::int]
          AS orders
      FROM (
        SELECT o.id, o.order_reference_id, s.key AS reason, s.value::timestamptz AS raised_at
        FROM orders o, jsonb_each_text(o.attention_since) s
        WHERE o.attention IS NOT NULL
      ) raised
      LEFT JOIN operator_digests d ON d.event = 'attention_raised' AND d.reason = raised.reason
      WHERE raised_at <= ${until} AND raised_at > coalesce(d.covered_until, now() - make_interval(mins => ${FIRST_DIGEST_MINUTES}))
      GROUP BY 1 ORDER BY 1`;
    return rows.map(({ reason, count, since, orders }): Raised => ({ reason, count, since, about: { orders } }));
  },
};

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
