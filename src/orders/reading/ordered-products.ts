import type { Queryable } from '../../platform/postgres';

/** Returns true when an order has the customer product. Drafts do not count. */
export async function customerProductOrdered(sql: Queryable, { id }: { readonly id: string }): Promise<boolean> {
  const [row] = await sql<{ ordered: boolean }[]>`
    SELECT EXISTS (
      SELECT FROM order_items i JOIN orders o ON o.id = i.order_id
      WHERE i.product ? 'customerProductId' AND i.product ->> 'customerProductId' = ${id} AND o.order_type <> 'draft'
    ) AS ordered`;
  return row!.ordered;
}
