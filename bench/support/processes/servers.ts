import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { claimDataFolder } from '../../../packages/embedded-servers/data-folder';
import { freePort } from '../../../packages/embedded-servers/ports';
import { type EmbeddedPostgres, startPostgres } from '../../../packages/embedded-servers/postgres-server';
import { type DemoCredentials, ensureDemoAccounts } from '../../../sandbox/demo/accounts';
import { seedDemoCatalog } from '../../../sandbox/demo/catalog';
import { ensureDemoPartners } from '../../../sandbox/demo/partners';
import { ensureDemoStock } from '../../../sandbox/demo/stock';
import { connectPostgres, type Sql } from '../../../src/platform/postgres';
import { migrate } from '../../../src/platform/schema/migrate';
import { withBenchFolder } from '../bench-folder';

/** A migrated Postgres database with the demo accounts, partners, stock and catalog. */
export interface BenchDatabase {
  readonly folder: string;
  readonly url: string;
  readonly sql: Sql;
  readonly credentials: DemoCredentials;
  readonly accounts: Awaited<ReturnType<typeof ensureDemoAccounts>>['accounts'];
}

/**
 * Runs `measure` with its own Postgres server, and removes the server and its folder afterwards.
 * @param settings postgresql.conf settings in addition to those of the embedded server
 */
export async function withBenchDatabase<T>(
  settings: Readonly<Record<string, string>>,
  measure: (database: BenchDatabase) => Promise<T>,
): Promise<T> {
  return await withBenchFolder(async (folder) => await onFolder(folder, settings, measure));
}

async function onFolder<T>(
  folder: string,
  settings: Readonly<Record<string, string>>,
  measure: (database: BenchDatabase) => Promise<T>,
): Promise<T> {
  const claim = await claimDataFolder(folder);
  const ports = { postgres: await freePort(), temporal: await freePort(), temporalUi: await freePort() };
  await writeFile(join(folder, 'ports.json'), JSON.stringify(ports));
  let server: EmbeddedPostgres | undefined;
  let sql: Sql | undefined;
  try {
    server = await startPostgres(folder, () => undefined, settings);
    await migrate(server.url);
    sql = connectPostgres(server.url, { max: 4, applicationName: 'bench' });
    const { credentials, accounts } = await ensureDemoAccounts(sql);
    await seedDemoCatalog(sql);
    await ensureDemoStock(sql, await ensureDemoPartners(sql, accounts.partners));
    return await measure({ folder, url: server.url, sql, credentials, accounts });
  } finally {
    await sql?.end({ timeout: 5 });
    await server?.stop();
    await claim.release();
  }
}
