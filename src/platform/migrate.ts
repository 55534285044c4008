import { join } from 'node:path';
import Postgrator from 'postgrator';
import postgres from 'postgres';
import type { Logger } from './logging';
import { projectRoot } from './project-root';

/** `NNN.do.<name>.sql`, forward only; each file runs once, in order. */
export const MIGRATIONS_DIR = join(projectRoot(), 'src/platform/migrations');

/** One lock for every process that migrates this database (any constant of ours will do). */
const MIGRATION_LOCK = 7_411_823_001;

/**
 * Brings the database to the newest version, in one transaction: a process killed half-way leaves the version it found.
 * Safe when several processes start at once: an advisory lock lets one migrate while the others wait and then find
 * nothing to do. Applied files are checksummed; a changed one is an error.
 * @returns the names of the migrations that ran
 */
export async function migrate(databaseUrl: string, logger?: Logger): Promise<string[]> {
  // Not our own pool: Postgrator reads columns by the names that they have in SQL.
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
