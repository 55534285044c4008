import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { endWithUs, identify, type StopStep, stopProcess } from './processes';

/** A server process that this process started. */
export interface RunningServer {
  readonly pid: number;
  /**
   * Resolves when the process has ended: to undefined after `stop`, otherwise to an error with the end of its log.
   * Never rejects.
   */
  readonly died: Promise<Error | undefined>;
  /** Stops the process, by force when it does not end in time. Further calls wait for the same end. */
  stop(): Promise<void>;
}

interface ServerProgram {
  /** Name in messages, such as `Postgres`. */
  readonly name: string;
  readonly path: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  readonly stopSteps: readonly StopStep[];
  /** Its output is appended to this file. */
  readonly logFile: string;
}

/**
 * Starts a server in a separate process group, so that Ctrl-C on a terminal reaches only this process, which stops the
 * servers last. The server writes to a file instead of a pipe, because it may outlive this process.
 * @returns the server, and a function that returns its output since the start
 * @throws Error when the program cannot be executed
 */
export async function runServer(program: ServerProgram): Promise<RunningServer & { output(): Promise<string> }> {
  const { name, path, args, env, user, stopSteps, logFile } = program;
  const log = await open(logFile, 'a');
  try {
    const { size } = await log.stat();
    const child = spawn(path, args, {
      ...user,
      cwd: '/',
      env,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    const server = await watch(name, child, stopSteps, logFile);
    return { ...server, output: async () => (await readFile(logFile)).subarray(size).toString('utf8') };
  } finally {
    await log.close();
  }
}

async function watch(
  name: string,
  child: ChildProcess,
  stopSteps: readonly StopStep[],
  logFile: string,
): Promise<RunningServer> {
  if (child.pid === undefined) {
    const [error] = await once(child, 'error');
    throw new Error(`Cannot execute ${name}: ${error.message}`);
  }
  let stopping: Promise<void> | undefined;
  endWithUs(child, stopSteps[0]?.[0] ?? 'SIGTERM');
  const died = new Promise<Error | undefined>((resolve) => {
    child.once('exit', async (code, signal) => {
      if (stopping !== undefined) return resolve(undefined);
      const end = await lastLines(logFile);
      resolve(new Error(`${name} has ended (${signal ?? `exit code ${code}`}). The end of ${logFile}:\n${end}`));
    });
  });
  const identity = await identify(child.pid);
  return {
    pid: child.pid,
    died,
    stop: () => {
      stopping ??= (async () => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        await stopProcess(identity, stopSteps);
        await died;
      })();
      return stopping;
    },
  };
}

/** Returns the last lines of a log file, for error messages. Returns an empty text when the file does not exist. */
export async function lastLines(path: string, lines = 12): Promise<string> {
  const file = await open(path, 'r').catch(() => undefined);
  if (file === undefined) return '';
  try {
    const { size } = await file.stat();
    const length = Math.min(size, 16_384);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.toString('utf8').trimEnd().split('\n').slice(-lines).join('\n');
  } finally {
    await file.close();
  }
}
