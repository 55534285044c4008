import type { Queryable } from '../platform/postgres';
import type { AlertUid } from './domain/stock-level';
import { type ItemRow, itemView, type StockItemView } from './stock-items';

/** A stock item in the list of all partners. */
export interface ListedStockItem extends StockItemView {
  readonly partnerId: string;
  readonly partnerUid: string;
}

/** Filters of the list. */
export interface StockItemFilter {
  readonly partnerId?: string | undefined;
  readonly partnerSku?: string | undefined;
  /** `any`: items with an alert of any kind. */
  readonly alert?: AlertUid | 'any' | undefined;
}

/** Position of an item in the list. */
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
} as const satisfies Record<AlertUid | 'any', string>;

/**
 * Returns a page of the stock items of all partners, by SKU and partner. Levels are in no index, so that an adjustment stays
 * within its page: a filter by alert compares items until the page is full.
 */
export async function listStockItemsOfPartners(
  sql: Queryable,
  { partnerId, partnerSku, alert }: StockItemFilter,
  { limit, after }: { readonly limit: number; readonly after: StockItemPosition | null },
): Promise<readonly ListedStockItem[]> {
  const rows = await sql<(ItemRow & { partnerId: string; partnerUid: string })[]>`
    SELECT i.partner_id, p.uid AS partner_uid, i.partner_sku, i.product_uid, i.product_name, i.quantity, i.reserved,
      i.backorder, i.min_stock, i.max_stock, i.quantity_ordered, i.allow_backorder, i.supplier_uid
    FROM stock_items i JOIN partners p ON p.account_id = i.partner_id
    WHERE true
      ${partnerId === undefined ? sql`` : sql`AND i.partner_id = ${partnerId}`}
      ${partnerSku === undefined ? sql`` : sql`AND i.partner_sku = ${partnerSku}`}
      ${alert === undefined ? sql`` : sql`AND ${sql.unsafe(ALERTS[alert])}`}
      ${after === null ? sql`` : sql`AND (i.partner_sku, i.partner_id) > (${after.partnerSku}, ${after.partnerId}::uuid)`}
    ORDER BY i.partner_sku, i.partner_id LIMIT ${limit}`;
  return rows.map(({ partnerId, partnerUid, ...row }) => ({ ...itemView(row), partnerId, partnerUid }));
}
