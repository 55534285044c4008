import type { z } from 'zod';
import { inTransaction, json, type Queryable, type Sql, type Transaction } from '../platform/postgres';
import { unitCostMinor } from './domain/procurement-order';
import { type AlertUid, alertUid, type StockLevel } from './domain/stock-level';
import { LockedStock } from './locked-stock';
import type { partnerStockItemSchema, stockItemSetupSchema, stockItemViewSchema } from './operator-schemas';
import type { PageRequest } from './partner-schemas';

/** The setup of a stock item. Without a supplier it is never reordered. */
export type StockItemSetup = z.input<typeof stockItemSetupSchema>;

/** Returns the rows of stock items to insert or update. New items are numbered after the last position. */
function itemRows(items: readonly StockItemSetup[], existing: ReadonlySet<string>, last: number) {
  let position = last;
  return items.map((item) => ({
    position: existing.has(item.partnerSku) ? 0 : ++position,
    sku: item.partnerSku,
    uid: item.productUid ?? item.partnerSku,
    name: item.productName ?? null,
    min: item.minStock ?? 0,
    max: item.maxStock ?? 0,
    backorders: item.allowBackorder ?? true,
    supplier: item.supplier?.uid ?? null,
    cost: item.supplier === undefined ? null : unitCostMinor(item.supplier.unitCost, item.supplier.currency),
    currency: item.supplier?.currency ?? null,
    vat: item.supplier?.vatPercentage ?? null,
  }));
}

/** Stored setups of stock items by SKU. */
export type SetupsBySku = Readonly<Record<string, object>>;

async function setupsOf(tx: Transaction, partnerId: string, skus: readonly string[]): Promise<SetupsBySku> {
  const rows = await tx<{ partnerSku: string }[]>`
    SELECT partner_sku, product_uid, product_name, min_stock, max_stock, allow_backorder, supplier_uid,
           unit_cost_minor, cost_currency, vat_percentage
    FROM stock_items WHERE partner_id = ${partnerId} AND partner_sku = ANY(${[...skus]})`;
  return Object.fromEntries(rows.map(({ partnerSku, ...setup }) => [partnerSku, setup]));
}

/**
 * Adds stock items of a partner and updates names, limits and supplier of existing ones. Each SKU may occur once.
 * @param alongside runs in the same transaction, with the setups by SKU
 * @returns the number of new items
 */
export async function setUpStockItems(
  sql: Sql,
  partnerId: string,
  items: readonly StockItemSetup[],
  alongside?: (tx: Transaction, before: SetupsBySku, after: SetupsBySku) => Promise<void>,
): Promise<number> {
  if (items.length === 0) return 0;
  return await inTransaction(sql, async (tx) => {
    // The row lock on the counter serializes setups of one partner, so that positions have no gaps.
    const [counter] = await tx<{ items: string }[]>`
      INSERT INTO stock_item_counts AS c (partner_id, items) VALUES (${partnerId}, 0)
      ON CONFLICT (partner_id) DO UPDATE SET items = c.items RETURNING items`;
    const skus = items.map(({ partnerSku }) => partnerSku);
    const before = await setupsOf(tx, partnerId, skus);
    const existing = new Set(Object.keys(before));
    const last = Number(counter!.items);
    const rows = itemRows(items, existing, last);
    await tx`
      INSERT INTO stock_items (partner_id, position, partner_sku, product_uid, product_name, min_stock, max_stock,
                               allow_backorder, supplier_uid, unit_cost_minor, cost_currency, vat_percentage)
      SELECT ${partnerId}, position, sku, uid, name, min, max, backorders, supplier, cost, currency, vat
      FROM jsonb_to_recordset(${json(tx, rows)})
        AS i (position bigint, sku text, uid text, name text, min bigint, max bigint, backorders boolean,
              supplier text, cost numeric, currency text, vat numeric)
      ORDER BY position
      ON CONFLICT (partner_sku, partner_id) DO UPDATE
      SET product_uid = excluded.product_uid, product_name = excluded.product_name, min_stock = excluded.min_stock,
          max_stock = excluded.max_stock, allow_backorder = excluded.allow_backorder, supplier_uid = excluded.supplier_uid,
          unit_cost_minor = excluded.unit_cost_minor, cost_currency = excluded.cost_currency,
          vat_percentage = excluded.vat_percentage`;
    const count = last + items.length - existing.size;
    await tx`UPDATE stock_item_counts SET items = ${count} WHERE partner_id = ${partnerId}`;

    const stock = await LockedStock.lock(tx, tx`i.partner_id = ${partnerId} AND i.partner_sku = ANY(${skus})`);
    for (const { partnerSku, openingQuantity } of items) {
      if (existing.has(partnerSku) || !openingQuantity) continue;
      const cause = { reference: 'opening stock', step: 'opening' };
      stock.add(stock.bySku(partnerId, partnerSku)!.id, openingQuantity, cause);
    }
    await stock.write();
    await alongside?.(tx, before, await setupsOf(tx, partnerId, skus));
    return count - last;
  });
}

/** A stock item as lists return it: the fields of operation `listInventory` and those for operators. */
export type StockItemView = z.output<typeof stockItemViewSchema>;
/** A stock item in the list of all partners. */
export type PartnerStockItem = z.output<typeof partnerStockItemSchema>;

/** Returns the columns of a stock item `i`, as lists read them. */
const columns = (sql: Queryable) => sql`
  i.partner_sku, i.product_uid, i.product_name, i.quantity::float8, i.reserved::float8, i.backorder::float8,
  i.min_stock::float8, i.max_stock::float8, i.quantity_ordered::float8, i.allow_backorder, i.supplier_uid`;

const withAlert = <T extends StockLevel & { readonly minStock: number }>(item: T) => ({
  ...item,
  alertUid: alertUid(item, item.minStock),
});

/**
 * Returns a partner's stock items in the order of their setup: all of them, those with the given SKUs, or a page.
 * @returns the items, and the total of all pages
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
  const rows = await sql<Omit<StockItemView, 'alertUid'>[]>`
    SELECT ${columns(sql)} FROM stock_items i WHERE partner_id = ${partnerId} ${matching} ${paged}`;
  if (page === undefined) return { items: rows.map(withAlert), total: rows.length };
  const [count] = filtered
    ? await sql<{ items: number }[]>`
        SELECT count(*)::float8 AS items FROM stock_items WHERE partner_id = ${partnerId} ${matching}`
    : await sql<{ items: number }[]>`SELECT items::float8 FROM stock_item_counts WHERE partner_id = ${partnerId}`;
  return { items: rows.map(withAlert), total: count?.items ?? 0 };
}

interface StockItemFilter {
  readonly partnerId?: string | undefined;
  readonly partnerSku?: string | undefined;
  /** `any`: items with an alert of any kind. */
  readonly alert?: keyof typeof ALERTS | undefined;
}

/** Position of an item in the list of all partners. */
export interface StockItemPosition {
  readonly partnerSku: string;
  readonly partnerId: string;
}

/** The conditions of the alerts of `alertUid`, in SQL. Each excludes those before it. */
const ALERTS = {
  back_order: 'backorder > 0',
  out_of_stock: 'backorder = 0 AND quantity = reserved',
  low_stock: 'backorder = 0 AND quantity > reserved AND quantity - reserved <= min_stock',
  any: 'quantity - reserved <= min_stock',
  // From the partner's own report `r`.
  report_differs: "coalesce(r.amount <> i.quantity, (r.status = 'in-stock') <> (i.quantity > 0))",
} as const satisfies Record<AlertUid | 'any' | 'report_differs', string>;

/**
 * Returns a page of the stock items of all partners, by SKU and partner. Levels are in no index, so that an adjustment stays
 * within its page: a filter by alert compares items until the page is full.
 */
export async function listStockItemsOfPartners(
  sql: Queryable,
  { partnerId, partnerSku, alert }: StockItemFilter,
  { limit, after }: { readonly limit: number; readonly after: StockItemPosition | null },
): Promise<readonly PartnerStockItem[]> {
  const rows = await sql<Omit<PartnerStockItem, 'alertUid'>[]>`
    SELECT i.partner_id, p.uid AS partner_uid, ${columns(sql)},
      CASE WHEN r.status IS NOT NULL THEN jsonb_build_object('status', r.status, 'amount', r.amount, 'at', r.reported_at,
        'differs', ${sql.unsafe(ALERTS.report_differs)}) END AS reported
    FROM stock_items i JOIN partners p ON p.account_id = i.partner_id
      LEFT JOIN partner_stock_levels r ON r.partner_sku = i.partner_sku AND r.partner_id = i.partner_id
    WHERE true
      ${partnerId === undefined ? sql`` : sql`AND i.partner_id = ${partnerId}`}
      ${partnerSku === undefined ? sql`` : sql`AND i.partner_sku = ${partnerSku}`}
      ${alert === undefined ? sql`` : sql`AND ${sql.unsafe(ALERTS[alert])}`}
      ${after === null ? sql`` : sql`AND (i.partner_sku, i.partner_id) > (${after.partnerSku}, ${after.partnerId}::uuid)`}
    ORDER BY i.partner_sku, i.partner_id LIMIT ${limit}`;
  return rows.map(withAlert);
}

interface StockAlarm {
  readonly partnerId: string;
  readonly partnerUid: string;
  readonly reason: 'out_of_stock' | 'back_order' | 'report_differs' | 'reported_out';
  readonly items: number;
  readonly firstSku: string;
}

/** Returns the stock of enabled partners that is out or differs from their reports, by partner and reason. */
export async function stockAlarms(sql: Queryable): Promise<StockAlarm[]> {
  return await sql<StockAlarm[]>`
    SELECT s.partner_id, p.uid AS partner_uid, s.reason, count(*)::int AS items, min(s.partner_sku) AS first_sku FROM (
      SELECT partner_id, partner_sku, CASE WHEN backorder > 0 THEN 'back_order' ELSE 'out_of_stock' END AS reason
      FROM stock_items WHERE quantity = reserved
      UNION ALL
      SELECT i.partner_id, i.partner_sku, 'report_differs'
      FROM stock_items i JOIN partner_stock_levels r ON r.partner_sku = i.partner_sku AND r.partner_id = i.partner_id
      WHERE ${sql.unsafe(ALERTS.report_differs)}
      UNION ALL
      SELECT r.partner_id, r.partner_sku, 'reported_out' FROM partner_stock_levels r
      WHERE (r.status = 'out-of-stock' OR r.amount = 0) AND NOT EXISTS (
        SELECT FROM stock_items i WHERE i.partner_sku = r.partner_sku AND i.partner_id = r.partner_id)) s
    JOIN partners p ON p.account_id = s.partner_id AND p.enabled
    GROUP BY 1, 2, 3 ORDER BY p.uid, s.reason`;
}
