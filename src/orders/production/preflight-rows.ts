import type { FileFacts, FileProperties } from '../../../packages/file-reader/facts';
import type { FileFinding } from '../../files/domain/file-findings';
import type { PrintFileType } from '../../files/domain/file-types';
import { preflightWorkflowId, WORKFLOW_TYPES } from '../../platform/domain/workflows';
import { enqueue } from '../../platform/outbox/outbox';
import type { WorkflowStart } from '../../platform/outbox/temporal-delivery';
import { inTransaction, json, type Queryable, type Sql, type Transaction } from '../../platform/postgres';
import type { FileOfProduct } from '../domain/file-needs';

/** Preflights of one account at the same time. */
export const MAX_RUNNING_PREFLIGHTS = 20;

/** What an order does with a file: it goes on, waits, or fails. */
export const PREFLIGHT_EFFECTS = ['none', 'hold', 'refuse'] as const;

export interface PreflightReport {
  readonly effect: (typeof PREFLIGHT_EFFECTS)[number];
  /** Why the file cannot be used. Null: it can be read, and was checked. */
  readonly fault: { readonly code: string; readonly message: string } | null;
  readonly checks: readonly FileFinding[];
  readonly file:
    | (Pick<FileProperties, 'pageCount' | 'widthPx' | 'heightPx'> & {
        readonly mimeType: PrintFileType;
        readonly sizeBytes: number;
        readonly facts: FileFacts;
      })
    | null;
}

export interface NewPreflight {
  readonly id: string;
  readonly accountId: string;
  readonly url: string;
  readonly subject: FileOfProduct;
  /** The file of a draft that gets the findings too, or a file that replaces another one when it passes. */
  readonly orderFileId: string | null;
}

/**
 * Stores a preflight and requests the start of its workflow.
 * @returns false when the account has too many under way
 */
export async function beginPreflight(sql: Sql, preflight: NewPreflight): Promise<boolean> {
  return await inTransaction(sql, (tx) => insertPreflight(tx, preflight));
}

/** Does the same within a transaction. */
export async function insertPreflight(
  tx: Transaction,
  { id, accountId, url, subject, orderFileId }: NewPreflight,
): Promise<boolean> {
  const [begun] = await tx`
    INSERT INTO preflights (id, account_id, order_file_id, url, subject)
    SELECT ${id}, ${accountId}, ${orderFileId}, ${url}, ${json(tx, subject)}
    WHERE (SELECT count(*) FROM preflights WHERE account_id = ${accountId} AND ended_at IS NULL) < ${MAX_RUNNING_PREFLIGHTS}
    RETURNING id`;
  if (begun === undefined) return false;
  const payload: WorkflowStart = {
    workflowType: WORKFLOW_TYPES.preflight,
    args: [{ preflightId: id, accountId }],
    summary: 'preflight of a file',
    fairnessKey: accountId,
  };
  await enqueue(tx, { kind: 'start_workflow', target: preflightWorkflowId(id), payload });
  return true;
}

export interface StoredPreflight {
  readonly id: string;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
  readonly report: PreflightReport | null;
}

/** Returns a preflight of an account, of any account for null, or undefined. */
export async function readPreflight(
  sql: Queryable,
  id: string,
  accountId: string | null,
): Promise<StoredPreflight | undefined> {
  const [found] = await sql<StoredPreflight[]>`
    SELECT id, created_at, ended_at, report FROM preflights
    WHERE id = ${id} AND (${accountId}::uuid IS NULL OR account_id = ${accountId})`;
  return found;
}

/**
 * Ends a preflight, once, and writes its findings to the file of a draft that still has the URL.
 * @returns the file, when the preflight is that of a file of an order and has not ended before
 */
export async function endPreflight(tx: Transaction, id: string, report: PreflightReport): Promise<string | null> {
  const [ended] = await tx<{ orderFileId: string | null }[]>`
    WITH running AS (SELECT id, order_file_id, url FROM preflights WHERE id = ${id} AND ended_at IS NULL FOR UPDATE),
    shown AS (
      UPDATE order_files f SET facts = ${json(tx, report.file?.facts ?? null)}, checks = ${json(tx, report.checks)}
      FROM running WHERE f.id = running.order_file_id AND f.url = running.url AND f.fetched_at IS NULL)
    UPDATE preflights SET report = ${json(tx, report)}, ended_at = now(), url = NULL
    WHERE id = (SELECT id FROM running) RETURNING order_file_id`;
  return ended?.orderFileId ?? null;
}

/** Deletes preflights that are a day old. Returns their number. */
export async function prunePreflights(sql: Queryable): Promise<number> {
  for (let pruned = 0; ; ) {
    const { count } = await sql`
      DELETE FROM preflights WHERE id IN (
        SELECT id FROM preflights WHERE created_at < now() - interval '1 day' ORDER BY created_at LIMIT 1000)`;
    pruned += count;
    if (count === 0) return pruned;
  }
}
