import { procurementWorkflowId, WORKFLOW_TYPES } from '../platform/domain/workflows';
import { enqueue } from '../platform/outbox/outbox';
import { json, type Transaction } from '../platform/postgres';

/** A stock item that has fallen to its minimum, and the quantity to buy. */
export interface Reorder {
  readonly stockItemId: string;
  readonly partnerId: string;
  readonly supplierUid: string;
  /** The currency of the supplier. */
  readonly currency: string;
  /** Minor units. May have a fraction. */
  readonly unitCostMinor: number;
  readonly vatPercentage: string | null;
  readonly quantity: number;
}

/**
 * Raises one procurement order per partner, supplier and currency. Its workflow starts after the caller's transaction
 * commits. The caller stores the quantity on order.
 */
export async function raiseProcurementOrders(tx: Transaction, reorders: readonly Reorder[]): Promise<void> {
  const bySupplier = new Map<string, Reorder[]>();
  for (const reorder of reorders) {
    const key = JSON.stringify([reorder.partnerId, reorder.supplierUid, reorder.currency]);
    bySupplier.set(key, [...(bySupplier.get(key) ?? []), reorder]);
  }
  for (const lines of bySupplier.values()) await raise(tx, lines);
}

async function raise(tx: Transaction, lines: readonly Reorder[]): Promise<void> {
  const { partnerId, supplierUid, currency } = lines[0]!;
  const [order] = await tx<{ id: string }[]>`
    INSERT INTO procurement_orders (partner_id, supplier_uid, currency)
    VALUES (${partnerId}, ${supplierUid}, ${currency}) RETURNING id`;
  const orderId = Number(order!.id);
  const items = lines.map(({ stockItemId, quantity, unitCostMinor, vatPercentage }, index) => ({
    position: index + 1,
    item: stockItemId,
    quantity,
    cost: unitCostMinor,
    vat: vatPercentage,
  }));
  await tx`
    WITH raised AS (
      INSERT INTO procurement_order_events (procurement_order_id, type, actor) VALUES (${orderId}, 'raised', 'reorder')
    )
    INSERT INTO procurement_order_items (procurement_order_id, position, stock_item_id, quantity, unit_cost_minor, vat_percentage)
    SELECT ${orderId}, position, item, quantity, cost, vat
    FROM jsonb_to_recordset(${json(tx, items)}) AS l (position int, item bigint, quantity bigint, cost numeric, vat numeric)`;
  await enqueue(tx, {
    kind: 'start_workflow',
    target: procurementWorkflowId(orderId),
    payload: {
      workflowType: WORKFLOW_TYPES.procurementOrder,
      args: [{ orderId }],
      memo: { supplierUid, items: items.length },
      summary: `Procurement order ${orderId} at ${supplierUid}`,
    },
  });
}
