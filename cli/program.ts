import { InvalidArgumentError, Option, Command as Program } from 'commander';
import { addCheckPartner, wholeSeconds } from '../kits/partner-kit/options';
import { OPERATOR_ROLES, type OperatorRole } from '../src/accounts/account';
import type { Command } from './command';
import type { WorkerVersionOptions } from './commands/worker-version';
import { addRemoteCommands } from './remote/commands';
import { say } from './terminal';

/** Loads the services of the engine, which takes a second, and runs a command that needs them. */
async function run(role: string, command: Command, logFile?: 'demo'): Promise<void> {
  const [{ runCommand }, { demoLogFile }] = await Promise.all([import('./command.js'), import('./commands/demo.js')]);
  await runCommand(role, command, logFile && demoLogFile);
}

const operators = () => import('./commands/operator.js');

/** How long the previous keys of an operator stay valid beside a new key, unless `--overlap` says otherwise. */
const OVERLAP_SECONDS = 86_400;

function wholeDays(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text) && Number(text) <= 3_650) return Number(text);
  throw new InvalidArgumentError('Expected a whole number of days, from 1 to 3650.');
}

function percentage(text: string): number {
  const percent = Number(text);
  if (/^\d{1,3}(\.\d+)?$/.test(text) && percent <= 100) return percent;
  throw new InvalidArgumentError('Expected a number from 0 to 100.');
}

function calendarDay(text: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw new InvalidArgumentError('Expected a day such as 2026-03-01.');
}

const program = new Program('pressline').description('Print fulfillment as durable workflows.');

program
  .command('start')
  .description('start all parts in one process, with embedded servers unless the configuration names servers')
  .action(() => run('start', async (context) => (await import('./start-stack.js')).start(context)));

program
  .command('demo')
  .description('start all parts and show the progress of one order')
  .action(() => run('demo', async (context) => (await import('./commands/demo.js')).demo(context), 'demo'));

program
  .command('api')
  .description('serve the API; requires Postgres and Temporal')
  .action(() => run('api', async (context) => (await import('./run-api.js')).api(context)));

program
  .command('worker')
  .description('run a worker and an outbox relay; requires Postgres and Temporal')
  .action(() => run('worker', async (context) => (await import('./run-worker.js')).worker(context)));

program
  .command('worker-version')
  .argument('<build-id>', 'WORKER_BUILD_ID of the version')
  .option('--ramp <percentage>', 'give the version this share of the workflows; 0 takes them back', percentage)
  .option('--pin <build-id>', 'keep the running workflows of this other version on it, as in a rollback')
  .description('make a worker version current, or ramp it (docs/operation/upgrades.md)')
  .action((buildId: string, options: WorkerVersionOptions) =>
    run('worker-version', async (context) =>
      (await import('./commands/worker-version.js')).setWorkerVersion(context, buildId, options),
    ),
  );

program
  .command('migrate')
  .option('--dry-run', 'run the pending migrations and roll them back')
  .option('--status', 'print the version of the database; exit with 1 when migrations are pending')
  .description('migrate the database to the latest version')
  .action((options: { dryRun?: boolean; status?: boolean }) =>
    run('migrate', async (context) => (await import('./commands/database.js')).migrateDatabase(context, options)),
  );

const operator = program
  .command('operator')
  .argument('<name>')
  .description('create an admin, or issue a new key for an operator; previous keys expire after a day')
  .action((name: string) =>
    run('operator', async (context) =>
      (await operators()).rotateOperatorKey(context, name, { overlapSeconds: OVERLAP_SECONDS, create: true }),
    ),
  );
operator
  .command('list')
  .description('list operators')
  .action(() => run('operator', async (context) => (await operators()).listAllOperators(context)));
operator
  .command('add')
  .argument('<name>')
  .addOption(new Option('--role <role>', 'permissions of the operator').choices(OPERATOR_ROLES).default('operator'))
  .option('--key-days <days>', 'days after which the key stops working', wholeDays)
  .description('create an operator and print its key')
  .action((name: string, { role, keyDays }: { role: OperatorRole; keyDays?: number }) =>
    run('operator', async (context) => (await operators()).addOperator(context, name, role, keyDays)),
  );
operator
  .command('revoke')
  .argument('<name>')
  .description('revoke an operator with all keys')
  .action((name: string) =>
    run('operator', async (context) => (await operators()).revokeOperatorByName(context, name)),
  );
operator
  .command('rotate')
  .argument('<name>')
  .option('--overlap <seconds>', 'time for which previous keys keep working', wholeSeconds, OVERLAP_SECONDS)
  .description('issue a new key for an operator and print it')
  .action((name: string, { overlap }: { overlap: number }) =>
    run('operator', async (context) =>
      (await operators()).rotateOperatorKey(context, name, { overlapSeconds: overlap }),
    ),
  );

program
  .command('reseal-secrets')
  .description('seal every stored secret with the first key of SECRET_KEYS')
  .action(() =>
    run('reseal-secrets', async (context) => (await import('./commands/database.js')).resealSecrets(context)),
  );

program
  .command('seed')
  .option('--allow-production', 'seed although NODE_ENV is production')
  .description('add the demo accounts, partners and catalog to a database, and print their keys')
  .action((options: { allowProduction?: boolean }) =>
    run('seed', async (context) => (await import('./commands/data.js')).seedDatabase(context, options)),
  );

program
  .command('import-catalog')
  .argument('<file>', 'CSV, JSON array or JSON Lines (docs/catalog.md)')
  .option('--dry-run', 'validate and count without changing the database')
  .description('import products, product models and attribute values')
  .action((file: string, { dryRun = false }: { dryRun?: boolean }) =>
    run('import', async ({ config, log }) =>
      (await import('./commands/data.js')).importCatalogFile(config, log, file, { dryRun, say }),
    ),
  );

program
  .command('restore-archive')
  .argument('<day>', 'YYYY-MM-DD', calendarDay)
  .description('move the archived orders of one day back into their tables (docs/operation/archive.md)')
  .action((day: string) =>
    run('restore-archive', async (context) => (await import('./commands/data.js')).restoreArchive(context, day)),
  );

addCheckPartner(program, 'check-partner');
addRemoteCommands(program);

program.parseAsync();
