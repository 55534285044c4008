import type { z } from 'zod';
import { json, type Sql, type Statement, type Transaction } from '../platform/postgres';
import type { Allocation, StockLevel, WaitingReservation } from './domain/stock-level';
import type { stockMovementSchema } from './operator-schemas';

/** What a movement refers to: a reference of the client, and the step that must not be counted twice. */
export interface Cause {
  readonly reference?: string;
  readonly step?: string;
}

/** A movement to append to the ledger. */
export interface NewMovement extends Cause {
  readonly itemId: string;
  readonly type: MovementType;
  readonly quantity: number;
  readonly before: StockLevel;
  readonly after: StockLevel;
}

/** A locked stock item. `level` includes changes that are not written yet. */
export interface StockItem {
  readonly id: string;
  readonly partnerId: string;
  readonly partnerSku: string;
  readonly productName: string | null;
  readonly allowBackorder: boolean;
  readonly level: StockLevel;
}

export interface LockedItem extends StockItem {
  level: StockLevel;
  quantityOrdered: number;
  changed: boolean;
  waiting: WaitingReservation[];
  readonly minStock: number;
  readonly maxStock: number;
  readonly supplier: {
    readonly uid: string;
    /** May have a fraction. */
    readonly unitCostMinor: number;
    readonly currency: string;
  } | null;
  readonly vatPercentage: string | null;
}

/**
 * Locks stock items by ascending id and returns them with their waiting reservations.
 * @param which condition on `stock_items i`
 */
export async function lockItems(tx: Transaction, which: Statement): Promise<LockedItem[]> {
  const rows = await tx<Omit<LockedItem, 'changed' | 'waiting'>[]>`
    SELECT i.id, i.partner_id, i.partner_sku, i.product_name, i.allow_backorder, i.min_stock::float8, i.max_stock::float8,
           i.quantity_ordered::float8, i.vat_percentage,
           jsonb_build_object('quantity', i.quantity, 'reserved', i.reserved, 'backorder', i.backorder) AS level,
           CASE WHEN i.supplier_uid IS NOT NULL THEN jsonb_build_object(
             'uid', i.supplier_uid, 'unitCostMinor', i.unit_cost_minor, 'currency', i.cost_currency) END AS supplier
    FROM stock_items i WHERE ${which} ORDER BY i.id FOR NO KEY UPDATE OF i`;
  const items = rows.map((row): LockedItem => ({ ...row, changed: false, waiting: [] }));
  const short = items.filter(({ level }) => level.backorder > 0).map(({ id }) => id);
  if (short.length === 0) return items;
  const waiting = await tx<{ id: string; stockItemId: string; missing: number }[]>`
    SELECT id, stock_item_id, (quantity - allocated)::float8 AS missing FROM stock_reservations
    WHERE stock_item_id = ANY(${short}::bigint[]) AND state = 'reserved' AND allocated < quantity ORDER BY id`;
  const byId = new Map(items.map((item) => [item.id, item]));
  for (const { id, stockItemId, missing } of waiting) {
    byId.get(stockItemId)!.waiting.push({ id, missing });
  }
  return items;
}

/** Stores the levels of items and the allocations of reservations, and appends movements, in one statement. */
export async function storeStockChanges(
  tx: Transaction,
  items: readonly LockedItem[],
  allocations: readonly Allocation[],
  movements: readonly NewMovement[],
): Promise<void> {
  const levels = items.map(({ id, level, quantityOrdered }) => ({ id, ...level, ordered: quantityOrdered }));
  const ledger = movements.map(({ itemId, type, quantity, before, after, reference, step }) => ({
    item: itemId,
    type,
    quantity,
    dq: after.quantity - before.quantity,
    dr: after.reserved - before.reserved,
    db: after.backorder - before.backorder,
    reference: reference ?? null,
    step: step ?? null,
  }));
  await tx`
    WITH levelled AS (
      UPDATE stock_items i
      SET quantity = l.quantity, reserved = l.reserved, backorder = l.backorder, quantity_ordered = l.ordered
      FROM jsonb_to_recordset(${json(tx, levels)})
        AS l (id bigint, quantity bigint, reserved bigint, backorder bigint, ordered bigint)
      WHERE i.id = l.id
    ), allocated AS (
      UPDATE stock_reservations r SET allocated = r.allocated + a.quantity
      FROM (
        -- A reservation may have several allocations, but UPDATE applies only one source row to each target row.
        SELECT "reservationId" AS id, sum(quantity) AS quantity
        FROM jsonb_to_recordset(${json(tx, allocations)}) AS a ("reservationId" bigint, quantity bigint) GROUP BY 1
      ) a
      WHERE r.id = a.id
    )
    INSERT INTO stock_movements (stock_item_id, type, quantity, quantity_delta, reserved_delta, backorder_delta, reference, step)
    SELECT m.item, m.type, m.quantity, m.dq, m.dr, m.db, m.reference, m.step
    FROM jsonb_to_recordset(${json(tx, ledger)})
      AS m (item bigint, type text, quantity bigint, dq bigint, dr bigint, db bigint, reference text, step text)`;
}

/** One line of the ledger. */
type StockMovement = Omit<z.output<typeof stockMovementSchema>, 'at'> & { readonly at: Date };
export type MovementType = StockMovement['type'];

/**
 * Returns the ledger of one stock item, newest first.
 * @param before return movements older than the one with this id; null: begin with the newest
 */
export async function stockMovements(
  sql: Sql,
  partnerId: string,
  partnerSku: string,
  { before, limit }: { readonly before: string | null; readonly limit: number },
): Promise<StockMovement[]> {
  return await sql<StockMovement[]>`
    SELECT m.id, m.type, m.quantity::float8, m.quantity_delta::float8, m.reserved_delta::float8, m.backorder_delta::float8,
           m.reference, m.at
    FROM stock_items i JOIN stock_movements m ON m.stock_item_id = i.id
    WHERE i.partner_id = ${partnerId} AND i.partner_sku = ${partnerSku} ${before === null ? sql`` : sql`AND m.id < ${before}`}
    ORDER BY m.stock_item_id, m.id DESC LIMIT ${limit}`;
}
