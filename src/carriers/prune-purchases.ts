import { FOLLOWED_DAYS } from '../consignments/domain/tracking-status';
import type { Sql } from '../platform/postgres';
import { progressed } from '../platform/progress';

/** Days for which purchases at built-in carriers are kept: longer than a parcel is followed, or the step of a purchase repeated. */
const KEPT_DAYS = FOLLOWED_DAYS + 10;
const BATCH = 10_000;

/** Deletes old purchases at built-in carriers. Labels and tracking stay with their orders. Returns the number of deleted rows. */
export async function prunePurchases(sql: Sql): Promise<number> {
  for (let pruned = 0; ; ) {
    const { count } = await sql`
      DELETE FROM carrier_purchases WHERE idempotency_key IN (
        SELECT idempotency_key FROM carrier_purchases
        WHERE bought_at < now() - make_interval(days => ${KEPT_DAYS}) LIMIT ${BATCH})`;
    progressed();
    pruned += count;
    if (count < BATCH) return pruned;
  }
}
