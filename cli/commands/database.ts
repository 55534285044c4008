import { CHANNEL_SECRETS } from '../../src/channels/sftp';
import { ENDPOINT_SECRETS } from '../../src/notifications/endpoints';
import { PARTNER_SECRETS } from '../../src/partners/partner-rows';
import { connectPostgres, type Sql } from '../../src/platform/postgres';
import { migrate } from '../../src/platform/schema/migrate';
import { schemaStatus } from '../../src/platform/schema/schema-version';
import {
  createSecretBox,
  type Resealed,
  resealSecrets as resealTables,
  type SecretBox,
} from '../../src/platform/sealing/secret-box';
import { startSteps } from '../../src/platform/start-steps';
import { assertSet, type Command, type CommandContext } from '../command';
import { say } from '../terminal';

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

/**
 * Seals every stored secret with the first key of SECRET_KEYS. After it, the other keys can be removed. Workers do the same
 * when they start. Exits with 1 when a secret is sealed with a key that is not configured.
 */
export const resealSecrets: Command = async ({ config }) => {
  assertSet(config, 'DATABASE_URL');
  assertSet(config, 'SECRET_KEYS');
  const sql = connectPostgres(config.DATABASE_URL!, { max: 1, applicationName: 'pressline-reseal' });
  try {
    const { sealed, failed } = await resealStoredSecrets(sql, createSecretBox(config.SECRET_KEYS!));
    say(`Sealed: ${sealed}.`);
    for (const owner of failed) say(`Not opened by any key of SECRET_KEYS: ${owner}`);
    return failed.length === 0 ? 0 : 1;
  } finally {
    await sql.end({ timeout: 5 });
  }
};

export const SEALED_TABLES = [PARTNER_SECRETS, ENDPOINT_SECRETS, CHANNEL_SECRETS];

export async function resealStoredSecrets(sql: Sql, secretBox: SecretBox): Promise<Resealed> {
  return await resealTables(sql, secretBox, SEALED_TABLES);
}
