import { execFile, spawn } from 'node:child_process';
import { constants, existsSync } from 'node:fs';
import { access, chmod, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import lockfile from 'proper-lockfile';
import { isInstalled } from '../optional-package';
import { projectRoot } from '../project-root';
import { endWithUs } from './processes';

const run = promisify(execFile);
const executable = process.platform === 'win32' ? '.exe' : '';

export interface BinarySearch {
  /** TEMPORAL_CLI_PATH. */
  readonly cliPath?: string | undefined;
  readonly downloadTimeoutMs: number;
  /** Called with a line for the user: which step runs, and why the previous step failed. */
  readonly report: (line: string) => void;
  /** PATH, HOME, XDG_CACHE_HOME, LOCALAPPDATA and the variables that Go reads. */
  readonly env?: NodeJS.ProcessEnv;
}

/** No Temporal CLI was found, downloaded or built. The message names the possible solutions. */
export class TemporalBinaryMissing extends Error {
  override readonly name = 'TemporalBinaryMissing';
}

/**
 * Finds the Temporal CLI, which contains the development server. Tries in this order: TEMPORAL_CLI_PATH, `temporal` on
 * PATH, the download of the Temporal SDK, a build of the Go module that is pinned in tools/temporal. Downloads and builds
 * are stored in a cache folder of the user.
 * @returns path of a binary that printed its version
 * @throws TemporalBinaryMissing
 */
export async function findTemporalBinary(search: BinarySearch): Promise<string> {
  const env = search.env ?? process.env;
  if (search.cliPath !== undefined) {
    const version = await versionOf(search.cliPath, env);
    if (version === undefined) {
      throw new TemporalBinaryMissing(
        `TEMPORAL_CLI_PATH: ${search.cliPath} is not a Temporal CLI that runs on this machine.`,
      );
    }
    search.report(`Temporal server: ${search.cliPath} (TEMPORAL_CLI_PATH, ${version})`);
    return search.cliPath;
  }
  const cache = cacheFolder(env);
  const onPath = await findOnPath('temporal', env);
  if (onPath !== undefined) {
    const version = await versionOf(onPath, env);
    if (version !== undefined) {
      search.report(`Temporal server: ${onPath} (on PATH, ${version})`);
      return onPath;
    }
    search.report(`Temporal server: ${onPath} on PATH does not run; trying the next option`);
  }
  const cached = (await downloaded(cache, env)) ?? (await built(cache, env));
  if (cached !== undefined) {
    search.report(`Temporal server: ${cached} (cache)`);
    return cached;
  }
  const failures: string[] = [];
  for (const step of [download, build]) {
    try {
      return await step(cache, search, env);
    } catch (error) {
      failures.push((error as Error).message);
      search.report(`Temporal server: ${(error as Error).message}`);
    }
  }
  throw new TemporalBinaryMissing(
    [
      'No Temporal server found. Choose one of these solutions:',
      '  - Set TEMPORAL_ADDRESS to a running Temporal server.',
      '  - Install the Temporal CLI (https://docs.temporal.io/cli), or set TEMPORAL_CLI_PATH to its binary.',
      '  - Give this machine access to https://temporal.download. A longer TEMPORAL_DOWNLOAD_TIMEOUT may help.',
      '  - Install Go 1.25 or later. It needs access to a Go module proxy.',
      'Tried:',
      ...failures.map((failure) => `  - ${failure}`),
    ].join('\n'),
  );
}

/** Returns the cache folder of the user. Binaries are large and the same for every checkout. */
export function cacheFolder(env: NodeJS.ProcessEnv): string {
  if (env.XDG_CACHE_HOME) return join(env.XDG_CACHE_HOME, 'pressline');
  const home = env.HOME ?? homedir();
  if (process.platform === 'darwin') return join(home, 'Library', 'Caches', 'pressline');
  if (process.platform === 'win32') return join(env.LOCALAPPDATA ?? join(home, 'AppData', 'Local'), 'pressline');
  return join(home, '.cache', 'pressline');
}

async function findOnPath(name: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const dir of (env.PATH ?? '').split(delimiter).filter((entry) => entry !== '')) {
    const path = join(dir, name + executable);
    const isMissing = await access(path, constants.X_OK).catch(() => true);
    if (!isMissing) return path;
  }
  return undefined;
}

/** Runs the binary and returns its version, or undefined when it is incomplete or made for another machine. */
async function versionOf(path: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  try {
    const { stdout } = await run(path, ['--version'], { env, timeout: 20_000 });
    return /temporal version \S+/.exec(stdout)?.[0];
  } catch {
    return undefined;
  }
}

/** The package of the Temporal SDK that downloads the server. It is optional: production images do not contain it. */
const DOWNLOADER = '@temporalio/testing';

/** Returns the download folder of the installed SDK version. Each SDK version downloads another server version. */
async function downloadFolder(cache: string): Promise<string> {
  const { version } = JSON.parse(await readFile(require.resolve(`${DOWNLOADER}/package.json`), 'utf8'));
  return join(cache, `temporal-sdk-${version}-${process.platform}-${process.arch}`);
}

async function downloaded(cache: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (!isInstalled(DOWNLOADER)) return undefined;
  const folder = await downloadFolder(cache);
  for (const name of await readdir(folder).catch(() => [])) {
    // The SDK downloads to this name and renames the file when it is complete.
    if (name.endsWith('.downloading')) continue;
    const path = join(folder, name);
    if ((await versionOf(path, env)) !== undefined) return path;
  }
  return undefined;
}

/**
 * The SDK downloads the server only to start it. This script therefore starts and stops a server. It runs in a separate
 * process, because a download in progress cannot be cancelled.
 */
const DOWNLOAD_SCRIPT = `
const { TestWorkflowEnvironment } = require('${DOWNLOADER}');
TestWorkflowEnvironment.createLocal({
  server: { executable: { type: 'cached-download', downloadDir: process.argv[1], ttl: '3650d' } },
}).then((environment) => environment.teardown()).catch((error) => {
  process.stderr.write(String(error.message));
  process.exitCode = 1;
});`;

async function download(cache: string, { report, downloadTimeoutMs }: BinarySearch, env: NodeJS.ProcessEnv) {
  if (!isInstalled(DOWNLOADER))
    throw new Error(
      `the package ${DOWNLOADER}, which downloads the server, is not installed; install it with "npm ci"`,
    );
  const folder = await downloadFolder(cache);
  report(`Temporal server: downloading with the Temporal SDK (at most ${downloadTimeoutMs / 1_000} s)`);
  await mkdir(folder, { recursive: true });
  try {
    await run(process.execPath, ['-e', DOWNLOAD_SCRIPT, folder], {
      cwd: projectRoot(),
      env,
      timeout: downloadTimeoutMs,
      killSignal: 'SIGKILL',
    });
  } catch (error) {
    const { killed, stderr } = error as { killed?: boolean; stderr?: string };
    // The SDK's message repeats the URL several times. The cause is its last part.
    const cause = stderr?.split('\n')[0]?.split(': ').slice(-2).join(': ');
    throw new Error(killed ? 'the download timed out' : `the download failed (${cause || (error as Error).message})`);
  }
  const path = await downloaded(cache, env);
  if (path === undefined) throw new Error('the downloaded binary does not run on this machine');
  return path;
}

/** Production images leave it out. */
const goModuleFile = () => join(projectRoot(), 'tools/temporal/go.mod');

/** Returns the pinned version of tools/temporal/go.mod. */
async function pinnedModule(): Promise<{ readonly version: string; readonly goVersion: string }> {
  const text = await readFile(goModuleFile(), 'utf8');
  const version = /github\.com\/temporalio\/cli v(\S+)/.exec(text)?.[1];
  const goVersion = /^go (\S+)/m.exec(text)?.[1];
  if (version === undefined || goVersion === undefined)
    throw new Error('tools/temporal/go.mod does not pin a Temporal CLI');
  return { version, goVersion };
}

async function buildTarget(cache: string): Promise<string> {
  const { version } = await pinnedModule();
  return join(cache, `temporal-${version}-${process.platform}-${process.arch}${executable}`);
}

async function built(cache: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (!existsSync(goModuleFile())) return undefined;
  const target = await buildTarget(cache);
  return (await versionOf(target, env)) === undefined ? undefined : target;
}

async function build(cache: string, { report }: BinarySearch, env: NodeJS.ProcessEnv): Promise<string> {
  if (!existsSync(goModuleFile())) throw new Error('this installation has no tools/temporal to build it from');
  const { version, goVersion } = await pinnedModule();
  const go = await findOnPath('go', env);
  if (go === undefined) throw new Error('Go is not on PATH');
  await mkdir(cache, { recursive: true });
  const target = await buildTarget(cache);
  report(`Temporal server: building ${version} with Go (about four minutes, once per user)`);
  // The building process refreshes the lock every ten seconds. Other processes wait for it.
  const release = await lockfile.lock(cache, {
    lockfilePath: `${target}.lock`,
    stale: 30_000,
    update: 10_000,
    retries: { retries: 1_200, factor: 1, minTimeout: 1_000, maxTimeout: 1_000 },
  });
  const unfinished = `${target}.${process.pid}.tmp`;
  try {
    const ready = await built(cache, env);
    if (ready !== undefined) return ready;
    for (const name of await readdir(cache)) {
      // Files of builds that were killed. No build is in progress while this process holds the lock.
      if (name.startsWith(`${basename(target)}.`) && name.endsWith('.tmp')) await rm(join(cache, name));
    }
    await goBuild(go, unfinished, version, report, env).catch((error: Error) => {
      throw new Error(`the build with Go failed (needs Go ${goVersion} or later): ${error.message}`);
    });
    await chmod(unfinished, 0o755);
    await rename(unfinished, target);
  } finally {
    await rm(unfinished, { force: true });
    await release();
  }
  const path = await built(cache, env);
  if (path === undefined) throw new Error('the binary that Go built does not run');
  report(`Temporal server: built ${path}`);
  return path;
}

async function goBuild(
  go: string,
  binary: string,
  version: string,
  report: (line: string) => void,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const flags = [
    '-ldflags',
    `-s -w -X github.com/temporalio/cli/temporalcli.Version=${version}`,
    '-buildvcs=false',
    '-o',
    binary,
  ];
  const child = spawn(go, ['build', ...flags, 'github.com/temporalio/cli/cmd/temporal'], {
    cwd: join(projectRoot(), 'tools/temporal'),
    // No C compiler is needed, because the SQLite library of the server is pure Go.
    env: { ...env, CGO_ENABLED: '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (chunk) => {
    output = (output + chunk).slice(-4_000);
  });
  const started = Date.now();
  const progress = setInterval(() => {
    report(`Temporal server: still building (${Math.round((Date.now() - started) / 1_000)} s)`);
  }, 30_000);
  endWithUs(child, 'SIGTERM');
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    if (code !== 0) throw new Error(output.trim().split('\n').slice(-5).join('\n') || `exit code ${code}`);
  } finally {
    clearInterval(progress);
  }
}
