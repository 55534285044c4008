import type { z } from 'zod';
import { inTransaction, type Sql, type Transaction } from '../platform/postgres';
import { EMPTY_LEVEL } from './domain/stock-level';
import { LockedStock } from './locked-stock';
import type { StockItem } from './locked-stock-rows';
import type { adjustStockRequestSchema, adjustStockResponseSchema } from './partner-schemas';

type Adjustment = z.output<typeof adjustStockRequestSchema>['adjustments'][number];
/** The result of one adjustment (operation `adjustStock`). The levels of an unknown SKU are 0. */
type AdjustmentResult = z.output<typeof adjustStockResponseSchema>['updates'][number];

/**
 * Applies up to 100 adjustments of one partner in one transaction, in the given order. An unknown SKU or a repeated
 * referenceId fails that adjustment only.
 * @param alongside runs in the same transaction, for rows that must be committed together with the adjustments
 */
export async function adjustStock(
  sql: Sql,
  partnerId: string,
  adjustments: readonly Adjustment[],
  alongside?: (tx: Transaction, results: readonly AdjustmentResult[]) => Promise<void>,
): Promise<AdjustmentResult[]> {
  return await inTransaction(sql, async (tx) => {
    const skus = [...new Set(adjustments.map(({ partnerSku }) => partnerSku))];
    const stock = await LockedStock.lock(tx, tx`i.partner_id = ${partnerId} AND i.partner_sku = ANY(${skus})`);
    const items = new Map(skus.map((sku) => [sku, stock.bySku(partnerId, sku)]));
    const references = await claimReferences(
      tx,
      partnerId,
      adjustments.filter(({ partnerSku }) => items.get(partnerSku) !== undefined),
    );
    const results = adjustments.map((adjustment) => {
      const { partnerSku, adjustmentType, quantity, referenceId } = adjustment;
      const item = items.get(partnerSku);
      const before = item?.level ?? EMPTY_LEVEL;
      const result = (success: boolean, message: string): AdjustmentResult => {
        const after = item?.level ?? EMPTY_LEVEL;
        const levels = { previousQuantity: before.quantity, newQuantity: after.quantity };
        return { partnerSku, success, message, ...levels, backorderQuantity: after.backorder };
      };
      if (item === undefined) return result(false, `Unknown partnerSku ${partnerSku}.`);
      // The first adjustment with a claimed reference removes it from the set, so that a second one in this request fails.
      if (referenceId != null && !references.delete(referenceId)) {
        const message = `Repeated referenceId ${referenceId} for ${partnerSku}: it was used within the last 5 minutes.`;
        return result(false, message);
      }
      const cause = referenceId == null ? {} : { reference: referenceId };
      if (adjustmentType === 'add') stock.add(item.id, quantity, cause);
      else stock.consume(item.id, quantity, cause);
      return result(true, adjustedMessage(adjustment, item, before.backorder));
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
    return offset === 0 ? `Added ${quantity}.` : `Added ${quantity}, of which ${offset} offset the backorder.`;
  }
  const owed = level.backorder - previousBackorder;
  return owed === 0 ? `Consumed ${quantity}.` : `Consumed ${quantity}, of which ${owed} are backordered.`;
}

/**
 * Claims references that were never used or were last used more than five minutes ago, and returns the claimed ones.
 * The primary key serializes concurrent requests: the second one waits for the commit of the first and then fails to
 * claim. References are claimed in sorted order to prevent deadlocks.
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
  if (claimed.length > 0) await pruneReferences(tx);
  return new Set(claimed.map(({ referenceId }) => referenceId));
}

/** Deletes up to 200 expired references. A request adds at most 100, so the table does not grow. */
async function pruneReferences(tx: Transaction): Promise<void> {
  await tx`
    DELETE FROM stock_adjustment_references WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM stock_adjustment_references WHERE claimed_at < now() - interval '10 minutes'
      LIMIT 200 FOR UPDATE SKIP LOCKED))`;
}
