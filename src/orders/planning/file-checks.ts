import type { CheckRule } from '../../accounts/clients';
import type { Fragment, Queryable, Transaction } from '../../platform/postgres';
import { type FileWithFindings, stoppingFiles } from '../domain/file-check-rule';
import type { PreparationPlan } from './plan-refusals';

export interface CheckedFiles {
  readonly rule: CheckRule | null;
  readonly files: readonly FileWithFindings[];
  /** True when a file is to be fetched: it was replaced. */
  readonly unfetched: boolean;
}

/** Returns the jsonb expression of `CheckedFiles` for the order `o` of the client `a`. */
export const checkedFiles = (sql: Queryable): Fragment => sql`
  jsonb_build_object('rule', a.settings -> 'fileChecks', 'files', ARRAY(
    SELECT jsonb_build_object('itemReferenceId', i.item_reference_id, 'type', f.type, 'checks', f.checks)
    FROM order_items i JOIN order_files f ON f.order_item_id = i.id
    WHERE i.order_id = o.id AND i.fulfillment_status <> 'cancelled' AND f.checks <> '[]' AND NOT f.checks_accepted AND f.replacement IS NULL
    ORDER BY i.position, f.position), 'unfetched', EXISTS (
    SELECT FROM order_items i JOIN order_files f ON f.order_item_id = i.id
    WHERE i.order_id = o.id AND i.fulfillment_status <> 'cancelled' AND f.fetched_at IS NULL AND f.revision > 0
      AND f.replacement IS NULL))`;

/** Returns why an order is not planned with the print files that it has, or null. */
export function fileRefusal({
  rule,
  files,
  unfetched,
}: CheckedFiles): Exclude<PreparationPlan, { outcome: 'planned' }> | null {
  if (unfetched) return { outcome: 'unfetched' };
  const stopping = stoppingFiles(files, rule);
  if (stopping === null) return null;
  const message = stopping.files
    .flatMap(({ itemReferenceId, type, checks }) =>
      checks.map((finding) => `Item ${itemReferenceId}, file ${type}: ${finding.message}`),
    )
    .join(' ');
  return stopping.action === 'hold'
    ? { outcome: 'parked', reason: 'file_check', message }
    : { outcome: 'refused', code: 'file_check', reason: message, details: { files: stopping.files } };
}

export async function acceptFiles(tx: Transaction, orderId: string): Promise<void> {
  await tx`
    UPDATE order_files f SET checks_accepted = true FROM order_items i
    WHERE i.id = f.order_item_id AND i.order_id = ${orderId} AND f.fetched_at IS NOT NULL`;
}
