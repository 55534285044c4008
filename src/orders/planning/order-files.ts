import pLimit from 'p-limit';
import { printDpi } from '../../files/domain/content-checks';
import { checkFile } from '../../files/domain/file-check';
import { type FileFault, transientFault } from '../../files/domain/file-fault';
import { FILE_CHECKS, type FileFinding } from '../../files/domain/file-findings';
import { printOf } from '../../files/domain/page-checks';
import { type FileDeps, type FileSource, type IngestedFile, ingestFile } from '../../files/ingest-file';
import type { Metrics } from '../../platform/metrics/metrics';
import { type Fragment, json, type Queryable, type Sql } from '../../platform/postgres';
import { type CheckedProduct, type FileOfProduct, needsOfFile } from '../domain/file-needs';
import { pageFault } from '../domain/file-pages';

export interface OrderFilesDeps extends FileDeps {
  readonly sql: Sql;
  readonly metrics: Metrics;
  readonly limitBytes: number;
}

const CONCURRENCY = 3;

interface WantedFile {
  readonly id: string;
  readonly clientId: string;
  readonly kind: 'print_file' | 'packing_slip';
  readonly url: string;
  /** File type as ordered; null for packing slips. */
  readonly type: string | null;
  readonly itemReferenceId: string | null;
  readonly orderItemId: string | null;
  /** Path in the submitted order, such as `items[0].files[0]`. */
  readonly reference: string;
  readonly product: CheckedProduct | null;
  readonly otherTypes: readonly string[];
  readonly customTrim: { widthMm: number; heightMm: number } | null;
  /** Key of the copy that the reprinted order has of the file. */
  readonly copyOf: string | null;
  /** Number of the replacement of an order's files that gave the file its URL. 0 before the first. */
  readonly revision: number;
  /** Keys of the copy of the file that this one replaces, with its previews. */
  readonly formerKeys: readonly string[];
}

export interface OrderFileFault extends FileFault {
  readonly file: {
    readonly itemReferenceId: string | null;
    readonly type: string;
    readonly url: string;
    readonly reference: string;
  };
}

interface FetchLimits {
  /** Aborts when the order workflow cancels the activity. */
  readonly signal: AbortSignal;
  /** Milliseconds within which the files have to arrive. */
  readonly timeoutMs: number;
}

/**
 * Fetches the print files and packing slips of an order that are not stored yet, and records their properties.
 * A permanent fault of one file stops the other downloads, because it refuses the order.
 * @returns the permanent fault, else the first transient one; null when every file is stored
 * @throws the signal's reason when the activity is cancelled
 */
export async function fetchOrderFiles(
  deps: OrderFilesDeps,
  orderId: string,
  limits: FetchLimits,
): Promise<OrderFileFault | null> {
  const faults: OrderFileFault[] = [];
  const refused = new AbortController();
  const deadline = performance.now() + limits.timeoutMs;
  const signal = AbortSignal.any([limits.signal, refused.signal]);
  const limit = pLimit(CONCURRENCY);
  await limit.map(await wantedFiles(deps.sql, orderId), async (file) => {
    if (refused.signal.aborted) return;
    try {
      signal.throwIfAborted();
      // The time that a file waits for its inspection is not the host's.
      const timeoutMs = deadline - performance.now();
      const fault =
        timeoutMs > 0
          ? await fetchOne(deps, orderId, file, { signal, timeoutMs })
          : faultOf(file, transientFault('the hosts of the files before it took too long'));
      if (fault === null) return;
      faults.push(fault);
      if (!fault.transient) refused.abort();
    } catch (error) {
      limits.signal.throwIfAborted();
      if (!refused.signal.aborted) throw error;
    }
  });
  return faults.find(({ transient }) => !transient) ?? faults[0] ?? null;
}

async function wantedFiles(sql: Sql, orderId: string): Promise<readonly WantedFile[]> {
  return await sql<WantedFile[]>`
    SELECT f.id, o.client_id, 'print_file' AS kind, f.url, f.revision, ${storedKeys(sql)} AS former_keys, f.type, i.item_reference_id, i.id AS order_item_id, i.custom_trim,
      format('items[%s].files[%s]', i.position, f.position) AS reference,
      jsonb_build_object('kind', i.product->'kind', 'name', i.product->'name', 'pageRule', i.product->'pageRule',
        'printAreas', i.product->'printAreas', 'workflowEnabled', i.product->'workflowEnabled') AS product,
      ARRAY(SELECT o.type FROM order_files o WHERE o.order_item_id = i.id AND o.id <> f.id AND o.replacement IS NULL) AS other_types,
      -- A reprint with another file, or of an order that failed, fetches it.
      (SELECT g.object_key FROM order_items j JOIN order_files g ON g.order_item_id = j.id JOIN orders r ON r.id = j.order_id
        WHERE j.order_id = o.reprint_of AND j.item_reference_id = i.item_reference_id AND g.type = f.type AND g.url = f.url
          AND g.replacement IS NULL
          AND f.revision = 0 AND r.fulfillment_status <> 'failed') AS copy_of
    FROM order_files f JOIN order_items i ON i.id = f.order_item_id JOIN orders o ON o.id = i.order_id
    WHERE i.order_id = ${orderId} AND f.fetched_at IS NULL AND f.replacement IS NULL
    UNION ALL
    SELECT s.id, o.client_id, 'packing_slip', s.url, 0, '{}', NULL, NULL, NULL, NULL,
      format('packagingInstructions[%s].packingSlip', s.package_index), NULL, '{}',
      (SELECT t.object_key FROM packing_slips t WHERE t.order_id = o.reprint_of AND t.package_index = s.package_index)
    FROM packing_slips s JOIN orders o ON o.id = s.order_id
    WHERE s.order_id = ${orderId} AND s.object_key IS NULL`;
}

/** Returns the expression of the keys of the stored copy of a file `f`, with its previews. */
const storedKeys = (sql: Sql) => sql`
  CASE WHEN f.object_key IS NULL THEN '{}' ELSE f.object_key || ARRAY(
    SELECT p ->> 'objectKey' FROM jsonb_array_elements(f.previews) p) END`;

async function fetchOne(
  deps: OrderFilesDeps,
  orderId: string,
  file: WantedFile,
  limits: FetchLimits,
): Promise<OrderFileFault | null> {
  const isPackingSlip = file.kind === 'packing_slip';
  const printFile = printFileOf(file);
  const objectKey = `orders/${orderId}/${isPackingSlip ? 'packing-slips' : 'files'}/${file.id}${file.revision === 0 ? '' : `-${file.revision}`}`;
  const inspections = inspectionCounter(deps.sql, file);
  const taken = await ingestFile(deps, {
    client: file.clientId,
    url: file.url,
    objectKey,
    copyOf: file.copyOf,
    limitBytes: deps.limitBytes,
    ...(isPackingSlip ? { accept: ['application/pdf'] as const } : {}),
    ...(printFile !== null && rulesOf(printFile)),
    countInspection: inspections.count,
    withPreviews: !isPackingSlip,
    ...limits,
  }).catch(async (error: unknown) => {
    await inspections.revoke().catch(() => undefined);
    throw error;
  });
  if (!taken.ok) {
    if (taken.isOurs) await inspections.revoke();
    return faultOf(file, taken);
  }
  if (isPackingSlip) {
    await deps.sql`
      UPDATE packing_slips SET object_key = ${objectKey}, size_bytes = ${taken.sizeBytes}
      WHERE id = ${file.id}`;
  } else {
    await deps.objects.delete(file.formerKeys);
    const isRecorded = await recordPrintFile(deps, file, objectKey, taken);
    // The file was replaced meanwhile, and nothing names its copy.
    if (!isRecorded) await deps.objects.delete([...taken.previews.map((preview) => preview.objectKey), objectKey]);
  }
  return null;
}

/**
 * Counts the inspections of a file in its row, before they start: a file that ends every process that opens it is refused
 * after some of them. `revoke` takes back what was counted, for a failure that the file did not cause.
 */
function inspectionCounter(sql: Sql, { kind, id }: WantedFile) {
  const table = kind === 'packing_slip' ? sql`packing_slips` : sql`order_files`;
  let counted = 0;
  const add = async (by: number) => {
    const [row] = await sql<{ inspections: number }[]>`
      UPDATE ${table} SET inspections = inspections + ${by} WHERE id = ${id} RETURNING inspections`;
    counted += by;
    return row!.inspections;
  };
  return {
    count: () => add(1),
    async revoke(): Promise<void> {
      if (counted > 0) await add(-counted);
    },
  };
}

/** Adds the file to a fault, in the details and in the message. */
function faultOf(file: WantedFile, fault: FileFault): OrderFileFault {
  const { itemReferenceId, reference } = file;
  const type = file.type ?? 'packing_slip';
  const subject = itemReferenceId === null ? reference : `Item ${itemReferenceId}, file ${type}`;
  return {
    ...fault,
    message: `${subject}: ${fault.message}`,
    file: { itemReferenceId, type, url: withoutQuery(file.url), reference },
  };
}

/** Removes the query, which may contain credentials. */
function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/, '');
}

/** Returns what the product of a print file says about its ingestion. */
export function rulesOf(file: FileOfProduct): Pick<FileSource, 'refuse' | 'print'> {
  const [area] = needsOfFile(file).areas;
  return {
    refuse: (properties) => pageFault(file, properties),
    print: (properties, facts) => printOf(properties, facts, area!),
  };
}

/** Returns null for a packing slip. */
function printFileOf({ type, product, otherTypes, customTrim }: WantedFile): FileOfProduct | null {
  return type === null || product === null ? null : { type, product, otherTypes, customTrim };
}

export function expectFindings(metrics: Metrics): void {
  for (const [check, { severities }] of Object.entries(FILE_CHECKS))
    for (const severity of severities)
      for (const of of FINDINGS_OF) metrics.count('pressline_file_checks_total', { check, severity, of }, 0);
}

/** Returns the resolution of an image on paper. Null for a PDF, and without a size. */
export function dpiOf({ widthPx, heightPx, facts }: IngestedFile, file: FileOfProduct): number | null {
  const print = printOf({ widthPx, heightPx }, facts, needsOfFile(file).areas[0]!);
  return print && printDpi({ widthPx: widthPx!, heightPx: heightPx! }, print);
}

export interface StoredPrintFile {
  readonly objectKey: string;
  readonly taken: IngestedFile;
  readonly dpi: number | null;
  readonly checks: readonly FileFinding[];
}

/** Returns the assignments of the columns of a print file that was checked and stored. */
export const storedColumns = (sql: Queryable, { objectKey, taken, dpi, checks }: StoredPrintFile): Fragment => sql`
  object_key = ${objectKey}, mime_type = ${taken.mimeType}, size_bytes = ${taken.sizeBytes},
  page_count = ${taken.pageCount}, width_px = ${taken.widthPx}, height_px = ${taken.heightPx}, dpi = ${dpi},
  previews = ${json(sql, taken.previews)}, facts = ${json(sql, taken.facts)}, checks = ${json(sql, checks)},
  fetched_at = now()`;

/** Counts the findings of a file. @param of an order, or only a preflight */
export function countFindings(metrics: Metrics, of: FindingsOf, checks: readonly FileFinding[]): void {
  for (const { code: check, severity } of checks) metrics.count('pressline_file_checks_total', { check, severity, of });
}

/** Whose files are checked: those of orders, or files that are tried out. */
export const FINDINGS_OF = ['order', 'preflight'] as const;
type FindingsOf = (typeof FINDINGS_OF)[number];

/** Returns false for a file that was replaced while it was fetched. */
async function recordPrintFile(
  { sql, metrics }: OrderFilesDeps,
  file: WantedFile,
  objectKey: string,
  taken: IngestedFile,
): Promise<boolean> {
  const printFile = printFileOf(file);
  const dpi = printFile && dpiOf(taken, printFile);
  const checks = printFile === null ? [] : checkFile(taken, needsOfFile(printFile));
  const [recorded] = await sql`
    WITH recorded AS (
      UPDATE order_files SET ${storedColumns(sql, { objectKey, taken, dpi, checks })},
        -- A reprint is printed from files that were accepted before.
        checks_accepted = ${file.copyOf !== null}
      WHERE id = ${file.id} AND revision = ${file.revision}
      RETURNING order_item_id
    )
    -- The item's resolution is that of its coarsest file, its page count that of its longest.
    UPDATE order_items SET page_count = greatest(page_count, ${taken.pageCount}), dpi = least(dpi, ${dpi})
    FROM recorded WHERE id = recorded.order_item_id RETURNING id`;
  if (recorded === undefined) return false;
  // The findings of a reprint were counted with the files that it copies.
  if (file.copyOf === null) countFindings(metrics, 'order', checks);
  return true;
}
