import { pino } from 'pino';
import { type SandboxOptions, startSandbox } from '../../sandbox';

/**
 * Runs the sandbox as a separate process, so that it can be killed. The first argument has the options as JSON.
 * After a restart it continues from its journal.
 */
const options = JSON.parse(process.argv[2]!) as Omit<SandboxOptions, 'log'>;
startSandbox({ ...options, log: pino({ level: 'warn' }) }).catch((error: unknown) => {
  process.stderr.write(`${(error as Error).stack}\n`);
  process.exit(1);
});
