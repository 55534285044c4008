import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A process that outlives its number: the start time tells it from a later one with the same id. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque; empty where the system does not tell (Windows). */
  readonly started: string;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function startTime(pid: number): Promise<string> {
  if (process.platform === 'win32') return '';
  if (process.platform === 'linux') {
    try {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
      // The command in parentheses may hold spaces; state is the first field after it, start time the 20th.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return fields[0] === 'Z' ? 'zombie' : fields[19]!;
    } catch {
      return '';
    }
  }
  return (await run('ps', ['-o', 'lstart=', '-p', String(pid)]).catch(() => ({ stdout: '' }))).stdout.trim();
}

export async function identify(pid: number): Promise<ProcessIdentity> {
  return { pid, started: await startTime(pid) };
}

/** Whether exactly this process still runs: not another that got its id, not one that ended and waits to be reaped. */
export async function isRunning({ pid, started }: ProcessIdentity): Promise<boolean> {
  return isAlive(pid) && (await startTime(pid)) === started;
}

/** Arguments of a running process as one text; empty when it is gone or the system does not tell. */
export async function commandLine(pid: number): Promise<string> {
  if (process.platform === 'win32') return '';
  if (process.platform === 'linux') {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ').trim();
  }
  return (
    await run('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).catch(() => ({ stdout: '' }))
  ).stdout.trim();
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
