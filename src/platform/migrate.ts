import { join } from 'node:path';
import Postgrator from 'postgrator';
import postgres from 'postgres';
import type { Logger } from './logging';
import { projectRoot } from './project-root';

/** Folder of the migrations `NNN.do.<name>.sql`. They go forward only. Each file runs once, in order. */
export const MIGRATIONS_DIR = join(projectRoot(), 'src/platform/migrations');

/** Key of the advisory lock that migrating processes take. The number itself has no meaning. */
const MIGRATION_LOCK = 7_411_823_001;

/**
 * Migrates the database to the latest version in one transaction. A process that is killed during the migration leaves
 * the previous version. Several processes can call this at the same time: an advisory lock lets one migrate, and the
 * others wait and then find nothing to do.
 * @returns the names of the migrations that ran
 * @throws Error when the file of an applied migration has changed; files are compared by checksum
 */
export async function migrate(databaseUrl: string, logger?: Logger): Promise<string[]> {
  // A separate connection: Postgrator expects column names as SQL has them, and the pool renames them.
  const sql = postgres(databaseUrl, {
    max: 1,
    // Migrations warn about each row whose meaning changes.
    onnotice: ({ severity, message }) => {
      if (severity === 'WARNING') logger?.warn(message);
    },
    connection: { application_name: 'pressline-migrate', statement_timeout: 0 },
  });
  try {
    return await sql.begin(async (tx) => {
      await tx`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`;
      const run = async (query: string) => ({ rows: [...(await tx.unsafe(query).simple())] as never[] });
      const postgrator = new Postgrator({
        driver: 'pg',
        migrationPattern: join(MIGRATIONS_DIR, '*.sql'),
        schemaTable: 'schema_version',
        execQuery: run,
        execSqlScript: async (script) => {
          await run(script);
        },
      });
      const applied = await postgrator.migrate();
      for (const { version, name } of applied) logger?.info({ version, name }, 'migration applied');
      return applied.map(({ name }) => name);
    });
  } finally {
    await sql.end({ timeout: 5 });
  }
}
