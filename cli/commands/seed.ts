import { connectPostgres } from '../../src/platform/postgres';
import { type CommandContext, say } from '../command';
import { databaseTarget } from '../database-target';
import { seedDemoData } from '../demo-data';

/**
 * Adds the demo accounts, partners, catalog and stock to the configured database, or to the embedded database of DATA_DIR, and
 * prints the keys. Adds only what is missing. Each run issues new keys; the earlier ones keep working.
 * @param options allowProduction seeds although NODE_ENV is production
 * @returns the exit code: 1 when the command is refused
 */
export async function seedDatabase(
  { config, log }: CommandContext,
  { allowProduction = false }: { readonly allowProduction?: boolean },
): Promise<number> {
  if (process.env.NODE_ENV === 'production' && !allowProduction) {
    process.stderr.write(
      'NODE_ENV is production: demo accounts with printed keys do not belong into a production database. ' +
        'Pass --allow-production to create them all the same.\n',
    );
    return 1;
  }
  const { url, release } = await databaseTarget(config, log, say);
  const sql = connectPostgres(url, { max: 2, applicationName: 'pressline-seed' });
  try {
    const { client, partners, operator } = await seedDemoData(sql);
    say(`Client       X-API-KEY: ${client.apiKey}:${client.apiSecret}`);
    for (const { name, apiKey } of partners) say(`Partner      X-API-KEY: ${apiKey} (${name})`);
    say(`Operator     X-API-KEY: ${operator.apiKey || 'none, the demo operator is revoked'}`);
    say('Partners get print orders after they have subscribed (docs/partners.md).');
    return 0;
  } finally {
    await sql.end({ timeout: 5 });
    await release();
  }
}
