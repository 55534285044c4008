import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** One run of a process. A restart creates another one. */
export interface RunningProcess {
  readonly pid: number;
  /** Resolves when the process has ended. */
  readonly ended: Promise<unknown>;
}

/** A process that is restarted whenever it ends, as by a process manager. */
export interface Supervised {
  readonly name: string;
  /** Sends SIGKILL. The process starts again after `downMs`. */
  kill(downMs: number): void;
  /** Sends SIGSTOP, and SIGCONT after `ms`, like a long pause of the machine. Others may take over its work meanwhile. */
  stall(ms: number): void;
  /** Number of times the process ended without `kill`. */
  readonly unexpectedExits: number;
  /** Ends the process permanently. */
  stop(): Promise<void>;
}

/** Pause before a restart after an unexpected exit. */
const RESTART_MS = 1_000;
const runningPids = new Set<number>();

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended.
  }
}

// No child survives this process, however it ends.
process.once('exit', () => {
  for (const pid of runningPids) send(pid, 'SIGKILL');
});

/**
 * Starts a process and restarts it after each end.
 * @param start starts the process. Its first failure is thrown, later ones are retried.
 */
export async function supervise(name: string, start: () => Promise<RunningProcess>): Promise<Supervised> {
  let current: RunningProcess | undefined;
  let stopping = false;
  let downMs: number | undefined;
  let unexpectedExits = 0;
  let stalled: NodeJS.Timeout | undefined;

  async function begin(): Promise<void> {
    const begun = await start();
    current = begun;
    runningPids.add(begun.pid);
    if (stopping) send(begun.pid, 'SIGKILL');
    begun.ended.then(() => {
      runningPids.delete(begun.pid);
      current = undefined;
      if (stopping) return;
      if (downMs === undefined) unexpectedExits += 1;
      restarting = restart(downMs ?? RESTART_MS);
    });
  }

  async function restart(pauseMs: number): Promise<void> {
    downMs = undefined;
    await sleep(pauseMs);
    while (!stopping) {
      try {
        return await begin();
      } catch (error) {
        process.stderr.write(`${name} failed to start: ${(error as Error).message}\n`);
        await sleep(RESTART_MS);
      }
    }
  }

  let restarting: Promise<void> = Promise.resolve();
  await begin();
  return {
    name,
    get unexpectedExits() {
      return unexpectedExits;
    },
    kill(pauseMs) {
      if (current === undefined) return;
      downMs = pauseMs;
      send(current.pid, 'SIGKILL');
    },
    stall(ms) {
      if (current === undefined || stalled !== undefined) return;
      const { pid } = current;
      send(pid, 'SIGSTOP');
      stalled = setTimeout(() => {
        stalled = undefined;
        send(pid, 'SIGCONT');
      }, ms);
    },
    async stop() {
      stopping = true;
      clearTimeout(stalled);
      await restarting;
      const last = current;
      if (last === undefined) return;
      send(last.pid, 'SIGKILL');
      await last.ended;
    },
  };
}

/** Returns a start function for a Node.js program in its own process group. Its output is appended to a file. */
export function nodeProcess(
  script: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  logFile: string,
): () => Promise<RunningProcess> {
  return async () => {
    const log = openSync(logFile, 'a');
    const child = spawn(process.execPath, [script, ...args], {
      env,
      detached: true,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    if (child.pid === undefined) throw new Error(`${script} could not be started`);
    return { pid: child.pid, ended };
  };
}
