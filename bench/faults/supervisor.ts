import { spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** One run of a process. A restart creates another one. */
export interface RunningProcess {
  readonly pid: number;
  /** Resolves when the process has ended, to a text with its exit code or signal and the reason in its log. */
  readonly ended: Promise<string>;
}

/** A process that is restarted whenever it ends, as by a process manager. */
export interface Supervised {
  readonly name: string;
  /** Sends SIGKILL. The process starts again after `downMs`. */
  kill(downMs: number): void;
  /** Sends SIGSTOP, and SIGCONT after `ms`, like a long pause of the machine. Others may take over its work meanwhile. */
  stall(ms: number): void;
  /** Why the process ended without `kill`, one text for each time. */
  readonly unexpectedExits: readonly string[];
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
  const unexpectedExits: string[] = [];
  let stalled: NodeJS.Timeout | undefined;

  async function begin(): Promise<void> {
    const begun = await start();
    current = begun;
    runningPids.add(begun.pid);
    if (stopping) send(begun.pid, 'SIGKILL');
    begun.ended.then((reason) => {
      runningPids.delete(begun.pid);
      current = undefined;
      if (stopping) return;
      if (downMs === undefined) {
        unexpectedExits.push(reason);
        process.stderr.write(`${name} ended by itself: ${reason}\n`);
      }
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
    unexpectedExits,
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
    const logged = fstatSync(log).size;
    const child = spawn(process.execPath, [script, ...args], {
      env,
      detached: true,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    const ended = new Promise<string>((resolve) => {
      child.once('exit', async (code, signal) => {
        const output = (await readFile(logFile)).subarray(logged).toString('utf8');
        resolve(`${signal ?? `exit code ${code}`}: ${reasonIn(output)}`);
      });
    });
    if (child.pid === undefined) throw new Error(`${script} could not be started`);
    return { pid: child.pid, ended };
  };
}

/** Log levels of pino from which a line can be the reason of an end. */
const ERROR_LEVEL = 50;

/**
 * Returns the reason for the end of a process from what it has logged: the last line that is not a log line, with the line
 * that begins its stack trace, otherwise the last error in the log.
 */
export function reasonIn(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const plain = lines.filter((line) => !line.startsWith('{') && !/^\s/.test(line));
  const thrown = plain.findLast((line) => /\b\w*Error\b/.test(line)) ?? plain.at(-1);
  if (thrown !== undefined) return thrown;
  for (const line of lines.toReversed()) {
    const { level, msg, err } = logLine(line);
    if (level !== undefined && level >= ERROR_LEVEL) return [msg, err?.message].filter(Boolean).join(': ');
  }
  return lines.at(-1) ?? 'it logged nothing';
}

/** The fields of a log line that are read. */
interface LogLine {
  readonly level?: number;
  readonly msg?: string;
  readonly err?: { readonly message?: string };
  readonly status?: number;
  readonly operation?: string;
  readonly requestId?: string;
}

/** Returns the fields of a log line, and none of other text: a process that is killed can leave half of a line. */
export function logLine(line: string): LogLine {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}
