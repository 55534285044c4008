import type { Queryable } from '../../platform/postgres';
import type { AttentionReason } from '../domain/lifecycle/attention-reasons';

/** Orders that need attention for one reason. */
export interface AttentionCount {
  readonly reason: AttentionReason;
  readonly orders: number;
  /** Time since the first of them got the reason. */
  readonly oldestSeconds: number;
}

/** Returns the number of orders that need attention. */
export async function countOrdersNeedingAttention(tx: Queryable): Promise<number> {
  const [row] = await tx<{ orders: number }[]>`
    SELECT count(*)::int AS orders FROM orders WHERE attention IS NOT NULL`;
  return row!.orders;
}

/** Counts the orders that need attention, by reason. Reads the index of these orders, which are few. */
export async function attentionCounts(tx: Queryable): Promise<AttentionCount[]> {
  return [
    ...(await tx<AttentionCount[]>`
      SELECT r.reason, count(*)::int AS orders,
        extract(epoch FROM clock_timestamp() - min(coalesce((attention_since ->> r.reason)::timestamptz, updated_at)))::float8
          AS oldest_seconds
      FROM orders, unnest(attention) AS r (reason)
      WHERE attention IS NOT NULL GROUP BY 1 ORDER BY 1`),
  ];
}
