import { enqueueOrderNotifications } from '../../notifications/enqueue';
import { inTransaction, json, type Sql } from '../../platform/postgres';
import { type RequestedBy, requestedBy } from '../domain/lifecycle/run-events';
import { refundItems } from './receipts';

interface ShortJob {
  readonly id: string;
  readonly itemId: string;
  readonly printOrderId: string;
  readonly quantity: number;
  readonly cancelledQuantity: number;
}

/**
 * Refunds the units that partners cancelled of jobs which have shipped, for an order whose run has ended. This settles its short
 * shipment. The stock of the units was released when the others were printed.
 * @param request.itemIds undefined for all items
 * @returns `open` for an order with a run, whose workflow refunds units; `nothing` without such units
 */
export async function refundEndedOrder(
  sql: Sql,
  orderId: string,
  request: RequestedBy & { readonly itemIds?: readonly string[] | undefined },
): Promise<'refunded' | 'open' | 'nothing'> {
  const { itemIds } = request;
  return await inTransaction(sql, async (tx) => {
    const [order] = await tx<{ isOpen: boolean }[]>`
      SELECT EXISTS (SELECT FROM run_snapshots s WHERE s.order_id = o.id) OR NOT ('short_shipped' = ANY(attention)) AS is_open
      FROM orders o WHERE id = ${orderId} AND attention IS NOT NULL FOR UPDATE OF o`;
    if (order === undefined || order.isOpen) return 'open';
    const short = await tx<ShortJob[]>`
      SELECT j.id::text, j.order_item_id::text AS item_id, j.print_order_id::text, j.quantity, j.cancelled_quantity
      FROM print_orders p JOIN print_jobs j ON j.print_order_id = p.id
      WHERE p.order_id = ${orderId} AND j.cancelled_quantity BETWEEN 1 AND j.quantity - 1
        AND j.status IN ('shipped', 'in_transit', 'delivered', 'returned') ORDER BY j.id`;
    const refunded = short.filter(({ itemId }) => itemIds?.includes(itemId) ?? true);
    if (refunded.length === 0) return 'nothing';
    for (const { id, itemId, printOrderId, quantity, cancelledQuantity } of refunded) {
      const items = [{ itemId, quantity: cancelledQuantity }];
      await refundItems(tx, { orderId, step: `refund:${id}-${quantity}`, printOrderId, items });
    }
    await tx`
      UPDATE print_jobs SET quantity = quantity - cancelled_quantity, cancelled_quantity = 0
      WHERE id = ANY(${refunded.map(({ id }) => id)}::bigint[])`;
    const isSettled = refunded.length === short.length;
    await tx`
      UPDATE orders SET financial_status = 'partially_refunded', updated_at = now(),
        attention = CASE WHEN ${isSettled} THEN nullif(array_remove(attention, 'short_shipped'), '{}') ELSE attention END
      WHERE id = ${orderId}`;
    const ids = [...new Set(refunded.map(({ itemId }) => itemId))];
    const log = [
      { type: 'refund_items', item: null, data: { ...requestedBy(request), itemIds: ids } },
      ...refunded.map(({ itemId, cancelledQuantity: quantity }) => ({
        type: 'units_cancelled',
        item: itemId,
        data: { quantity },
      })),
    ];
    await tx`
      INSERT INTO order_events (order_id, order_item_id, type, data)
      SELECT ${orderId}, e.item, e.type, e.data FROM jsonb_to_recordset(${json(tx, log)}) AS e (item bigint, type text, data jsonb)`;
    await enqueueOrderNotifications(tx, { orderId });
    return 'refunded';
  });
}
