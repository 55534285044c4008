import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Ending of the names of programs. */
export const EXECUTABLE = process.platform === 'win32' ? '.exe' : '';

/** Returns the path of a program on PATH. */
export async function findOnPath(name: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const dir of (env.PATH ?? '').split(delimiter).filter((entry) => entry !== '')) {
    const path = join(dir, name + EXECUTABLE);
    const isMissing = await access(path, constants.X_OK).catch(() => true);
    if (!isMissing) return path;
  }
  return undefined;
}

/** Runs a Temporal CLI and returns its version, or undefined when it is incomplete or made for another machine. */
export async function versionOf(path: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  try {
    const { stdout } = await run(path, ['--version'], { env, timeout: 20_000 });
    return /temporal version \S+/.exec(stdout)?.[0];
  } catch {
    return undefined;
  }
}
