import { inTransaction, type Sql, type Transaction } from '../platform/postgres';
import { LockedStock, type StockItem } from './stock-ledger';

export interface Adjustment {
  readonly partnerSku: string;
  readonly adjustmentType: 'add' | 'consume';
  readonly quantity: number;
  readonly referenceId?: string | undefined;
}

/** What became of one adjustment (interface "adjust-stock"). Levels of an unknown sku are 0. */
export interface AdjustmentResult {
  readonly partnerSku: string;
  readonly success: boolean;
  readonly message: string;
  readonly previousQuantity: number;
  readonly newQuantity: number;
  readonly backorderQuantity: number;
}

/**
 * Applies up to 100 adjustments of one partner in one transaction, in the order given. Each stands for
 * itself: an unknown sku or a repeated referenceId fails that adjustment and no other.
 * @param alongside writes in the same transaction what must stand or fall with the adjustments
 */
export async function adjustStock(
  sql: Sql,
  partnerId: string,
  adjustments: readonly Adjustment[],
  alongside?: (tx: Transaction, results: readonly AdjustmentResult[]) => Promise<void>,
): Promise<AdjustmentResult[]> {
  if (adjustments.some(({ referenceId }) => referenceId !== undefined)) await pruneReferences(sql);
  return await inTransaction(sql, async (tx) => {
    const skus = [...new Set(adjustments.map(({ partnerSku }) => partnerSku))];
    const stock = await LockedStock.lock(
      tx,
      tx`i.partner_id = ${partnerId} AND i.partner_sku = ANY(${skus})`,
    );
    const items = new Map(skus.map((sku) => [sku, stock.bySku(partnerId, sku)]));
    const references = await claimReferences(
      tx,
      partnerId,
      adjustments.filter(({ partnerSku }) => items.get(partnerSku) !== undefined),
    );
    const results = adjustments.map((adjustment): AdjustmentResult => {
      const { partnerSku, adjustmentType, quantity, referenceId } = adjustment;
      const item = items.get(partnerSku);
      if (item === undefined) {
        return {
          partnerSku,
          success: false,
          message: `Unknown partnerSku ${partnerSku}.`,
          previousQuantity: 0,
          newQuantity: 0,
          backorderQuantity: 0,
        };
      }
      const { quantity: previousQuantity, backorder: previousBackorder } = item.level;
      // The first adjustment with a claimed reference takes it; a second one in this request finds it gone.
      if (referenceId !== undefined && !references.delete(referenceId)) {
        return {
          partnerSku,
          success: false,
          message: `Repeated referenceId ${referenceId} for ${partnerSku}: it was used within the last 5 minutes.`,
          previousQuantity,
          newQuantity: previousQuantity,
          backorderQuantity: previousBackorder,
        };
      }
      const cause = referenceId === undefined ? {} : { reference: referenceId };
      if (adjustmentType === 'add') stock.add(item.id, quantity, cause);
      else stock.consume(item.id, quantity, cause);
      return {
        partnerSku,
        success: true,
        message: adjustedMessage(adjustment, item, previousBackorder),
        previousQuantity,
        newQuantity: item.level.quantity,
        backorderQuantity: item.level.backorder,
      };
    });
    await stock.write();
    await alongside?.(tx, results);
    return results;
  });
}

function adjustedMessage(
  { adjustmentType, quantity }: Adjustment,
  { level }: StockItem,
  previousBackorder: number,
): string {
  if (adjustmentType === 'add') {
    const offset = previousBackorder - level.backorder;
    return offset === 0 ? `Added ${quantity}.` : `Added ${quantity}, ${offset} of them for the backorder.`;
  }
  const owed = level.backorder - previousBackorder;
  return owed === 0 ? `Consumed ${quantity}.` : `Consumed ${quantity}, ${owed} of them backordered.`;
}

/**
 * Claims the references that are free: never used, or last used more than five minutes ago.
 * The primary key decides between concurrent requests: the second waits for the first to commit and
 * then finds the claim. Claimed in sorted order, so that two requests cannot wait for each other.
 */
async function claimReferences(
  tx: Transaction,
  partnerId: string,
  adjustments: readonly Adjustment[],
): Promise<Set<string>> {
  const wanted = [...new Set(adjustments.flatMap(({ referenceId }) => referenceId ?? []))].sort();
  if (wanted.length === 0) return new Set();
  const claimed = await tx<{ referenceId: string }[]>`
    INSERT INTO stock_adjustment_references AS r (partner_id, reference_id, claimed_at)
    SELECT ${partnerId}, reference_id, now() FROM unnest(${wanted}::text[]) AS wanted (reference_id)
    ON CONFLICT (partner_id, reference_id) DO UPDATE SET claimed_at = excluded.claimed_at
    WHERE r.claimed_at <= excluded.claimed_at - interval '5 minutes'
    RETURNING reference_id`;
  return new Set(claimed.map(({ referenceId }) => referenceId));
}

/** Forgets references that no longer refuse anything: each request that claims some clears away more than it adds. */
async function pruneReferences(sql: Sql): Promise<void> {
  await sql`
    DELETE FROM stock_adjustment_references WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM stock_adjustment_references WHERE claimed_at < now() - interval '10 minutes'
      LIMIT 200 FOR UPDATE SKIP LOCKED))`;
}
