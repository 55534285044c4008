import type { Queryable } from '../../platform/postgres';

/**
 * Returns true when an order has the customer product. Drafts do not count. Items of orders from before customerProductId
 * was stored are matched by the name of the product.
 */
export async function customerProductOrdered(
  sql: Queryable,
  { id, name, ownerId }: { readonly id: string; readonly name: string; readonly ownerId: string | null },
): Promise<boolean> {
  const [row] = await sql<{ ordered: boolean }[]>`
    SELECT EXISTS (
      SELECT FROM order_items i JOIN orders o ON o.id = i.order_id
      WHERE i.product ? 'customerProductId' AND i.product ->> 'customerProductId' = ${id} AND o.order_type <> 'draft'
    ) OR EXISTS (
      SELECT FROM order_items i JOIN orders o ON o.id = i.order_id
      WHERE i.product_name IS NOT NULL AND NOT i.product ? 'customerProductId' AND i.product_name = ${name}
        AND o.order_type <> 'draft' AND (${ownerId}::uuid IS NULL OR o.client_id = ${ownerId})
    ) AS ordered`;
  return row!.ordered;
}
