import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ChildServer {
  readonly pid: number;
  stop(): Promise<void>;
}

const READY_WITHIN_MS = 60_000;

/**
 * Starts a Node.js program and waits until its output contains `readyText`.
 * @param program `logFile`: the file to which its output is appended
 * @throws when the program ends or is not ready within a minute
 */
export async function startChildServer(program: {
  readonly script: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly logFile: string;
  readonly readyText: string;
}): Promise<ChildServer> {
  const { script, args, env, logFile, readyText } = program;
  const log = openSync(logFile, 'a');
  const child = spawn(process.execPath, [script, ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  let isRunning = true;
  const killChild = () => child.kill('SIGKILL');
  process.once('exit', killChild);
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      isRunning = false;
      process.off('exit', killChild);
      resolve();
    });
  });
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!(await readFile(logFile, 'utf8')).includes(readyText)) {
    if (!isRunning || Date.now() > deadline)
      throw new Error(`${script} ${args[0]} is not ready:\n${(await readFile(logFile, 'utf8')).slice(-2_000)}`);
    await sleep(100);
  }
  return {
    pid: child.pid!,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
