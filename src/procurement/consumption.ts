import type { Sql } from '../platform/postgres';
import { justAfter, type PageRequest, type Period } from './list-filters';

/** A row of the consumption list (interface "Inventory consumption item"). */
export interface ConsumptionItem {
  readonly printJobId: number;
  readonly partnerSku: string;
  readonly productName: string | null;
  readonly quantity: number;
  readonly createdAt: Date;
}

/**
 * What print jobs have reserved of a partner's stock, newest first: reservations that stand and those
 * that were consumed; released ones used nothing and are left out.
 * @param filter empty lists filter nothing
 */
export async function listConsumption(
  sql: Sql,
  partnerId: string,
  filter: Period & { readonly partnerSkus: readonly string[]; readonly printJobIds: readonly number[] },
  page: PageRequest,
): Promise<{ items: ConsumptionItem[]; total: number }> {
  const { partnerSkus, printJobIds, from, to } = filter;
  const matching = sql`
    r.partner_id = ${partnerId} AND r.state <> 'released'
    ${from === null ? sql`` : sql`AND r.created_at >= ${from}`}
    ${to === null ? sql`` : sql`AND r.created_at < ${justAfter(to)}`}
    ${printJobIds.length === 0 ? sql`` : sql`AND r.print_job_id = ANY(${[...printJobIds]}::bigint[])`}
    ${
      partnerSkus.length === 0
        ? sql``
        : sql`AND r.stock_item_id = ANY(ARRAY(
            SELECT id FROM stock_items WHERE partner_id = ${partnerId} AND partner_sku = ANY(${[...partnerSkus]})))`
    }`;
  const [rows, [count]] = await Promise.all([
    sql<
      {
        printJobId: string;
        partnerSku: string;
        productName: string | null;
        quantity: string;
        createdAt: Date;
      }[]
    >`
      SELECT r.print_job_id, i.partner_sku, r.product_name, r.quantity, r.created_at
      FROM stock_reservations r JOIN stock_items i ON i.id = r.stock_item_id
      WHERE ${matching} ORDER BY r.created_at DESC, r.id DESC
      LIMIT ${page.perPage} OFFSET ${(page.pageNumber - 1) * page.perPage}`,
    sql<{ total: string }[]>`SELECT count(*) AS total FROM stock_reservations r WHERE ${matching}`,
  ]);
  return {
    items: rows.map((row) => ({
      ...row,
      printJobId: Number(row.printJobId),
      quantity: Number(row.quantity),
    })),
    total: Number(count!.total),
  };
}
