import { Command as Program } from 'commander';
import { runCommand, say } from './command';
import { api } from './commands/api';
import { demo, demoLogFile } from './commands/demo';
import { importCatalogFile } from './commands/import-catalog';
import { migrateDatabase } from './commands/migrate';
import { issueOperatorKey } from './commands/operator';
import { resealSecrets } from './commands/reseal-secrets';
import { start } from './commands/start';
import { worker } from './commands/worker';

const program = new Program('pressline').description('Print fulfillment as durable workflows.');

program
  .command('start')
  .description('start all parts in one process, with embedded servers unless the configuration names servers')
  .action(() => runCommand('start', start));

program
  .command('demo')
  .description('start all parts and show the progress of one order')
  .action(() => runCommand('demo', demo, demoLogFile));

program
  .command('api')
  .description('serve the API; requires Postgres and Temporal')
  .action(() => runCommand('api', api));

program
  .command('worker')
  .description('run a worker and an outbox relay; requires Postgres and Temporal')
  .action(() => runCommand('worker', worker));

program
  .command('migrate')
  .option('--dry-run', 'run the pending migrations and roll them back')
  .option('--status', 'print the version of the database; exit with 1 when migrations are pending')
  .description('migrate the database to the latest version')
  .action((options: { dryRun?: boolean; status?: boolean }) =>
    runCommand('migrate', (context) => migrateDatabase(context, options)),
  );

program
  .command('operator')
  .argument('<name>')
  .description('create an operator, or issue a new key; previous keys expire after a day')
  .action((name: string) => runCommand('operator', (context) => issueOperatorKey(context, name)));

program
  .command('reseal-secrets')
  .description('seal every stored secret with the first key of SECRET_KEYS')
  .action(() => runCommand('reseal-secrets', resealSecrets));

program
  .command('import-catalog')
  .argument('<file>', 'CSV, JSON array or JSON Lines (docs/catalog.md)')
  .option('--dry-run', 'validate and count without changing the database')
  .description('import products, product models and attribute values')
  .action((file: string, { dryRun = false }: { dryRun?: boolean }) =>
    runCommand('import', ({ config, log }) => importCatalogFile(config, log, file, { dryRun, say })),
  );

program.parseAsync();
