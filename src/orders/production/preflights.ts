import { z } from 'zod';
import { fileFactsSchema } from '../../../packages/file-reader/facts';
import { PRINT_FILE_TYPES } from '../../../packages/file-reader/file-types';
import { crossField, property, text } from '../../platform/domain/fields';
import { preflightWorkflowId, WORKFLOW_TYPES } from '../../platform/domain/workflows';
import { enqueue } from '../../platform/outbox/outbox';
import type { WorkflowStart } from '../../platform/outbox/temporal-delivery';
import { inTransaction, json, type Queryable, type Sql, type Transaction } from '../../platform/postgres';
import type { FileOfProduct } from '../domain/file-needs';
import { itemFields, orderFileSchema, productNamingRule } from '../planning/order-schemas';
import { fileFinding } from '../reading/retrieved-item';

export const MAX_RUNNING_PREFLIGHTS = 20;

const { productUid, productName, productVariant, customTrim } = itemFields;

export const preflightRequestSchema = crossField(
  z.object({
    url: orderFileSchema.shape.url.optional().describe('Address of the file. Required without `orderId`.'),
    type: orderFileSchema.shape.type.describe('Type of the file, as it would be ordered.'),
    productUid,
    productName,
    productVariant,
    customTrim,
    orderId: text(100)
      .optional()
      .describe(
        'An order, by id or reference, whose file is checked, instead of a product. With `url`, the file at that address is ' +
          'checked in its place. A draft shows the report of its own file.',
      ),
    itemReferenceId: text(100).optional().describe('The item of the order.'),
  }),
  (body, report) => {
    if (property(body, 'orderId') == null) {
      productNamingRule(body, report);
      if (property(body, 'url') == null) report(['url'], 'This field is required.', 'MISSING_FIELD_ERROR');
      return;
    }
    if (property(body, 'itemReferenceId') == null)
      report(['itemReferenceId'], 'This field is required with orderId.', 'MISSING_FIELD_ERROR');
    for (const field of ['productUid', 'productName', 'customTrim'])
      if (property(body, field) != null) report([field], 'The order has it.');
  },
).meta({
  id: 'PreflightFile',
  examples: [
    {
      url: 'https://files.example.com/poster.pdf',
      type: 'default',
      productUid: 'flat_product_pf_a3_pt_200-gsm-uncoated_cl_4-0_ver',
    },
  ],
});

export const preflightSchema = z
  .object({
    id: z.string(),
    state: z.enum(['running', 'done']),
    createdAt: z.iso.datetime(),
    report: z
      .object({
        effect: z
          .enum(['none', 'hold', 'refuse'])
          .describe('What an order with the file would do: go on, wait as `on_hold`, or fail.'),
        fault: z
          .object({ code: z.string(), message: z.string() })
          .nullable()
          .describe('Why the file cannot be used, with a code of the refusals of orders. Null: it was checked.'),
        checks: z.array(fileFinding),
        file: z
          .object({
            mimeType: z.enum(PRINT_FILE_TYPES),
            sizeBytes: z.int(),
            pageCount: z.int(),
            widthPx: z.int().nullable(),
            heightPx: z.int().nullable(),
            facts: fileFactsSchema,
          })
          .nullable(),
      })
      .nullable()
      .describe('Null while the preflight is running.'),
  })
  .meta({ id: 'Preflight' });

export type PreflightReport = NonNullable<z.output<typeof preflightSchema>['report']>;

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

export async function prunePreflights(sql: Queryable): Promise<number> {
  for (let pruned = 0; ; ) {
    const { count } = await sql`
      DELETE FROM preflights WHERE id IN (
        SELECT id FROM preflights WHERE created_at < now() - interval '1 day' ORDER BY created_at LIMIT 1000)`;
    pruned += count;
    if (count === 0) return pruned;
  }
}

export function preflightView({ id, createdAt, report }: StoredPreflight) {
  return {
    id,
    state: report === null ? ('running' as const) : ('done' as const),
    createdAt: createdAt.toISOString(),
    report,
  };
}
