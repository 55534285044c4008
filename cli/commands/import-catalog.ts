import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { COMMAND_LINE, writeAuditEntry } from '../../src/accounts/audit-log';
import { type ImportCounts, importCatalog } from '../../src/catalog/import-catalog';
import { csvLines, jsonLines } from '../../src/catalog/import-lines';
import type { Config } from '../../src/platform/config';
import type { Logger } from '../../src/platform/logging/logging';
import type { Sql } from '../../src/platform/postgres';
import { onDatabase } from '../database-target';

/** Maximum number of rejected lines that are printed. Further ones are only counted. */
const SHOWN_REFUSALS = 50;

/**
 * Imports a catalog file (docs/catalog.md) into the configured database, or into the embedded database of DATA_DIR. A
 * stack may be running on DATA_DIR.
 * @returns the exit code: 1 when a line was rejected
 */
export async function importCatalogFile(
  config: Config,
  log: Logger,
  file: string,
  { dryRun, say }: { readonly dryRun: boolean; readonly say: (line: string) => void },
): Promise<number> {
  const work = async (sql: Sql) => {
    const text = createReadStream(file, 'utf8');
    let shown = 0;
    const counts = await importCatalog(sql, /\.csv$/i.test(file) ? csvLines(text) : jsonLines(text), {
      dryRun,
      onProgress: (counts) => say(`${counts.lines} lines: ${summaryOf(counts)}`),
      onRefused: ({ line, faults }) => {
        shown += 1;
        if (shown > SHOWN_REFUSALS) return;
        for (const { reference, message } of faults)
          say(`line ${line}: ${reference === '' ? '' : `${reference}: `}${message}`);
      },
    });
    if (shown > SHOWN_REFUSALS) say(`… and ${shown - SHOWN_REFUSALS} more rejected lines.`);
    if (!dryRun) {
      const change = { action: 'catalog.import', objectId: basename(file), before: null, after: counts } as const;
      await writeAuditEntry(sql, COMMAND_LINE, change);
    }
    say(`${dryRun ? 'Dry run, nothing was changed' : 'Imported'}: ${summaryOf(counts)}.`);
    return counts.refused > 0 ? 1 : 0;
  };
  return await onDatabase({ config, log }, 'import', work, say);
}

const summaryOf = ({ created, updated, unchanged, refused }: ImportCounts) =>
  `${created} created, ${updated} updated, ${unchanged} unchanged, ${refused} rejected`;
