import { enqueueOrderNotifications } from '../../notifications/enqueue';
import { inTransaction, json, type Sql, type Transaction } from '../../platform/postgres';
import { type RequestedBy, requestedBy } from '../domain/lifecycle/requests';
import type { FinancialStatus, OrderStatus } from '../domain/lifecycle/statuses';
import { openLines } from './charges';
import { readCharges, refundItems } from './receipts';

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
      WHERE p.order_id = ${orderId} AND j.cancelled_quantity > 0
        AND j.status IN ('shipped', 'in_transit', 'delivered', 'returned') ORDER BY j.id`;
    const refunded = short.filter(({ itemId }) => itemIds?.includes(itemId) ?? true);
    if (refunded.length === 0) return 'nothing';
    for (const { id, itemId, printOrderId, quantity, cancelledQuantity } of refunded) {
      const items = [{ itemId, quantity: cancelledQuantity }];
      await refundItems(tx, { orderId, step: `refund:${id}-${quantity}`, printOrderId, items });
    }
    // A job of which the partner cancelled every unit after it had shipped keeps its quantity.
    await tx`
      UPDATE print_jobs SET cancelled_quantity = 0,
        quantity = CASE WHEN cancelled_quantity < quantity THEN quantity - cancelled_quantity ELSE quantity END
      WHERE id = ANY(${refunded.map(({ id }) => id)}::bigint[])`;
    const isSettled = refunded.length === short.length;
    await tx`
      UPDATE orders SET financial_status = ${await statusAfterRefund(tx, orderId)}, updated_at = now(),
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

async function statusAfterRefund(tx: Transaction, orderId: string): Promise<FinancialStatus> {
  const left = (await readCharges(tx, orderId)).all.flatMap(openLines);
  return left.every(({ amount }) => amount === 0) ? 'refunded' : 'partially_refunded';
}

const CHARGED: readonly FinancialStatus[] = ['invoiced', 'paid', 'partially_refunded'];

/** Returns true for an order that has ended with goods, and of which units can be refunded that nobody has cancelled. */
export const takesRefunds = (status: OrderStatus, financialStatus: FinancialStatus): boolean =>
  (status === 'delivered' || status === 'returned') && CHARGED.includes(financialStatus);

/**
 * Refunds units of an order that was delivered or returned, whether a partner has cancelled them or not.
 * @param refundId a repeated call with the same id is one refund
 * @returns `not-ended` for another order; `too-many` when fewer units of an item are left to refund
 */
export async function refundUnitsOfEnded(
  sql: Sql,
  orderId: string,
  request: RequestedBy,
  units: readonly { readonly itemId: string; readonly quantity: number }[],
  refundId: string,
): Promise<'refunded' | 'not-ended' | 'too-many'> {
  const step = `refund:${refundId}`;
  return await inTransaction(sql, async (tx) => {
    const [order] = await tx<{ status: OrderStatus; financialStatus: FinancialStatus }[]>`
      SELECT fulfillment_status AS status, financial_status FROM orders WHERE id = ${orderId} FOR UPDATE`;
    const known = await tx`SELECT FROM receipts WHERE order_id = ${orderId} AND starts_with(step, ${`${step}:`})`;
    if (known.length > 0) return 'refunded';
    if (order === undefined || !takesRefunds(order.status, order.financialStatus)) return 'not-ended';
    return await refundOpenUnits(tx, orderId, request, units, step);
  });
}

/**
 * Refunds units in the transaction of the caller, who has locked the order. It may have a run, which does not know the refund.
 * @returns `too-many` when fewer units of an item are left to refund
 */
export async function refundOpenUnits(
  tx: Transaction,
  orderId: string,
  request: RequestedBy,
  units: readonly { readonly itemId: string; readonly quantity: number }[],
  step: string,
): Promise<'refunded' | 'too-many'> {
  const items = await tx<{ id: string; reference: string }[]>`
      SELECT id::text, item_reference_id AS reference FROM order_items WHERE order_id = ${orderId}`;
  const { all } = await readCharges(tx, orderId);
  const open = all.flatMap(openLines);
  const leftOf = (itemId: string) => {
    const reference = items.find(({ id }) => id === itemId)?.reference;
    return open.reduce((sum, { line, amount }) => sum + (line.referenceId === reference ? amount : 0), 0);
  };
  const wanted = Map.groupBy(units, ({ itemId }) => itemId);
  for (const [itemId, of] of wanted) {
    if (of.reduce((sum, { quantity }) => sum + quantity, 0) > leftOf(itemId)) return 'too-many';
  }
  await refundItems(tx, { orderId, step, printOrderId: null, items: units });
  await tx`
      UPDATE orders SET run_financial_status = coalesce(run_financial_status, financial_status),
        financial_status = ${await statusAfterRefund(tx, orderId)}, updated_at = now()
      WHERE id = ${orderId}`;
  await tx`
      INSERT INTO order_events (order_id, type, data)
      VALUES (${orderId}, 'refund_units', ${json(tx, { ...requestedBy(request), units })})`;
  return 'refunded';
}
