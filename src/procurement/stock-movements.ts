import type { Sql } from '../platform/postgres';

export type MovementType = 'add' | 'consume' | 'reserve' | 'release' | 'consume_reserved' | 'receive';

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

interface MovementRow {
  id: string;
  type: MovementType;
  quantity: string;
  quantityDelta: string;
  reservedDelta: string;
  backorderDelta: string;
  reference: string | null;
  at: Date;
}

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
  const rows = await sql<MovementRow[]>`
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
