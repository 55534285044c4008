import type { CheckRule } from '../../accounts/clients';
import { checkFile } from '../../files/domain/file-check';
import type { FileFault } from '../../files/domain/file-fault';
import { type FileDeps, type FileSource, type IngestedFile, ingestFile, inspectFile } from '../../files/ingest-file';
import type { Metrics } from '../../platform/metrics/metrics';
import { inTransaction, type Sql } from '../../platform/postgres';
import { stoppingFiles } from '../domain/file-check-rule';
import { type FileOfProduct, needsOfFile } from '../domain/file-needs';
import { countFindings, dpiOf, rulesOf, storedColumns } from '../planning/order-files';
import { refuseReplacements, sendReplacement } from './file-replacements';
import { endPreflight, type PreflightReport } from './preflights';

export interface PreflightDeps extends FileDeps {
  readonly sql: Sql;
  readonly metrics: Metrics;
  readonly limitBytes: number;
}

interface RunningPreflight {
  readonly client: string;
  readonly url: string;
  readonly subject: FileOfProduct;
  readonly rule: CheckRule | null;
  /** Key of the copy of a file that replaces another one. Null: the file is only checked. */
  readonly objectKey: string | null;
}

/**
 * Fetches and checks the file of a preflight, and stores the report. Nothing of the file is kept, unless it replaces a file of
 * an order: then it is stored and sent to the partner that has the order, or refused.
 * @param isLast true: a transient fault of the host ends the preflight
 * @returns a transient fault after which the preflight is tried again; null when it has ended
 * @throws the reason of the signal
 */
export async function runPreflight(
  deps: PreflightDeps,
  id: string,
  { signal, isLast }: { readonly signal: AbortSignal; readonly isLast: boolean },
): Promise<FileFault | null> {
  const { sql, metrics, limitBytes } = deps;
  const [running] = await sql<RunningPreflight[]>`
    SELECT a.id AS client, p.url, p.subject, a.settings -> 'fileChecks' AS rule,
      CASE WHEN f.replacement = 'checking' THEN format('orders/%s/files/%s', o.id, f.id) END AS object_key
    FROM preflights p
    LEFT JOIN order_files f ON f.id = p.order_file_id
    LEFT JOIN order_items i ON i.id = f.order_item_id
    LEFT JOIN orders o ON o.id = i.order_id
    JOIN accounts a ON a.id = coalesce(o.client_id, p.account_id)
    WHERE p.id = ${id} AND p.ended_at IS NULL`;
  if (running === undefined) return null;
  const { client, url, subject, objectKey } = running;
  const source: FileSource = {
    client,
    url,
    limitBytes,
    ...rulesOf(subject),
    signal,
  };
  const file =
    objectKey === null
      ? await inspected(deps, source)
      : await ingestFile(deps, { ...source, objectKey, withPreviews: true });
  if (!file.ok) {
    if (file.transient && (!isLast || file.isOurs)) return file;
    await endWith(sql, id, reportOfFault(file));
    return null;
  }
  const report = reportOf(file, running);
  const isSent = await endWith(sql, id, report, objectKey === null ? null : { objectKey, subject, file });
  countFindings(metrics, objectKey === null ? 'preflight' : 'order', report.checks);
  if (objectKey !== null && !isSent) {
    await deps.objects.delete([...file.previews.map((preview) => preview.objectKey), objectKey]);
  }
  return null;
}

async function inspected(deps: PreflightDeps, source: FileSource): Promise<IngestedFile | FileFault> {
  const file = await inspectFile(deps, source);
  return file.ok ? { ...file, previews: [] } : file;
}

interface StoredReplacement {
  readonly objectKey: string;
  readonly subject: FileOfProduct;
  readonly file: IngestedFile;
}

/**
 * Ends a preflight, once. A file that replaces another one is sent to its partner, or refused.
 * @returns true when a file is sent
 */
export async function endWith(
  sql: Sql,
  id: string,
  report: PreflightReport,
  stored: StoredReplacement | null = null,
): Promise<boolean> {
  return await inTransaction(sql, async (tx) => {
    const fileId = await endPreflight(tx, id, report);
    if (fileId === null) return false;
    if (stored === null || report.effect !== 'none') {
      const found = report.checks.filter(({ severity }) => severity !== 'ok').map(({ message }) => message);
      await refuseReplacements(tx, [fileId], report.fault?.message ?? found.join(' '));
      return false;
    }
    const { objectKey, subject, file: taken } = stored;
    const columns = { objectKey, taken, dpi: dpiOf(taken, subject), checks: report.checks };
    const [kept] = await tx`
      UPDATE order_files SET ${storedColumns(tx, columns)} WHERE id = ${fileId} AND replacement = 'checking' RETURNING id`;
    if (kept === undefined) return false;
    await sendReplacement(tx, fileId);
    return true;
  });
}

function reportOf(file: IngestedFile, { subject, rule }: RunningPreflight): PreflightReport {
  const checks = checkFile(file, needsOfFile(subject));
  const { mimeType, sizeBytes, pageCount, widthPx, heightPx, facts } = file;
  const effect = stoppingFiles([{ itemReferenceId: '', type: subject.type, checks }], rule)?.action ?? 'none';
  return { effect, fault: null, checks, file: { mimeType, sizeBytes, pageCount, widthPx, heightPx, facts } };
}

export function reportOfFault({ code, message }: Pick<FileFault, 'code' | 'message'>): PreflightReport {
  const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1).replace(/\.$/, '')}.`;
  return { effect: 'refuse', fault: { code, message: sentence }, checks: [], file: null };
}
