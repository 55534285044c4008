import type { Queryable } from '../../platform/postgres';
import { activeSpan, contextOf, inSpan, linkTo } from '../../platform/tracing/spans';

/**
 * Links the active span with the trace of an order: the trace of the request that submitted it. Does nothing without tracing, and
 * for an order that was submitted without tracing.
 */
export async function linkToOrderTrace(sql: Queryable, orderId: string): Promise<void> {
  if (activeSpan() === undefined) return;
  linkTo(await traceparentOf(sql, orderId));
}

/** Runs `work` in a span of the order's trace. The running code belongs to another trace, that of a partner's request. */
export async function inOrderTrace<T>(
  sql: Queryable,
  orderId: string,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  if (activeSpan() === undefined) return await work();
  return await inSpan(name, {}, work, contextOf(await traceparentOf(sql, orderId)));
}

async function traceparentOf(sql: Queryable, orderId: string): Promise<string | null | undefined> {
  const [order] = await sql<{ traceparent: string | null }[]>`SELECT traceparent FROM orders WHERE id = ${orderId}`;
  return order?.traceparent;
}
