import type { Queryable } from '../../platform/postgres';
import { activeSpan, linkTo } from '../../platform/tracing/spans';

/**
 * Links the active span with the trace of an order: the trace of the request that submitted it. Does nothing without tracing, and
 * for an order that was submitted without tracing.
 */
export async function linkToOrderTrace(sql: Queryable, orderId: string): Promise<void> {
  if (activeSpan() === undefined) return;
  const [order] = await sql<
    { traceparent: string | null }[]
  >`SELECT traceparent FROM orders WHERE id = ${orderId}`;
  linkTo(order?.traceparent);
}
