import { type ChildProcess, execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A process that outlives its number: the start time tells it from a later one with the same id. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque; empty where the system does not tell (Windows). */
  readonly started: string;
}

/** Whether the id is taken, be it by a process that has ended and waits to be reaped. */
export function isAlive(pid: number): boolean {
  // Zero and less mean process groups, and -1 every process there is.
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Undefined for a process that is gone, or has ended and waits to be reaped. */
async function startTime(pid: number): Promise<string | undefined> {
  if (!isAlive(pid)) return undefined;
  if (process.platform === 'win32') return '';
  if (process.platform === 'linux') {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
    // The command in parentheses may hold spaces; state is the first field after it, start time the 20th.
    const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields?.[0] === 'Z' ? undefined : fields?.[19];
  }
  const { stdout } = await run('ps', ['-o', 'lstart=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  return stdout.trim() || undefined;
}

export async function identify(pid: number): Promise<ProcessIdentity> {
  return { pid, started: (await startTime(pid)) ?? 'gone' };
}

/** Whether exactly this process still runs: not another that got its id. */
export async function isRunning({ pid, started }: ProcessIdentity): Promise<boolean> {
  return (await startTime(pid)) === started;
}

/**
 * Processes that have all of these arguments on their command line. It finds a server that a killed stack started and had
 * no time to note down. Nothing on Windows, where the system's servers end with us.
 */
export async function processesWithArguments(...wanted: readonly string[]): Promise<ProcessIdentity[]> {
  const pids: number[] = [];
  if (process.platform === 'linux') {
    for (const name of await readdir('/proc')) {
      if (!/^\d+$/.test(name)) continue;
      const args = (await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')).split('\0');
      if (wanted.every((argument) => args.includes(argument))) pids.push(Number(name));
    }
  } else if (process.platform !== 'win32') {
    const { stdout } = await run('ps', ['-axww', '-o', 'pid=,command='], { maxBuffer: 64 * 1024 * 1024 });
    for (const line of stdout.split('\n')) {
      const [, pid, command] = /^\s*(\d+)\s+(.*)$/.exec(line) ?? [];
      if (command !== undefined && wanted.every((argument) => ` ${command} `.includes(` ${argument} `)))
        pids.push(Number(pid));
    }
  }
  return Promise.all(pids.filter((pid) => pid !== process.pid).map(identify));
}

/** Sends a child its signal when this process exits without having waited for it, at a second Ctrl-C or by a bug. */
export function endWithUs(child: ChildProcess, signal: NodeJS.Signals): void {
  const end = () => child.kill(signal);
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
}

/** A signal and how long, in milliseconds, the process has to end after it before the next one is sent. */
export type StopStep = readonly [signal: NodeJS.Signals, waitMs: number];

/** Sends the signals in turn until the process has ended. @returns the signal that ended it */
export async function stopProcess(
  identity: ProcessIdentity,
  steps: readonly StopStep[],
): Promise<NodeJS.Signals | undefined> {
  for (const [signal, waitMs] of steps) {
    if (!(await isRunning(identity))) return undefined;
    try {
      process.kill(identity.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
    const deadline = Date.now() + waitMs;
    while (Date.now() < deadline) {
      if (!(await isRunning(identity))) return signal;
      await sleep(25);
    }
  }
  throw new Error(`process ${identity.pid} does not end`);
}
