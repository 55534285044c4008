import { procurementWorkflowId, WORKFLOW_TYPES } from '../platform/domain/workflows';
import { enqueue } from '../platform/outbox/outbox';
import { json, type Transaction } from '../platform/postgres';
import type { LockedItem } from './locked-stock-rows';

/** A stock item that has fallen to its minimum, and the quantity to buy. */
export interface Reorder {
  readonly item: Pick<LockedItem, 'id' | 'partnerId' | 'vatPercentage'>;
  readonly supplier: NonNullable<LockedItem['supplier']>;
  readonly quantity: number;
}

/**
 * Raises one procurement order per partner, supplier and currency. Its workflow starts after the caller's transaction
 * commits. The caller stores the quantity on order.
 */
export async function raiseProcurementOrders(tx: Transaction, reorders: readonly Reorder[]): Promise<void> {
  const bySupplier = new Map<string, Reorder[]>();
  for (const reorder of reorders) {
    const { item, supplier } = reorder;
    const key = JSON.stringify([item.partnerId, supplier.uid, supplier.currency]);
    bySupplier.set(key, [...(bySupplier.get(key) ?? []), reorder]);
  }
  for (const lines of bySupplier.values()) await raise(tx, lines);
}

async function raise(tx: Transaction, lines: readonly Reorder[]): Promise<void> {
  const { item, supplier } = lines[0]!;
  const [order] = await tx<{ id: string }[]>`
    INSERT INTO procurement_orders (partner_id, supplier_uid, currency)
    VALUES (${item.partnerId}, ${supplier.uid}, ${supplier.currency}) RETURNING id`;
  const orderId = Number(order!.id);
  const items = lines.map(({ item, supplier, quantity }, index) => ({
    position: index + 1,
    item: item.id,
    quantity,
    cost: supplier.unitCostMinor,
    vat: item.vatPercentage,
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
      memo: { supplierUid: supplier.uid, items: items.length },
      summary: `Procurement order ${orderId} at ${supplier.uid}`,
    },
  });
}
