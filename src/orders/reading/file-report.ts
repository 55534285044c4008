import type { LinkTarget } from '../../platform/objects/signed-links';
import type { Queryable } from '../../platform/postgres';

/** Begin of the keys of reports in signed links. They are made from rows, not stored as objects. */
const PREFIX = 'file-reports/';

/** Returns the target of a signed link to the report of a print file. @param id of the file */
export function fileReportTarget(id: string, type: string): LinkTarget {
  return { objectKey: `${PREFIX}${id}`, contentType: 'application/json', fileName: `${type}-report.json` };
}

/**
 * Returns the report that a signed link leads to, as JSON. Null: it is deleted. Undefined: the link leads to an object.
 */
export async function readFileReport(sql: Queryable, objectKey: string): Promise<string | null | undefined> {
  if (!objectKey.startsWith(PREFIX)) return undefined;
  const [found] = await sql<{ report: object }[]>`
    SELECT jsonb_build_object('fileType', type, 'mimeType', mime_type, 'sizeBytes', size_bytes, 'pageCount', page_count,
      'checks', checks, 'checksAccepted', checks_accepted, 'facts', facts) AS report
    FROM order_files WHERE id = ${objectKey.slice(PREFIX.length)} AND facts IS NOT NULL`;
  return found === undefined ? null : JSON.stringify(found.report);
}
