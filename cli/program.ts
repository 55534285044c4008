import { join } from 'node:path';
import { Command as Program } from 'commander';
import pino from 'pino';
import { type Config, ConfigError, loadConfig } from '../src/platform/config';
import { DataFolderBusy } from '../src/platform/embedded/data-folder';
import { TemporalBinaryMissing } from '../src/platform/embedded/temporal-binary';
import { createLogger, type Logger } from '../src/platform/logging';
import { migrate } from '../src/platform/migrate';
import { OptionalPackageMissing } from '../src/platform/optional-package';
import { untilPostgresAnswers } from '../src/platform/postgres';
import { assertPatchedDriver, DriverNotPatched } from '../src/platform/postgres-driver';
import { projectRoot } from '../src/platform/project-root';
import { createServices, type Services } from './composition-root';
import { demoLogFile, runDemo } from './demo/demo';
import { importCatalogFile } from './import-catalog';
import { issueOperatorKey } from './operator-key';
import { runApi } from './run-api';
import { runWorker } from './run-worker';
import { loadSecrets } from './secrets';
import { startStack } from './start-stack';
import { StopSignals, untilStopped } from './stop-signals';
import { installTemporalRuntime } from './temporal-runtime';
import { setUpTemporal } from './temporal-setup';

const say = (line: string) => process.stdout.write(`${line}\n`);
const workflowBundle = { codePath: join(projectRoot(), 'dist', 'workflow-bundle.js') };

/** Errors that the user can fix: the message is printed without a stack. */
const USER_ERRORS = [
  ConfigError,
  DataFolderBusy,
  DriverNotPatched,
  OptionalPackageMissing,
  TemporalBinaryMissing,
];

/** What a command works with. */
interface Command {
  readonly config: Config;
  readonly log: Logger;
  readonly signals: StopSignals;
}

/**
 * Runs a command with its configuration and log, and ends the process with its exit code.
 * @param logFile where the log goes when the terminal shows something else
 */
function command(
  role: string,
  run: (command: Command) => Promise<number>,
  logFile?: (config: Config) => string,
): () => Promise<void> {
  return async () => {
    try {
      assertPatchedDriver();
      const config = loadConfig();
      const destination = logFile && pino.destination({ dest: logFile(config), mkdir: true, sync: true });
      const log = createLogger(config, role, destination);
      process.exit(await run({ config, log, signals: new StopSignals() }));
    } catch (error) {
      const mine = USER_ERRORS.some((kind) => error instanceof kind);
      process.stderr.write(
        `${mine ? (error as Error).message : ((error as Error).stack ?? String(error))}\n`,
      );
      process.exit(1);
    }
  };
}

/** Services of a process that runs beside others: every server is named by the configuration. */
async function servicesOf(config: Config, log: Logger): Promise<Services> {
  for (const name of ['DATABASE_URL', 'TEMPORAL_ADDRESS', 'PUBLIC_URL'] as const) {
    if (config[name] === undefined)
      throw new ConfigError(`Wrong configuration: ${name}: must be set for this command`);
  }
  return await createServices(config, await loadSecrets(config, false), config.PUBLIC_URL!, log);
}

function databaseOf({ DATABASE_URL }: Config): string {
  if (DATABASE_URL === undefined)
    throw new ConfigError('Wrong configuration: DATABASE_URL: must be set for this command');
  return DATABASE_URL;
}

const program = new Program('pressline').description('Print fulfillment as durable workflows.');

program
  .command('start')
  .description('start everything in this process, with embedded servers where none are configured')
  .action(
    command('start', async ({ config, log, signals }) => {
      const stack = await startStack(config, log, { workflowBundle, report: say });
      const { credentials, credentialsPath } = stack;
      say('');
      say(`Runs on      Node ${process.versions.node}`);
      say(`API          ${credentials.baseUrl}`);
      say(`API pages    ${credentials.baseUrl}/docs`);
      say(`Temporal UI  ${credentials.temporalUiUrl}`);
      if (stack.sandbox) say(`Sandbox      ${stack.sandbox.url} (${config.SANDBOX})`);
      say(`Client       X-API-KEY: ${credentials.client.apiKey}:${credentials.client.apiSecret}`);
      for (const { name, apiKey } of credentials.partners) say(`Partner      X-API-KEY: ${apiKey} (${name})`);
      say(`Operator     X-API-KEY: ${credentials.operator.apiKey}`);
      say(`The same in  ${credentialsPath}`);
      say('Ctrl-C stops it.');
      return await untilStopped(signals.wait(), stack, log, say);
    }),
  );

program
  .command('demo')
  .description('start everything and watch one order go through')
  .action(
    command(
      'demo',
      ({ config, log, signals }) => runDemo(config, log, { workflowBundle, signals, say }),
      demoLogFile,
    ),
  );

program
  .command('api')
  .description('serve the API; Postgres and Temporal are configured')
  .action(
    command('api', async ({ config, log, signals }) => {
      const services = await servicesOf(config, log);
      await untilPostgresAnswers(config.DATABASE_URL!, log);
      await migrate(config.DATABASE_URL!, log);
      const api = await runApi(services, { host: config.HOST, port: config.PORT });
      log.info({ url: api.url }, 'API is up');
      const stop = async () => {
        await api.stop(config.SHUTDOWN_GRACE);
        await services.close();
      };
      const neverFails = new Promise<Error>(() => undefined);
      return await untilStopped(signals.wait(), { failure: neverFails, stop }, log, (line) => log.info(line));
    }),
  );

program
  .command('worker')
  .description('run a worker with its outbox relay; Postgres and Temporal are configured')
  .action(
    command('worker', async ({ config, log, signals }) => {
      const services = await servicesOf(config, log);
      await untilPostgresAnswers(config.DATABASE_URL!, log);
      await migrate(config.DATABASE_URL!, log);
      await setUpTemporal(services);
      installTemporalRuntime(log);
      const worker = await runWorker(services, workflowBundle);
      log.info({ taskQueue: config.TEMPORAL_TASK_QUEUE }, 'worker is up');
      const stop = async () => {
        await worker.stop();
        await services.close();
      };
      return await untilStopped(signals.wait(), { failure: worker.failure, stop }, log, (line) =>
        log.info(line),
      );
    }),
  );

program
  .command('migrate')
  .description('bring the database to the newest version')
  .action(
    command('migrate', async ({ config, log }) => {
      await untilPostgresAnswers(databaseOf(config), log);
      const applied = await migrate(databaseOf(config), log);
      say(applied.length === 0 ? 'The database is up to date.' : `Applied: ${applied.join(', ')}.`);
      return 0;
    }),
  );

program
  .command('operator')
  .argument('<name>')
  .description('make an operator, or give one a new key; the earlier keys end in a day')
  .action((name: string) =>
    command('operator', async ({ config }) => {
      say(`Operator     X-API-KEY: ${await issueOperatorKey(databaseOf(config), name)} (${name})`);
      return 0;
    })(),
  );

program
  .command('import-catalog')
  .argument('<file>', 'CSV, JSON array or JSON Lines (docs/catalog.md)')
  .option('--dry-run', 'check and count, change nothing')
  .description('import products, product models and attribute values')
  .action((file: string, { dryRun = false }: { dryRun?: boolean }) =>
    command('import', ({ config, log }) => importCatalogFile(config, log, file, { dryRun, say }))(),
  );

program.parseAsync();
