import { inTransaction, json, type Sql, type Statement, type Transaction } from '../platform/postgres';
import {
  attachInvoice,
  moveTo,
  outstanding,
  type ProcurementLine,
  type ProcurementProgress,
  type ProcurementStatus,
  type ProcurementStep,
  receive,
  type StepOutcome,
} from './domain/procurement-order';
import { LockedStock } from './locked-stock';

interface OpenOrder extends ProcurementProgress {
  readonly id: number;
  readonly partnerPoNumber: string | null;
  readonly shippingCostMinor: number | null;
  readonly lines: readonly (ProcurementLine & { readonly stockItemId: string })[];
}

type StepOf<T extends ProcurementStep['type']> = Extract<ProcurementStep, { type: T }>;

/**
 * Applies one step to a procurement order, in one transaction with the stock that it receives. A step that was already
 * applied (same status, receipt id or invoice URL) changes nothing and is not an error.
 */
export async function takeProcurementStep(sql: Sql, orderId: number, step: ProcurementStep): Promise<StepOutcome> {
  return await inTransaction(sql, async (tx) => {
    const order = await lockOrder(tx, orderId);
    if (order === null) return { ok: false, reason: `Procurement order ${orderId} does not exist.` };
    if (await alreadyApplied(tx, order, step)) return { ok: true, status: order.status, repeated: true };
    const outcome =
      step.type === 'move'
        ? moveTo(order, step.status)
        : step.type === 'receipt'
          ? receive(order, step.items)
          : attachInvoice(order);
    if (!outcome.ok) return outcome;
    const { status } = outcome.progress;
    if (step.type === 'receipt') await storeReceipt(tx, order, step);
    if (step.type === 'invoice') await storeInvoice(tx, order, step);
    if (status === 'verified' && order.status !== 'verified') await closeShort(tx, order);
    await storeProgress(tx, order, step, status);
    return { ok: true, status, repeated: false };
  });
}

async function lockOrder(tx: Transaction, orderId: number): Promise<OpenOrder | null> {
  const [order] = await tx<Pick<OpenOrder, 'status' | 'partnerPoNumber' | 'shippingCostMinor'>[]>`
    SELECT status, partner_po_number, shipping_cost_minor::float8 FROM procurement_orders WHERE id = ${orderId} FOR UPDATE`;
  if (order === undefined) return null;
  const lines = await tx<OpenOrder['lines'][number][]>`
    SELECT l.stock_item_id, s.partner_sku, l.quantity::float8, l.quantity_received::float8
    FROM procurement_order_items l JOIN stock_items s ON s.id = l.stock_item_id
    WHERE l.procurement_order_id = ${orderId} ORDER BY l.position`;
  const [count] = await tx<{ invoices: number }[]>`
    SELECT count(*)::float8 AS invoices FROM procurement_order_invoices WHERE procurement_order_id = ${orderId}`;
  return { id: orderId, ...order, lines, invoices: count!.invoices };
}

/** Returns true when the step was already applied. The row lock on the order keeps the result valid. */
async function alreadyApplied(tx: Transaction, order: OpenOrder, step: ProcurementStep): Promise<boolean> {
  switch (step.type) {
    case 'move':
      return (
        order.status === step.status &&
        (step.partnerPoNumber ?? order.partnerPoNumber) === order.partnerPoNumber &&
        (step.shippingCostMinor ?? order.shippingCostMinor) === order.shippingCostMinor
      );
    case 'receipt':
      return await exists(tx`
        SELECT 1 FROM procurement_order_receipts
        WHERE procurement_order_id = ${order.id} AND receipt_id = ${step.receiptId}`);
    case 'invoice':
      return await exists(tx`
        SELECT 1 FROM procurement_order_invoices WHERE procurement_order_id = ${order.id} AND url = ${step.url}`);
  }
}

const exists = async (statement: Statement) => (await statement).length > 0;

async function storeReceipt(tx: Transaction, order: OpenOrder, step: StepOf<'receipt'>): Promise<void> {
  const stock = await lockLines(tx, order);
  const received = new Map<string, number>();
  for (const { partnerSku, quantity } of step.items) {
    const { stockItemId } = order.lines.find((line) => line.partnerSku === partnerSku)!;
    received.set(stockItemId, (received.get(stockItemId) ?? 0) + quantity);
  }
  for (const [stockItemId, quantity] of received) {
    stock.receive(stockItemId, quantity, {
      reference: `procurement order ${order.id}, ${step.receiptId}`,
      step: `receipt:${order.id}:${step.receiptId}`,
    });
  }
  await tx`
    INSERT INTO procurement_order_receipts (procurement_order_id, receipt_id, items)
    VALUES (${order.id}, ${step.receiptId}, ${json(tx, step.items)})`;
  const rows = [...received].map(([item, quantity]) => ({ item, quantity }));
  await tx`
    UPDATE procurement_order_items l SET quantity_received = l.quantity_received + r.quantity
    FROM jsonb_to_recordset(${json(tx, rows)}) AS r (item bigint, quantity bigint)
    WHERE l.procurement_order_id = ${order.id} AND l.stock_item_id = r.item`;
  await stock.write();
}

async function storeInvoice(tx: Transaction, order: OpenOrder, step: StepOf<'invoice'>): Promise<void> {
  await tx`
    INSERT INTO procurement_order_invoices (procurement_order_id, url, original_filename, reference_id, due_date)
    VALUES (${order.id}, ${step.url}, ${step.originalFilename}, ${step.referenceId}, ${step.dueDate})`;
}

/** Removes undelivered pieces from the quantity on order when the order is verified, so that they can be reordered. */
async function closeShort(tx: Transaction, order: OpenOrder): Promise<void> {
  const short = order.lines.filter((line) => outstanding(line) > 0);
  if (short.length === 0) return;
  const stock = await lockLines(tx, order);
  for (const line of short) stock.changeOrdered(line.stockItemId, -outstanding(line));
  await stock.write();
}

async function lockLines(tx: Transaction, order: OpenOrder): Promise<LockedStock> {
  const ids = order.lines.map(({ stockItemId }) => stockItemId);
  return await LockedStock.lock(tx, tx`i.id = ANY(${ids}::bigint[])`);
}

async function storeProgress(
  tx: Transaction,
  order: OpenOrder,
  step: ProcurementStep,
  status: ProcurementStatus,
): Promise<void> {
  const { type, actor, ...data } = step;
  const moved = step.type === 'move' ? step : undefined;
  await tx`
    WITH logged AS (
      INSERT INTO procurement_order_events (procurement_order_id, type, actor, data)
      VALUES (${order.id}, ${type}, ${actor}, ${json(tx, { ...data, from: order.status, to: status })})
    )
    UPDATE procurement_orders
    SET status = ${status}, updated_at = now(),
        attention = CASE WHEN ${status === order.status} THEN attention END,
        partner_po_number = coalesce(${moved?.partnerPoNumber ?? null}, partner_po_number),
        shipping_cost_minor = coalesce(${moved?.shippingCostMinor ?? null}::bigint, shipping_cost_minor)
    WHERE id = ${order.id}`;
}

/** Returns the status of a procurement order, or null when it does not exist. */
export async function procurementStatus(sql: Sql, orderId: number): Promise<ProcurementStatus | null> {
  const [order] = await sql<{ status: ProcurementStatus }[]>`
    SELECT status FROM procurement_orders WHERE id = ${orderId}`;
  return order?.status ?? null;
}

/** Flags a procurement order that has been in a status for too long. Does nothing when it has left that status. */
export async function flagOverdue(sql: Sql, orderId: number, status: ProcurementStatus, days: number): Promise<void> {
  await sql`
    UPDATE procurement_orders SET attention = ${`In status ${status} for more than ${days} days`}, updated_at = now()
    WHERE id = ${orderId} AND status = ${status}`;
}
