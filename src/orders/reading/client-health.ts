import type { Queryable } from '../../platform/postgres';
import type { OrderStatus } from '../domain/lifecycle/statuses';

/** Orders that the figures of a client are made from, so that their cost does not grow with the table. */
export const RECENT_ORDERS = 500;

export interface ClientHealth {
  /** Orders that the figures are of: the latest ones without drafts. */
  readonly orders: number;
  readonly needAttention: number;
  readonly byStatus: Partial<Record<OrderStatus, number>>;
  /** Time of the oldest of these orders. */
  readonly oldestAt: Date | null;
  readonly newestAt: Date | null;
}

/** Returns figures of a client's latest orders. */
export async function clientHealth(sql: Queryable, clientId: string): Promise<ClientHealth> {
  const [row] = await sql<ClientHealth[]>`
    WITH recent AS (
      SELECT fulfillment_status, attention, created_at FROM orders
      WHERE client_id = ${clientId} ORDER BY created_at DESC, id DESC LIMIT ${RECENT_ORDERS}
    ), sent AS (SELECT * FROM recent WHERE fulfillment_status <> 'draft')
    SELECT count(*)::int AS orders, count(*) FILTER (WHERE attention IS NOT NULL)::int AS need_attention,
      min(created_at) AS oldest_at, max(created_at) AS newest_at,
      (SELECT coalesce(jsonb_object_agg(fulfillment_status, count), '{}')
       FROM (SELECT fulfillment_status, count(*) AS count FROM sent GROUP BY 1) counted) AS by_status
    FROM sent`;
  return row!;
}
