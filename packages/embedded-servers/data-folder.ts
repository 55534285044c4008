import { mkdir, readFile, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import lockfile from 'proper-lockfile';
import writeFileAtomic from 'write-file-atomic';
import { identify, isRunning, type ProcessIdentity } from './processes';

/** The data folder is in use by a running stack. The message is one line for the user. */
export class DataFolderBusy extends Error {
  override readonly name = 'DataFolderBusy';
}

/** A claim on a data folder. Only one stack can hold it at a time. */
export interface DataFolder {
  readonly path: string;
  release(): Promise<void>;
}

/**
 * Claims a data folder for this process and creates it if necessary.
 *
 * The claim stores the holder's process id and start time, so it ends at once when the holder is killed. A lock that a
 * timer refreshes would block the folder for seconds after a kill, and would be lost when a laptop sleeps.
 * @throws DataFolderBusy when another running process holds the folder
 */
export async function claimDataFolder(dir: string): Promise<DataFolder> {
  await mkdir(dir, { recursive: true });
  // The canonical path, because leftover servers are found by the folder on their command lines.
  const path = await realpath(dir);
  const holderFile = join(path, 'stack.json');
  const mine = await identify(process.pid);
  await locked(path, async () => {
    const holder = await readHolder(holderFile);
    if (holder !== undefined && (await isRunning(holder))) {
      throw new DataFolderBusy(
        `${path} is in use by a running Pressline (process ${holder.pid}). Stop it, or set another DATA_DIR and PORT for this one.`,
      );
    }
    await writeFileAtomic(holderFile, `${JSON.stringify(mine)}\n`);
  });
  return {
    path,
    release: () =>
      locked(path, async () => {
        const holder = await readHolder(holderFile);
        if (holder?.pid === mine.pid && holder.started === mine.started) await rm(holderFile, { force: true });
      }),
  };
}

async function readHolder(file: string): Promise<ProcessIdentity | undefined> {
  try {
    const { pid, started } = JSON.parse(await readFile(file, 'utf8'));
    return typeof pid === 'number' && typeof started === 'string' ? { pid, started } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Runs `work` under a file lock. The lock is held for milliseconds. A process that is killed while it holds the lock
 * blocks others for five seconds.
 */
async function locked<T>(path: string, work: () => Promise<T>): Promise<T> {
  const release = await lockfile.lock(path, {
    lockfilePath: join(path, 'stack.lock'),
    stale: 5_000,
    retries: { retries: 60, minTimeout: 50, maxTimeout: 250 },
  });
  try {
    return await work();
  } finally {
    await release();
  }
}
