import pino from 'pino';
import { DataFolderBusy } from '../packages/embedded-servers/data-folder';
import { OptionalPackageMissing } from '../packages/embedded-servers/optional-package';
import { TemporalBinaryMissing } from '../packages/embedded-servers/temporal-binary';
import type { DemoCredentials } from '../sandbox/demo/accounts';
import { ArchiveFileUnreadable } from '../src/orders/reading/archived-order';
import { type Config, ConfigError, loadConfig } from '../src/platform/config';
import { createLogger, type Logger } from '../src/platform/logging/logging';
import { assertPatchedDriver, DriverNotPatched } from '../src/platform/postgres';
import { MigrationBlocked } from '../src/platform/schema/migrate';
import { DatabaseNotMigrated, untilMigrated } from '../src/platform/schema/schema-version';
import { StartTimedOut, startSteps } from '../src/platform/start-steps';
import { VersionWithoutWorkers } from '../src/platform/temporal/worker-versions';
import { traceFields } from '../src/platform/tracing/spans';
import { tracesUrl } from '../src/platform/tracing/tracing';
import { createServices, type Services } from './composition-root';
import { loadSecrets } from './secrets';
import { StopSignals, say } from './terminal';

/** Errors that the user can fix. Their message is printed without a stack trace. */
const USER_ERRORS = [
  ArchiveFileUnreadable,
  ConfigError,
  DatabaseNotMigrated,
  DataFolderBusy,
  DriverNotPatched,
  MigrationBlocked,
  OptionalPackageMissing,
  StartTimedOut,
  TemporalBinaryMissing,
  VersionWithoutWorkers,
];

/** The input of every command. */
export interface CommandContext {
  readonly config: Config;
  readonly log: Logger;
  readonly signals: StopSignals;
}

/** Runs a command and returns the exit code of the process. */
export type Command = (context: CommandContext) => Promise<number>;

export function sayConsole(baseUrl: string, signInLink: string | undefined): void {
  say(`Console      ${signInLink ?? `${baseUrl}/console`}`);
  if (signInLink !== undefined) say('             This link signs you in once, within 10 minutes.');
}

export function sayKeys({ client, partners, operator }: DemoCredentials): void {
  say(`Client       X-API-KEY: ${client.apiKey}:${client.apiSecret}`);
  for (const { name, apiKey } of partners) say(`Partner      X-API-KEY: ${apiKey} (${name})`);
  say(`Operator     X-API-KEY: ${operator.apiKey || 'none, the demo operator is revoked'}`);
}

/**
 * Loads the configuration, runs a command, and ends the process with the command's exit code.
 * @param role the process type in log lines
 * @param logFile returns the path of the log file, for a command whose terminal shows something else
 */
export async function runCommand(role: string, command: Command, logFile?: (config: Config) => string): Promise<never> {
  try {
    assertPatchedDriver();
    const config = loadConfig();
    const destination = logFile && pino.destination({ dest: logFile(config), mkdir: true, sync: true });
    const log = createLogger(config, role, destination, tracesUrl(config) === undefined ? undefined : traceFields);
    process.exit(await command({ config, log, signals: new StopSignals() }));
  } catch (error) {
    const isUserError = USER_ERRORS.some((kind) => error instanceof kind);
    process.stderr.write(`${isUserError ? (error as Error).message : stacksOf(error)}\n`);
    process.exit(1);
  }
}

/** Returns the stack traces of an error and its causes. Other properties can hold secrets. */
function stacksOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const stack = error.stack ?? error.message;
  return error.cause === undefined ? stack : `${stack}\ncaused by ${stacksOf(error.cause)}`;
}

/**
 * Creates the services of a process that connects to servers of the deployment. Waits until Postgres is available and
 * migrated.
 * @throws ConfigError when the configuration does not name every server
 * @throws DatabaseNotMigrated when the database is older than this release after MIGRATION_WAIT
 * @throws StartTimedOut when Postgres is unavailable for START_TIMEOUT
 */
export async function connectServices(config: Config, log: Logger): Promise<Services> {
  for (const name of ['DATABASE_URL', 'TEMPORAL_ADDRESS', 'PUBLIC_URL'] as const) assertSet(config, name);
  const secrets = await loadSecrets(config, false);
  await startSteps(config, log)('check the database version', () =>
    untilMigrated(config.DATABASE_URL!, config.MIGRATION_WAIT, log),
  );
  return await createServices(config, secrets, config.PUBLIC_URL!, log);
}

/** @throws ConfigError when a variable that the command requires is not set */
export function assertSet(config: Config, name: keyof Config): void {
  if (config[name] === undefined) throw new ConfigError(`Wrong configuration: ${name}: must be set for this command`);
}
