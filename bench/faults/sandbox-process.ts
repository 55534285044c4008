import { pino } from 'pino';
import { type SandboxOptions, startSandbox } from '../../sandbox';

/**
 * The outside world as a process of its own, so that it can be killed: settings as JSON in the first argument.
 * It goes on from its journal.
 */
const options = JSON.parse(process.argv[2]!) as Omit<SandboxOptions, 'log'>;
startSandbox({ ...options, log: pino({ level: 'warn' }) }).catch((error: unknown) => {
  process.stderr.write(`${(error as Error).stack}\n`);
  process.exit(1);
});
