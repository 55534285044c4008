import type { FileCheckRule } from '../../accounts/client-settings';
import { checkFile } from '../../files/domain/file-check';
import type { FileFault } from '../../files/domain/file-fault';
import { type FileDeps, type InspectedFile, inspectFile } from '../../files/ingest-file';
import type { Sql } from '../../platform/postgres';
import { stoppingFiles } from '../domain/file-check-rule';
import { type FileOfProduct, needsOfFile } from '../domain/file-needs';
import { pageFault } from '../domain/file-pages';
import { endPreflight, type PreflightReport } from './preflight-rows';

export interface PreflightDeps extends FileDeps {
  readonly sql: Sql;
  readonly limitBytes: number;
}

interface RunningPreflight {
  readonly url: string;
  readonly subject: FileOfProduct;
  /** The rule of the client. Null: the default. */
  readonly rule: FileCheckRule | null;
}

/**
 * Fetches and checks the file of a preflight, and stores the report. Nothing of the file is kept.
 * @param isLast true: a transient fault ends the preflight
 * @returns a transient fault after which the preflight is tried again; null when it has ended
 * @throws the reason of the signal
 */
export async function runPreflight(
  deps: PreflightDeps,
  id: string,
  { signal, isLast }: { readonly signal: AbortSignal; readonly isLast: boolean },
): Promise<FileFault | null> {
  const [running] = await deps.sql<RunningPreflight[]>`
    SELECT p.url, p.subject, a.settings -> 'fileChecks' AS rule
    FROM preflights p
    LEFT JOIN order_files f ON f.id = p.order_file_id
    LEFT JOIN order_items i ON i.id = f.order_item_id
    LEFT JOIN orders o ON o.id = i.order_id
    JOIN accounts a ON a.id = coalesce(o.client_id, p.account_id)
    WHERE p.id = ${id} AND p.ended_at IS NULL`;
  if (running === undefined) return null;
  const { url, subject, rule } = running;
  const refuse: Parameters<typeof inspectFile>[1]['refuse'] = (properties) => pageFault(subject, properties);
  const file = await inspectFile(deps, { url, limitBytes: deps.limitBytes, refuse, signal });
  if (!file.ok && file.transient && !isLast) return file;
  await endPreflight(deps.sql, id, file.ok ? reportOf(file, subject, rule) : reportOfFault(file));
  return null;
}

function reportOf(file: InspectedFile, subject: FileOfProduct, rule: FileCheckRule | null): PreflightReport {
  const checks = checkFile(file, needsOfFile(subject));
  const { mimeType, sizeBytes, pageCount, widthPx, heightPx, facts } = file;
  const effect = stoppingFiles([{ itemReferenceId: '', type: subject.type, checks }], rule)?.action ?? 'none';
  return { effect, fault: null, checks, file: { mimeType, sizeBytes, pageCount, widthPx, heightPx, facts } };
}

/** Returns the report of a file that cannot be used. */
export function reportOfFault({ code, message }: Pick<FileFault, 'code' | 'message'>): PreflightReport {
  const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
  return { effect: 'refuse', fault: { code, message: sentence }, checks: [], file: null };
}
