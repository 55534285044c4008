import type { z } from 'zod';
import type { Sql } from '../platform/postgres';
import type { stockMovementSchema } from './operator-schemas';

/** One line of the ledger. */
export type StockMovement = Omit<z.output<typeof stockMovementSchema>, 'at'> & { readonly at: Date };
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
