import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process as it runs now; a restart makes another. */
export interface Life {
  readonly pid: number;
  /** Settles when the process has ended. */
  readonly ended: Promise<unknown>;
}

/** A process that is started again whenever it ends, as a process manager does. */
export interface Supervised {
  readonly name: string;
  /** SIGKILL; started again `downMs` later. */
  kill(downMs: number): void;
  /** SIGSTOP, and SIGCONT `ms` later: as a long pause of the machine, others may have taken its work over meanwhile. */
  stall(ms: number): void;
  /** Times it ended although nobody killed it. */
  readonly unasked: number;
  /** Ends it for good. */
  stop(): Promise<void>;
}

/** Pause before a process that ended by itself is started again. */
const RESTART_MS = 1_000;
const living = new Set<number>();

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

// However this process ends, nothing of what it started stays.
process.once('exit', () => {
  for (const pid of living) send(pid, 'SIGKILL');
});

/** @param start brings the process up; called again after each end. Its first failure is thrown, later ones are retried */
export async function supervise(name: string, start: () => Promise<Life>): Promise<Supervised> {
  let life: Life | undefined;
  let stopping = false;
  let downMs: number | undefined;
  let unasked = 0;
  let stalled: NodeJS.Timeout | undefined;

  async function begin(): Promise<void> {
    const begun = await start();
    life = begun;
    living.add(begun.pid);
    if (stopping) send(begun.pid, 'SIGKILL');
    begun.ended.then(() => {
      living.delete(begun.pid);
      life = undefined;
      if (stopping) return;
      if (downMs === undefined) unasked += 1;
      revival = revive(downMs ?? RESTART_MS);
    });
  }

  async function revive(pauseMs: number): Promise<void> {
    downMs = undefined;
    await sleep(pauseMs);
    while (!stopping) {
      try {
        return await begin();
      } catch (error) {
        process.stderr.write(`${name} does not start: ${(error as Error).message}\n`);
        await sleep(RESTART_MS);
      }
    }
  }

  let revival: Promise<void> = Promise.resolve();
  await begin();
  return {
    name,
    get unasked() {
      return unasked;
    },
    kill(pauseMs) {
      if (life === undefined) return;
      downMs = pauseMs;
      send(life.pid, 'SIGKILL');
    },
    stall(ms) {
      if (life === undefined || stalled !== undefined) return;
      const { pid } = life;
      send(pid, 'SIGSTOP');
      stalled = setTimeout(() => {
        stalled = undefined;
        send(pid, 'SIGCONT');
      }, ms);
    },
    async stop() {
      stopping = true;
      clearTimeout(stalled);
      await revival;
      const last = life;
      if (last === undefined) return;
      send(last.pid, 'SIGKILL');
      await last.ended;
    },
  };
}

/** A Node.js program of ours, in a process group of its own; what it prints is added to a file. */
export function nodeProcess(
  script: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  logFile: string,
): () => Promise<Life> {
  return async () => {
    const log = openSync(logFile, 'a');
    const child = spawn(process.execPath, [script, ...args], {
      env,
      detached: true,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    if (child.pid === undefined) throw new Error(`${script} cannot be run`);
    return { pid: child.pid, ended };
  };
}
