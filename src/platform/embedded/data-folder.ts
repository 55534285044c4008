import { mkdir, readFile, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import lockfile from 'proper-lockfile';
import { writeFileAtomically } from './files';
import { identify, isRunning, type ProcessIdentity } from './processes';

/** The data folder belongs to a stack that is running; the message is the one line to show. */
export class DataFolderBusy extends Error {
  override readonly name = 'DataFolderBusy';
}

/** The one stack that may use a data folder at a time. */
export interface DataFolder {
  readonly path: string;
  release(): Promise<void>;
}

/**
 * Takes a data folder for this process, making it if need be.
 *
 * The holder is known by process id and start time, so that a killed stack's claim ends with it at once. (A lock
 * kept fresh by a timer would keep the folder shut for seconds after a kill, and lose it when a laptop sleeps.)
 * @throws DataFolderBusy while another living process holds it
 */
export async function claimDataFolder(dir: string): Promise<DataFolder> {
  await mkdir(dir, { recursive: true });
  // One spelling: leftover servers are known by the folder on their command lines.
  const path = await realpath(dir);
  const holderFile = join(path, 'stack.json');
  const mine = await identify(process.pid);
  await locked(path, async () => {
    const holder = await readHolder(holderFile);
    if (holder !== undefined && (await isRunning(holder))) {
      throw new DataFolderBusy(
        `${path} is in use by a running Pressline (process ${holder.pid}); stop it, or start this one with another DATA_DIR and PORT.`,
      );
    }
    await writeFileAtomically(holderFile, `${JSON.stringify(mine)}\n`);
  });
  return {
    path,
    release: () =>
      locked(path, async () => {
        const holder = await readHolder(holderFile);
        if (holder?.pid === mine.pid && holder.started === mine.started)
          await rm(holderFile, { force: true });
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

/** Held for milliseconds, around look and write. A process killed just then holds the others up for five seconds. */
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
