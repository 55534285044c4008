import { connectPostgres } from '../../src/platform/postgres';
import { migrate } from '../../src/platform/schema/migrate';
import { schemaStatus } from '../../src/platform/schema/schema-version';
import { startSteps } from '../../src/platform/start-steps';
import { assertSet, type CommandContext } from '../command';
import { say } from '../say';

/**
 * Migrates the database to the latest version, and gives the application's role its rights.
 * @param options dryRun rolls the migrations back; status only prints the version
 * @returns the exit code: with `status`, 1 when migrations are pending
 */
export async function migrateDatabase(
  { config, log }: CommandContext,
  { dryRun = false, status = false }: { readonly dryRun?: boolean; readonly status?: boolean },
): Promise<number> {
  assertSet(config, 'DATABASE_URL');
  const ownerUrl = config.MIGRATION_DATABASE_URL ?? config.DATABASE_DIRECT_URL ?? config.DATABASE_URL!;
  const step = startSteps(config, log);
  if (status) return await step('read the database version', () => printStatus(ownerUrl));
  const names = await step('migrate the database', () =>
    migrate(ownerUrl, {
      applicationUrl: config.DATABASE_DIRECT_URL ?? config.DATABASE_URL,
      logger: log,
      lockWaitMs: config.MIGRATION_WAIT,
      dryRun,
    }),
  );
  if (names.length === 0) say('The database is up to date.');
  else say(`${dryRun ? 'Dry run, nothing was changed. Pending' : 'Applied'}: ${names.join(', ')}.`);
  return 0;
}

async function printStatus(url: string): Promise<number> {
  const sql = connectPostgres(url, { max: 1, applicationName: 'pressline-migrate' });
  try {
    const { version, latest, pending } = await schemaStatus(sql);
    say(
      `Version ${version} of ${latest}. ${pending.length === 0 ? 'No migration is pending' : `Pending: ${pending.join(', ')}`}.`,
    );
    return pending.length === 0 ? 0 : 1;
  } finally {
    await sql.end({ timeout: 5 });
  }
}
