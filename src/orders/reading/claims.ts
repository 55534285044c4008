import type { Fragment, Queryable } from '../../platform/postgres';
import type { ClaimReason, ClaimStatus, ClaimView, LiableSide } from '../domain/claim';
import { type ArchivedRows, withRows } from './archived-tables';

/** Units of an item in a claim. @property outcome null while they are open; `replacing` while the order run is asked */
export interface ClaimedItem {
  readonly itemId: string;
  readonly itemReferenceId: string;
  readonly quantity: number;
  readonly outcome: 'replacing' | 'replaced' | 'refunded' | 'refused' | null;
  /** How often the order run has refused to make them again. Absent before the first. */
  readonly refusals?: number;
}

export interface Claim {
  readonly id: string;
  readonly orderId: string;
  readonly reason: ClaimReason;
  readonly status: ClaimStatus;
  readonly items: readonly ClaimedItem[];
  readonly note: string | null;
  readonly pictures: readonly string[];
  readonly madeBy: string;
  readonly liable: LiableSide | null;
  readonly message: string | null;
  readonly replacementId: string | null;
  readonly createdAt: Date;
  readonly decidedAt: Date | null;
}

export const claimColumns = (sql: Queryable): Fragment => sql`
  id, order_id, reason, status, items, note, pictures, made_by, liable, message, replacement_id, created_at, decided_at`;

/** Returns the claims of an order, oldest first. @param archived its rows, when it is archived */
export async function claimsOf(sql: Queryable, orderId: string, archived: ArchivedRows | null): Promise<Claim[]> {
  return await sql<Claim[]>`
    ${withRows(sql, archived)} claimed AS (SELECT * FROM claims WHERE order_id = ${orderId})
    SELECT ${claimColumns(sql)} FROM claimed ORDER BY id`;
}

/** Returns a claim as its client reads it: not who is liable. */
export function claimView(claim: Claim): ClaimView {
  const { id, orderId, reason, status, note, pictures, message, replacementId, createdAt, decidedAt } = claim;
  return {
    ...{ id, orderId, reason, status, note, pictures: [...pictures], message, createdAt, decidedAt },
    items: claim.items.map(({ itemReferenceId, quantity }) => ({ itemReferenceId, quantity })),
    replacementOrderId: replacementId,
  };
}
