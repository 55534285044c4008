import { migrate } from '../../src/platform/migrate';
import { untilPostgresAnswers } from '../../src/platform/postgres';
import { assertSet, type Command, say } from '../command';

/** Migrates the database to the latest version. */
export const migrateDatabase: Command = async ({ config, log }) => {
  assertSet(config, 'DATABASE_URL');
  await untilPostgresAnswers(config.DATABASE_URL!, log);
  const applied = await migrate(config.DATABASE_URL!, log);
  say(applied.length === 0 ? 'The database is up to date.' : `Applied: ${applied.join(', ')}.`);
  return 0;
};
