import { join } from 'node:path';
import Postgrator from 'postgrator';
import type { Logger } from './logging';
import { connectPostgres } from './postgres';
import { projectRoot } from './project-root';

/** `NNN.do.<name>.sql`, forward only; each file runs once, in order, in a transaction of its own. */
export const MIGRATIONS_DIR = join(projectRoot(), 'src/platform/migrations');

/** One lock for every process that migrates this database (any constant of ours will do). */
const MIGRATION_LOCK = 7_411_823_001;

/**
 * Brings the database to the newest version. Safe when several processes start at once:
 * an advisory lock lets one migrate while the others wait and then find nothing to do.
 * Applied files are checksummed; a changed one is an error.
 * @returns the names of the migrations that ran
 */
export async function migrate(databaseUrl: string, logger?: Logger): Promise<string[]> {
  const sql = connectPostgres(databaseUrl, { max: 1, applicationName: 'pressline-migrate' });
  try {
    await sql`SELECT set_config('statement_timeout', '0', false)`;
    await sql`SELECT pg_advisory_lock(${MIGRATION_LOCK})`;
    const postgrator = new Postgrator({
      driver: 'pg',
      migrationPattern: join(MIGRATIONS_DIR, '*.sql'),
      schemaTable: 'schema_version',
      execQuery: async (query) => ({ rows: [...(await sql.unsafe(query).simple())] as never[] }),
      execSqlScript: async (script) => {
        await sql.unsafe(`BEGIN;\n${script}\n;COMMIT;`).simple();
      },
    });
    const applied = await postgrator.migrate();
    for (const { filename } of applied) logger?.info({ migration: filename }, 'migration applied');
    return applied.map(({ name }) => name);
  } finally {
    await sql.end({ timeout: 5 });
  }
}
