import type { Sql } from '../../src/platform/postgres';

/** A stock item whose level does not match its ledger or its reservations. */
export interface StockDifference {
  readonly partnerSku: string;
  readonly partnerId: string;
  readonly problem: string;
}

/**
 * Compares every level with the sum of its movements, and its reserved pieces with the open reservations. Runs one
 * statement, so that it sees one snapshot of the database.
 * @returns the differences; empty when there are none
 */
export async function auditStock(sql: Sql): Promise<StockDifference[]> {
  return await sql<StockDifference[]>`
    SELECT i.partner_sku, i.partner_id,
           format('level %s/%s/%s, ledger %s/%s/%s, reservations hold %s and lack %s',
                  i.quantity, i.reserved, i.backorder, m.quantity, m.reserved, m.backorder, r.allocated, r.missing) AS problem
    FROM stock_items i
    LEFT JOIN LATERAL (
      SELECT coalesce(sum(quantity_delta), 0) AS quantity, coalesce(sum(reserved_delta), 0) AS reserved,
             coalesce(sum(backorder_delta), 0) AS backorder
      FROM stock_movements WHERE stock_item_id = i.id
    ) m ON true
    LEFT JOIN LATERAL (
      SELECT coalesce(sum(allocated), 0) AS allocated, coalesce(sum(quantity - allocated), 0) AS missing
      FROM stock_reservations WHERE stock_item_id = i.id AND state = 'reserved'
    ) r ON true
    WHERE (i.quantity, i.reserved, i.backorder) IS DISTINCT FROM (m.quantity, m.reserved, m.backorder)
       OR i.reserved <> r.allocated OR i.backorder < r.missing
    ORDER BY i.id`;
}
