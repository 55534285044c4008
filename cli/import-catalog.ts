import { createReadStream } from 'node:fs';
import { importCatalog } from '../src/catalog/import-catalog';
import { csvLines, jsonLines } from '../src/catalog/import-lines';
import type { Config } from '../src/platform/config';
import { DataFolderBusy } from '../src/platform/embedded/data-folder';
import { runningPostgresUrl } from '../src/platform/embedded/postgres-server';
import { startEmbeddedStack } from '../src/platform/embedded/stack';
import type { Logger } from '../src/platform/logging';
import { migrate } from '../src/platform/migrate';
import { connectPostgres } from '../src/platform/postgres';

/** Refused lines that are shown; the rest are counted. */
const SHOWN_REFUSALS = 50;

/** The database to import into, and how to leave it. */
interface ImportTarget {
  readonly url: string;
  leave(): Promise<void>;
}

/** The configured database; else the one of a stack that is running in DATA_DIR; else the folder's, started for the import. */
async function importTarget(config: Config, say: (line: string) => void): Promise<ImportTarget> {
  if (config.DATABASE_URL !== undefined) return { url: config.DATABASE_URL, leave: async () => undefined };
  try {
    // Only Postgres is needed; naming any Temporal address keeps ours from being started.
    const only = { ...config, TEMPORAL_ADDRESS: config.TEMPORAL_ADDRESS ?? 'none' };
    const stack = await startEmbeddedStack(only, say);
    return { url: stack.config.DATABASE_URL!, leave: () => stack.stop() };
  } catch (error) {
    const url = error instanceof DataFolderBusy ? await runningPostgresUrl(config.DATA_DIR) : undefined;
    if (url === undefined) throw error;
    say(`Importing into the Pressline that is running in ${config.DATA_DIR}.`);
    return { url, leave: async () => undefined };
  }
}

/**
 * Imports a catalog file (docs/catalog.md) into the configured database, or into the embedded one of DATA_DIR, whether
 * a stack is running there or not.
 * @returns exit code: 1 when a line was refused
 */
export async function importCatalogFile(
  config: Config,
  log: Logger,
  file: string,
  { dryRun, say }: { readonly dryRun: boolean; readonly say: (line: string) => void },
): Promise<number> {
  const { url, leave } = await importTarget(config, say);
  const sql = connectPostgres(url, { max: 4, applicationName: 'pressline-import' });
  try {
    await migrate(url, log);
    const text = createReadStream(file, 'utf8');
    let shown = 0;
    const counts = await importCatalog(sql, /\.csv$/i.test(file) ? csvLines(text) : jsonLines(text), {
      dryRun,
      onProgress: ({ lines, created, updated, unchanged, refused }) =>
        say(
          `${lines} lines: ${created} created, ${updated} updated, ${unchanged} unchanged, ${refused} refused`,
        ),
      onRefused: ({ line, faults }) => {
        shown += 1;
        if (shown > SHOWN_REFUSALS) return;
        for (const { reference, message } of faults)
          say(`line ${line}: ${reference === '' ? '' : `${reference}: `}${message}`);
      },
    });
    if (shown > SHOWN_REFUSALS) say(`… and ${shown - SHOWN_REFUSALS} more refused lines.`);
    const { created, updated, unchanged, refused } = counts;
    say(
      `${dryRun ? 'Dry run, nothing changed' : 'Imported'}: ${created} created, ${updated} updated, ${unchanged} unchanged, ${refused} refused.`,
    );
    return refused > 0 ? 1 : 0;
  } finally {
    await sql.end({ timeout: 5 });
    await leave();
  }
}
