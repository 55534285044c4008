import type { Config } from '../src/platform/config';
import { DataFolderBusy } from '../src/platform/embedded/data-folder';
import { runningPostgresUrl } from '../src/platform/embedded/postgres-server';
import { migrateEmbedded, startEmbeddedStack } from '../src/platform/embedded/stack';
import type { Logger } from '../src/platform/logging';
import { untilMigrated } from '../src/platform/schema/schema-version';
import { startSteps } from '../src/platform/start-steps';

/** The database that a one-off command works on. */
export interface DatabaseTarget {
  readonly url: string;
  /** Stops the server when it was started for the command. */
  release(): Promise<void>;
}

/**
 * Returns the configured database, or the database of the stack that runs on DATA_DIR. When no stack is running, starts
 * and migrates the embedded Postgres of DATA_DIR for the command.
 * @param say called with a line for the user at each step that takes time, and when a running stack is used
 * @throws Error when the configured database does not have the version of this release
 */
export async function databaseTarget(
  config: Config,
  log: Logger,
  say: (line: string) => void,
): Promise<DatabaseTarget> {
  const { DATABASE_URL: url } = config;
  const step = startSteps(config, log);
  if (url !== undefined) {
    await step('check the database version', () => untilMigrated(url, 0, log));
    return { url, release: async () => undefined };
  }
  try {
    // Only Postgres is needed. With any TEMPORAL_ADDRESS, no embedded Temporal server is started.
    const only = { ...config, TEMPORAL_ADDRESS: config.TEMPORAL_ADDRESS ?? 'none' };
    const stack = await startEmbeddedStack(only, say);
    await step('migrate the database', () => migrateEmbedded(stack, log));
    return { url: stack.config.DATABASE_URL!, release: () => stack.stop() };
  } catch (error) {
    const url = error instanceof DataFolderBusy ? await runningPostgresUrl(config.DATA_DIR) : undefined;
    if (url === undefined) throw error;
    say(`Using the database of the running Pressline in ${config.DATA_DIR}.`);
    return { url, release: async () => undefined };
  }
}
