import { type ChildProcess, execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Identifies a process. The start time distinguishes it from a later process with the same id. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque. Empty on Windows, which does not report it. */
  readonly started: string;
}

/** Returns true when a process has this id. Includes a process that has ended and has not been reaped yet. */
export function isAlive(pid: number): boolean {
  // 0 and negative numbers name process groups, and -1 names every process.
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Returns undefined when the process has ended, whether it has been reaped or not. */
async function startTime(pid: number): Promise<string | undefined> {
  if (!isAlive(pid)) return undefined;
  if (process.platform === 'win32') return '';
  if (process.platform === 'linux') {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
    // The command in parentheses may contain spaces. After it, the state is the first field and the start time the 20th.
    const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields?.[0] === 'Z' ? undefined : fields?.[19];
  }
  const { stdout } = await run('ps', ['-o', 'lstart=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  return stdout.trim() || undefined;
}

/** Returns the identity of a running process. */
export async function identify(pid: number): Promise<ProcessIdentity> {
  return { pid, started: (await startTime(pid)) ?? 'ended' };
}

/** Returns true when this very process is running, and not a later one with the same id. */
export async function isRunning({ pid, started }: ProcessIdentity): Promise<boolean> {
  return (await startTime(pid)) === started;
}

/**
 * Returns the processes whose command line contains all of these arguments. This finds a server that a stack started
 * just before it was killed. Returns nothing on Windows, where child processes end with their parent.
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

/** Sends a signal to a child process when this process exits before the child, for example at a second Ctrl-C. */
export function endWithUs(child: ChildProcess, signal: NodeJS.Signals): void {
  const end = () => child.kill(signal);
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
}

/** A signal, and the time in milliseconds that the process has to end before the next signal is sent. */
export type StopStep = readonly [signal: NodeJS.Signals, waitMs: number];

/**
 * Sends signals one after another until the process has ended.
 * @returns the signal that ended the process, or undefined when it had ended before
 * @throws Error when the process is still running after the last signal
 */
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
  throw new Error(`Process ${identity.pid} did not stop`);
}
