import { type CommandContext, sayKeys } from '../command';
import { onDatabase } from '../database-target';
import { seedDemoData } from '../demo-data';
import { say } from '../say';

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
