import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { seedDemoData } from '../../sandbox/demo/seed';
import { COMMAND_LINE, writeAuditEntry } from '../../src/accounts/audit-log';
import { type ImportCounts, importCatalog } from '../../src/catalog/import-catalog';
import { csvLines, jsonLines } from '../../src/catalog/import-lines';
import { restoreDay } from '../../src/orders/upkeep/archive-orders';
import type { Config } from '../../src/platform/config';
import type { Logger } from '../../src/platform/logging/logging';
import { createObjectStore } from '../../src/platform/objects/create-object-store';
import type { Sql } from '../../src/platform/postgres';
import { type CommandContext, sayKeys } from '../command';
import { onDatabase } from '../database-target';
import { say } from '../terminal';

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

/**
 * Adds the demo accounts, partners, catalog and stock to the configured database, or to the embedded database of DATA_DIR, and
 * prints the keys. Adds only what is missing. Each run issues new keys; the earlier ones keep working.
 * @param options allowProduction seeds although NODE_ENV is production
 * @returns the exit code: 1 when the command is refused
 */
export async function seedDatabase(
  context: CommandContext,
  { allowProduction = false }: { readonly allowProduction?: boolean },
): Promise<number> {
  if (process.env.NODE_ENV === 'production' && !allowProduction) {
    process.stderr.write(
      'NODE_ENV is production: demo accounts with printed keys do not belong into a production database. ' +
        'Pass --allow-production to create them all the same.\n',
    );
    return 1;
  }
  sayKeys(await onDatabase(context, 'seed', (sql) => seedDemoData(sql)));
  say('Partners get print orders after they have subscribed (docs/partners.md).');
  return 0;
}

/** Moves the archived orders of one day back into their tables (docs/operation/archive.md). @param day YYYY-MM-DD, in UTC */
export async function restoreArchive({ config, log }: CommandContext, day: string): Promise<number> {
  const objects = await createObjectStore(config);
  return await onDatabase({ config, log }, 'restore-archive', async (sql) => {
    const orders = await restoreDay({ sql, objects }, day);
    const change = { action: 'archive.restore', objectId: day, before: null, after: { orders } } as const;
    await writeAuditEntry(sql, COMMAND_LINE, change);
    say(`Restored ${orders} orders of ${day}.`);
    return 0;
  });
}
