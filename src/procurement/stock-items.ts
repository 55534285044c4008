import { inTransaction, json, type Sql } from '../platform/postgres';
import { type AlertUid, alertUid } from './domain/stock-level';
import type { PageRequest } from './list-filters';
import { LockedStock, type MovementType } from './stock-ledger';

/** A stock item as it is set up; without a supplier it is never reordered. */
export interface StockItemSetup {
  readonly partnerSku: string;
  readonly productUid?: string | undefined;
  readonly productName?: string | null | undefined;
  readonly minStock: number;
  readonly maxStock: number;
  readonly allowBackorder?: boolean | undefined;
  readonly supplier?:
    | {
        readonly uid: string;
        /** Integer minor units of `currency`. */
        readonly unitCostMinor: number;
        readonly currency: string;
        readonly vatPercentage?: number | null | undefined;
      }
    | undefined;
  /** Stock that a new item starts with; an item that exists keeps its level. */
  readonly openingQuantity?: number | undefined;
}

/**
 * Sets a partner's stock items up: new ones are added, those that exist get the new names, limits and supplier.
 * Each sku may be given once.
 * @returns how many are new
 */
export async function setUpStockItems(
  sql: Sql,
  partnerId: string,
  items: readonly StockItemSetup[],
): Promise<number> {
  if (items.length === 0) return 0;
  return await inTransaction(sql, async (tx) => {
    // The counter's row lock makes set-ups of one partner take turns, so that positions stay dense.
    const [counter] = await tx<{ items: string }[]>`
      INSERT INTO stock_item_counts AS c (partner_id, items) VALUES (${partnerId}, 0)
      ON CONFLICT (partner_id) DO UPDATE SET items = c.items RETURNING items`;
    const skus = items.map(({ partnerSku }) => partnerSku);
    const present = new Set(
      (
        await tx<{ partnerSku: string }[]>`
          SELECT partner_sku FROM stock_items WHERE partner_id = ${partnerId} AND partner_sku = ANY(${skus})`
      ).map(({ partnerSku }) => partnerSku),
    );
    let position = Number(counter!.items);
    const rows = items.map((item) => ({
      position: present.has(item.partnerSku) ? 0 : ++position,
      sku: item.partnerSku,
      uid: item.productUid ?? item.partnerSku,
      name: item.productName ?? null,
      min: item.minStock,
      max: item.maxStock,
      backorders: item.allowBackorder ?? true,
      supplier: item.supplier?.uid ?? null,
      cost: item.supplier?.unitCostMinor ?? null,
      currency: item.supplier?.currency ?? null,
      vat: item.supplier?.vatPercentage ?? null,
    }));
    await tx`
      INSERT INTO stock_items (partner_id, position, partner_sku, product_uid, product_name, min_stock, max_stock,
                               allow_backorder, supplier_uid, unit_cost_minor, cost_currency, vat_percentage)
      SELECT ${partnerId}, position, sku, uid, name, min, max, backorders, supplier, cost, currency, vat
      FROM jsonb_to_recordset(${json(tx, rows)})
        AS i (position bigint, sku text, uid text, name text, min bigint, max bigint, backorders boolean,
              supplier text, cost bigint, currency text, vat numeric)
      ORDER BY position
      ON CONFLICT (partner_sku, partner_id) DO UPDATE
      SET product_uid = excluded.product_uid, product_name = excluded.product_name, min_stock = excluded.min_stock,
          max_stock = excluded.max_stock, allow_backorder = excluded.allow_backorder, supplier_uid = excluded.supplier_uid,
          unit_cost_minor = excluded.unit_cost_minor, cost_currency = excluded.cost_currency,
          vat_percentage = excluded.vat_percentage`;
    await tx`UPDATE stock_item_counts SET items = ${position} WHERE partner_id = ${partnerId}`;

    const opening = new Map(
      items.flatMap(({ partnerSku, openingQuantity }) =>
        present.has(partnerSku) || !openingQuantity ? [] : [[partnerSku, openingQuantity]],
      ),
    );
    const stock = await LockedStock.lock(
      tx,
      tx`i.partner_id = ${partnerId} AND i.partner_sku = ANY(${skus})`,
    );
    for (const [partnerSku, quantity] of opening) {
      stock.add(stock.bySku(partnerId, partnerSku)!.id, quantity, {
        reference: 'opening stock',
        step: 'opening',
      });
    }
    await stock.write();
    return position - Number(counter!.items);
  });
}

/** A stock item as lists show it: the interface's inventory item, and what operators see besides. */
export interface StockItemView {
  readonly partnerSku: string;
  readonly alertUid: AlertUid | null;
  readonly quantity: number;
  readonly minStock: number;
  readonly maxStock: number;
  readonly quantityOrdered: number;
  readonly productUid: string;
  readonly productName: string | null;
  readonly reserved: number;
  readonly backorder: number;
  readonly allowBackorder: boolean;
  readonly supplierUid: string | null;
}

interface ItemRow {
  partnerSku: string;
  productUid: string;
  productName: string | null;
  quantity: string;
  reserved: string;
  backorder: string;
  minStock: string;
  maxStock: string;
  quantityOrdered: string;
  allowBackorder: boolean;
  supplierUid: string | null;
}

/**
 * A partner's stock in the order in which it was set up: all of it, the skus asked for, or a page.
 * @returns the items, and how many there are on all pages together
 */
export async function listStockItems(
  sql: Sql,
  partnerId: string,
  { partnerSkus = [], page }: { readonly partnerSkus?: readonly string[]; readonly page?: PageRequest },
): Promise<{ items: StockItemView[]; total: number }> {
  const filtered = partnerSkus.length > 0;
  const first = page === undefined ? 0 : (page.pageNumber - 1) * page.perPage;
  const matching = filtered ? sql`AND partner_sku = ANY(${[...new Set(partnerSkus)]})` : sql``;
  const paged =
    page === undefined
      ? sql`ORDER BY position`
      : filtered
        ? sql`ORDER BY position LIMIT ${page.perPage} OFFSET ${first}`
        : sql`AND position > ${first} AND position <= ${first + page.perPage} ORDER BY position`;
  const rows = await sql<ItemRow[]>`
    SELECT partner_sku, product_uid, product_name, quantity, reserved, backorder, min_stock, max_stock, quantity_ordered,
           allow_backorder, supplier_uid
    FROM stock_items WHERE partner_id = ${partnerId} ${matching} ${paged}`;
  if (page === undefined) return { items: rows.map(itemView), total: rows.length };
  const [count] = filtered
    ? await sql<{ items: string }[]>`
        SELECT count(*) AS items FROM stock_items WHERE partner_id = ${partnerId} ${matching}`
    : await sql<{ items: string }[]>`SELECT items FROM stock_item_counts WHERE partner_id = ${partnerId}`;
  return { items: rows.map(itemView), total: Number(count?.items ?? 0) };
}

function itemView({
  partnerSku,
  productUid,
  productName,
  allowBackorder,
  supplierUid,
  ...row
}: ItemRow): StockItemView {
  const level = {
    quantity: Number(row.quantity),
    reserved: Number(row.reserved),
    backorder: Number(row.backorder),
  };
  const minStock = Number(row.minStock);
  return {
    partnerSku,
    alertUid: alertUid(level, minStock),
    ...level,
    minStock,
    maxStock: Number(row.maxStock),
    quantityOrdered: Number(row.quantityOrdered),
    productUid,
    productName,
    allowBackorder,
    supplierUid,
  };
}

/** One line of the ledger. */
export interface StockMovement {
  /** Decimal string. */
  readonly id: string;
  readonly type: MovementType;
  readonly quantity: number;
  readonly quantityDelta: number;
  readonly reservedDelta: number;
  readonly backorderDelta: number;
  readonly reference: string | null;
  readonly at: Date;
}

/** The ledger of one item, newest first. @param before id of the movement to go on after; null: the newest */
export async function stockMovements(
  sql: Sql,
  partnerId: string,
  partnerSku: string,
  { before, limit }: { readonly before: string | null; readonly limit: number },
): Promise<StockMovement[]> {
  const rows = await sql<
    {
      id: string;
      type: MovementType;
      quantity: string;
      quantityDelta: string;
      reservedDelta: string;
      backorderDelta: string;
      reference: string | null;
      at: Date;
    }[]
  >`
    SELECT m.id, m.type, m.quantity, m.quantity_delta, m.reserved_delta, m.backorder_delta, m.reference, m.at
    FROM stock_items i JOIN stock_movements m ON m.stock_item_id = i.id
    WHERE i.partner_id = ${partnerId} AND i.partner_sku = ${partnerSku} ${before === null ? sql`` : sql`AND m.id < ${before}`}
    ORDER BY m.stock_item_id, m.id DESC LIMIT ${limit}`;
  return rows.map((row) => ({
    ...row,
    quantity: Number(row.quantity),
    quantityDelta: Number(row.quantityDelta),
    reservedDelta: Number(row.reservedDelta),
    backorderDelta: Number(row.backorderDelta),
  }));
}
