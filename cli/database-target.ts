import { DataFolderBusy } from '../packages/embedded-servers/data-folder';
import { runningPostgresUrl } from '../packages/embedded-servers/postgres-server';
import type { Config } from '../src/platform/config';
import type { Logger } from '../src/platform/logging/logging';
import { connectPostgres, type Sql } from '../src/platform/postgres';
import { untilMigrated } from '../src/platform/schema/schema-version';
import { startSteps } from '../src/platform/start-steps';
import type { CommandContext } from './command';
import { migrateEmbedded, startEmbeddedStack } from './embedded-stack';
import { say } from './terminal';

/** The database that a one-off command works on. `release` stops the server when it was started for the command. */
interface DatabaseTarget {
  readonly url: string;
  release(): Promise<void>;
}

/**
 * Runs the work of a one-off command on the configured database, or on the database of the stack that runs on DATA_DIR.
 * When no stack is running, starts and migrates the embedded Postgres of DATA_DIR for the command.
 * @param command part of the name under which the connections appear in Postgres
 * @param print called with a line for the user at each step that takes time, and when a running stack is used
 * @throws Error when the configured database does not have the version of this release
 */
export async function onDatabase<T>(
  { config, log }: Pick<CommandContext, 'config' | 'log'>,
  command: string,
  work: (sql: Sql) => Promise<T>,
  print: (line: string) => void = say,
): Promise<T> {
  const { url, release } = await databaseTarget(config, log, print);
  const sql = connectPostgres(url, { max: 4, applicationName: `pressline-${command}` });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
    await release();
  }
}

async function databaseTarget(config: Config, log: Logger, print: (line: string) => void): Promise<DatabaseTarget> {
  const { DATABASE_URL: url } = config;
  const step = startSteps(config, log);
  if (url !== undefined) {
    await step('check the database version', () => untilMigrated(url, 0, log));
    return { url, release: async () => undefined };
  }
  try {
    // Only Postgres is needed. With any TEMPORAL_ADDRESS, no embedded Temporal server is started.
    const only = { ...config, TEMPORAL_ADDRESS: config.TEMPORAL_ADDRESS ?? 'none' };
    const stack = await startEmbeddedStack(only, print);
    await step('migrate the database', () => migrateEmbedded(stack, log));
    return { url: stack.config.DATABASE_URL!, release: () => stack.stop() };
  } catch (error) {
    const url = error instanceof DataFolderBusy ? await runningPostgresUrl(config.DATA_DIR) : undefined;
    if (url === undefined) throw error;
    print(`Using the database of the running Pressline in ${config.DATA_DIR}.`);
    return { url, release: async () => undefined };
  }
}
