import { InvalidArgumentError, Option, Command as Program } from 'commander';
import { OPERATOR_ROLES, type OperatorRole } from '../src/accounts/account';
import { runCommand, say } from './command';
import { api } from './commands/api';
import { demo, demoLogFile } from './commands/demo';
import { importCatalogFile } from './commands/import-catalog';
import { migrateDatabase } from './commands/migrate';
import {
  addOperator,
  listAllOperators,
  OVERLAP_SECONDS,
  revokeOperatorByName,
  rotateOperatorKey,
} from './commands/operator';
import { resealSecrets } from './commands/reseal-secrets';
import { seedDatabase } from './commands/seed';
import { start } from './commands/start';
import { worker } from './commands/worker';

/** Parses a whole number of seconds, up to 30 days. */
function wholeSeconds(text: string): number {
  const seconds = Number(text);
  if (/^\d{1,7}$/.test(text) && seconds <= 30 * 86_400) return seconds;
  throw new InvalidArgumentError('Expected a whole number of seconds, at most 2592000 (30 days).');
}

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

const operator = program
  .command('operator')
  .argument('<name>')
  .description('create an admin, or issue a new key for an operator; previous keys expire after a day')
  .action((name: string) =>
    runCommand('operator', (context) =>
      rotateOperatorKey(context, name, { overlapSeconds: OVERLAP_SECONDS, create: true }),
    ),
  );
operator
  .command('list')
  .description('list operators')
  .action(() => runCommand('operator', listAllOperators));
operator
  .command('add')
  .argument('<name>')
  .addOption(
    new Option('--role <role>', 'permissions of the operator').choices(OPERATOR_ROLES).default('operator'),
  )
  .description('create an operator and print its key')
  .action((name: string, { role }: { role: OperatorRole }) =>
    runCommand('operator', (context) => addOperator(context, name, role)),
  );
operator
  .command('revoke')
  .argument('<name>')
  .description('revoke an operator with all keys')
  .action((name: string) => runCommand('operator', (context) => revokeOperatorByName(context, name)));
operator
  .command('rotate')
  .argument('<name>')
  .option('--overlap <seconds>', 'time for which previous keys keep working', wholeSeconds, OVERLAP_SECONDS)
  .description('issue a new key for an operator and print it')
  .action((name: string, { overlap }: { overlap: number }) =>
    runCommand('operator', (context) => rotateOperatorKey(context, name, { overlapSeconds: overlap })),
  );

program
  .command('reseal-secrets')
  .description('seal every stored secret with the first key of SECRET_KEYS')
  .action(() => runCommand('reseal-secrets', resealSecrets));

program
  .command('seed')
  .option('--allow-production', 'seed although NODE_ENV is production')
  .description('add the demo accounts, partners and catalog to a database, and print their keys')
  .action((options: { allowProduction?: boolean }) =>
    runCommand('seed', (context) => seedDatabase(context, options)),
  );

program
  .command('import-catalog')
  .argument('<file>', 'CSV, JSON array or JSON Lines (docs/catalog.md)')
  .option('--dry-run', 'validate and count without changing the database')
  .description('import products, product models and attribute values')
  .action((file: string, { dryRun = false }: { dryRun?: boolean }) =>
    runCommand('import', ({ config, log }) => importCatalogFile(config, log, file, { dryRun, say })),
  );

program.parseAsync();
