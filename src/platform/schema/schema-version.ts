import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../logging/logging';
import { connectPostgres, type Sql } from '../postgres';
import { projectRoot } from '../project-root';

/** Folder of the migrations `NNN.do.<name>.sql`. They go forward only. Each file runs once, in order. */
export const MIGRATIONS_DIR = join(projectRoot(), 'src/platform/migrations');
/** Table of applied migrations. The migration tool creates it. */
export const SCHEMA_TABLE = 'schema_version';

const ASK_AGAIN_MS = 1_000;

/** The version of a database, compared with the migrations of this release. */
export interface SchemaStatus {
  /** Version of the database; 0 before the first migration. */
  readonly version: number;
  /** Version that this release needs. */
  readonly latest: number;
  /** Names of the migrations that have not run, in order. */
  readonly pending: readonly string[];
}

/** The database is older than this release. The message is one line for the user. */
export class DatabaseNotMigrated extends Error {
  override readonly name = 'DatabaseNotMigrated';
}

/** Compares the version of a database with the migrations of this release. */
export async function schemaStatus(sql: Sql): Promise<SchemaStatus> {
  const [table] = await sql<{ name: string | null }[]>`SELECT to_regclass(${SCHEMA_TABLE})::text AS name`;
  const rows =
    table!.name === null
      ? []
      : await sql<{ version: string }[]>`SELECT max(version) AS version FROM ${sql(SCHEMA_TABLE)}`;
  const version = Number(rows[0]?.version ?? 0);
  const files = readdirSync(MIGRATIONS_DIR)
    .filter((file) => file.endsWith('.sql'))
    .map((file) => ({ version: Number.parseInt(file, 10), name: file.split('.')[2]! }))
    .sort((a, b) => a.version - b.version);
  return {
    version,
    latest: files.at(-1)!.version,
    pending: files.filter((file) => file.version > version).map(({ name }) => name),
  };
}

/** Returns true when the current role could alter or drop the tables of the application. */
async function canChangeTables(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ can: boolean }[]>`
    SELECT EXISTS (
      SELECT FROM pg_tables WHERE schemaname = current_schema() AND pg_has_role(tableowner, 'USAGE')) AS can`;
  return row!.can;
}

/**
 * Waits until the database has the version that this release needs. A newer database is accepted: the previous release
 * works with it during a deployment (docs/operation/upgrades.md).
 * @throws DatabaseNotMigrated when the database is still older after `waitMs`
 */
export async function untilMigrated(databaseUrl: string, waitMs: number, log: Logger): Promise<void> {
  const sql = connectPostgres(databaseUrl, { max: 1 });
  const deadline = Date.now() + waitMs;
  try {
    for (let tries = 1; ; tries += 1) {
      const { version, latest, pending } = await schemaStatus(sql);
      if (pending.length === 0) {
        if (await canChangeTables(sql))
          log.warn(
            'the user of DATABASE_URL can change tables; use a role without this right (docs/operation/upgrades.md)',
          );
        return;
      }
      const state = `The database is at version ${version}. This release needs version ${latest}.`;
      if (Date.now() >= deadline) throw new DatabaseNotMigrated(`${state} Run "pressline migrate".`);
      if (tries === 1) log.warn(`${state} Waiting for "pressline migrate"`);
      await sleep(Math.min(ASK_AGAIN_MS, deadline - Date.now()));
    }
  } finally {
    await sql.end({ timeout: 1 });
  }
}
