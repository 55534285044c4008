import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readdir, readFile, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import writeFileAtomic from 'write-file-atomic';
import { choosePort } from './ports';
import { clusterPath, type PostgresInstallation, postgresInstallation } from './postgres-installation';
import { endWithUs, isAlive, processesWithArguments, type StopStep, stopProcess } from './processes';
import { lastLines, type RunningServer, runServer } from './running-server';

const run = promisify(execFile);

/** Owns the database and migrates it. */
const SUPERUSER = 'pressline';
/** Role of the application. The first migration creates it (application-role.ts). */
const APPLICATION = 'pressline_app';
const DATABASE = 'pressline';
const PID_FILE = 'postmaster.pid';

/** Settings for a laptop with up to several dozen API and worker processes. */
const SETTINGS = {
  max_connections: '200',
  shared_buffers: '256MB',
  // An embedded server has no replicas.
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '2GB',
  random_page_cost: '1.1',
  // Queries are short. Compiling them takes more time than it saves.
  jit: 'off',
  log_min_messages: 'warning',
  log_line_prefix: '%m [%p] ',
  // TCP only: the path of a socket has a length limit, which a deep data folder exceeds.
  unix_socket_directories: '',
  listen_addresses: '127.0.0.1',
} as const;

/** Fast shutdown ends sessions and writes a checkpoint. Immediate shutdown leaves recovery to the next start. */
const STOP_STEPS: readonly StopStep[] = [
  ['SIGINT', 30_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 5_000],
];

export interface EmbeddedPostgres extends RunningServer {
  /** Connection URL of the owner, with its password: a secret. */
  readonly url: string;
  /** Connection URL of the application's role, with its password: a secret. */
  readonly applicationUrl: string;
}

/** Files of the data folder with the password of a role. */
const PASSWORD_FILES = { [SUPERUSER]: 'postgres-password', [APPLICATION]: 'postgres-app-password' } as const;

const urlOf = (role: string, password: string, port: number) =>
  `postgresql://${role}:${password}@127.0.0.1:${port}/${DATABASE}`;

/**
 * Starts the Postgres server of a data folder. The first start creates the cluster, and a start after a hard kill
 * recovers it. A server that a killed stack left running is stopped first. Claim the data folder before.
 * @param report called with a line for the user at each step that takes time
 * @param settings postgresql.conf settings in addition to the defaults
 * @throws Error with the end of the server's log when the server does not start
 */
export async function startPostgres(
  dataDir: string,
  report: (line: string) => void,
  settings: Readonly<Record<string, string>> = {},
): Promise<EmbeddedPostgres> {
  await mkdir(join(dataDir, 'logs'), { recursive: true });
  const installation = await postgresInstallation();
  const cluster = await clusterPath(dataDir, installation.user);
  await stopLeftover(cluster, report);
  const password = await ensurePassword(dataDir, SUPERUSER);
  const applicationPassword = await ensurePassword(dataDir, APPLICATION);
  await ensureCluster(installation, cluster, password, report);

  const taken: number[] = [];
  while (taken.length < 5) {
    const port = await choosePort(dataDir, 'postgres', taken);
    const server = await launch(
      installation,
      cluster,
      { ...SETTINGS, ...settings, port: String(port) },
      join(dataDir, 'logs', 'postgres.log'),
    );
    if (server !== undefined) {
      return {
        ...server,
        url: urlOf(SUPERUSER, password, port),
        applicationUrl: urlOf(APPLICATION, applicationPassword, port),
      };
    }
    taken.push(port);
  }
  throw new Error('Postgres found no free port');
}

async function ensurePassword(dataDir: string, role: keyof typeof PASSWORD_FILES): Promise<string> {
  const file = join(dataDir, PASSWORD_FILES[role]);
  const stored = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (stored !== '') return stored;
  const password = randomBytes(24).toString('base64url');
  await writeFileAtomic(file, `${password}\n`, { mode: 0o600 });
  return password;
}

/**
 * Creates the cluster when it does not exist. initdb writes to another folder, which is renamed when it is complete, so
 * that a first start that is killed leaves no partial cluster.
 */
async function ensureCluster(
  { root, user }: PostgresInstallation,
  cluster: string,
  password: string,
  report: (line: string) => void,
): Promise<void> {
  const beside = dirname(cluster);
  const names = await readdir(beside);
  await Promise.all(
    names
      .filter((name) => name.startsWith('postgres.new'))
      .map((name) => rm(join(beside, name), { recursive: true, force: true, maxRetries: 5 })),
  );
  if (names.includes('postgres')) {
    // A previous start may have run as another user.
    if (user !== undefined) await ownedBy(cluster, user);
    return;
  }
  report('Postgres: creating a database cluster');
  const unfinished = join(beside, `postgres.new-${process.pid}`);
  const passwordFile = `${unfinished}.password`;
  await mkdir(unfinished, { mode: 0o700 });
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  if (user !== undefined) {
    await chown(unfinished, user.uid, user.gid);
    await chown(passwordFile, user.uid, user.gid);
  }
  const initdb = run(
    join(root, 'bin', 'initdb'),
    [
      `--pgdata=${unfinished}`,
      `--username=${SUPERUSER}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // The same collation on every machine.
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C',
      '--no-instructions',
    ],
    { ...user, cwd: '/', env: serverEnvironment() },
  );
  endWithUs(initdb.child, 'SIGKILL');
  await initdb;
  await createDatabase(root, unfinished, user);
  await rm(passwordFile);
  await rename(unfinished, cluster);
}

/** Creates the database in single-user mode, before the cluster is renamed, so that every cluster has its database. */
async function createDatabase(root: string, cluster: string, user: PostgresInstallation['user']): Promise<void> {
  const single = spawn(join(root, 'bin', 'postgres'), ['--single', '-D', cluster, 'postgres'], {
    ...user,
    cwd: '/',
    env: serverEnvironment(),
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  endWithUs(single, 'SIGKILL');
  let errors = '';
  single.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  single.stdin.end(`CREATE DATABASE ${DATABASE}\n`);
  const code = await new Promise((resolve) => single.once('close', resolve));
  if (code !== 0 || errors.includes('ERROR')) throw new Error(`Postgres cannot create the database: ${errors.trim()}`);
}

async function ownedBy(path: string, user: NonNullable<PostgresInstallation['user']>): Promise<void> {
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
    await chown(join(entry.parentPath, entry.name), user.uid, user.gid);
  }
  await chown(path, user.uid, user.gid);
  await chmod(path, 0o700);
}

/** Starts the server. Returns undefined when the port was taken in the meantime. */
async function launch(
  { root, user }: PostgresInstallation,
  cluster: string,
  settings: Readonly<Record<string, string>>,
  logFile: string,
): Promise<RunningServer | undefined> {
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  // After a hard kill, the last backends of the previous server may hold its shared memory for a moment.
  for (let attempt = 1; ; attempt += 1) {
    const server = await runServer({
      name: 'Postgres',
      path: join(root, 'bin', 'postgres'),
      args: ['-D', cluster, ...flags],
      env: serverEnvironment(),
      user,
      stopSteps: STOP_STEPS,
      logFile,
    });
    if (await Promise.race([server.died.then(() => false), isReady(cluster, server.pid)])) return server;
    const output = await server.output();
    if (/could not create any TCP|Address already in use/i.test(output)) return undefined;
    if (attempt >= 20 || !/shared memory block/i.test(output)) {
      throw new Error(`Postgres did not start. The end of ${logFile}:\n${await lastLines(logFile)}`);
    }
    await sleep(500);
  }
}

/**
 * Waits until Postgres accepts connections: the eighth line of postmaster.pid is then `ready`. There is no timeout,
 * because crash recovery may take long. Returns false when the process has ended.
 */
async function isReady(cluster: string, pid: number): Promise<boolean> {
  while (isAlive(pid)) {
    const lines = (await readFile(join(cluster, PID_FILE), 'utf8').catch(() => '')).split('\n');
    if (Number(lines[0]) === pid && lines[7]?.trim() === 'ready') return true;
    await sleep(20);
  }
  return false;
}

/**
 * Returns the connection URL (a secret) of the application's role at the running Postgres of a data folder, or undefined
 * when none is running.
 */
export async function runningPostgresUrl(dataDir: string): Promise<string | undefined> {
  const read = (...path: string[]) => readFile(join(dataDir, ...path), 'utf8').catch(() => '');
  const lines = (await read('postgres', PID_FILE)).split('\n');
  const password = (await read(PASSWORD_FILES[APPLICATION])).trim();
  if (lines[7]?.trim() !== 'ready' || !isAlive(Number(lines[0])) || password === '') return undefined;
  return urlOf(APPLICATION, password, Number(lines[3]));
}

/** Stops the Postgres server that a killed stack left running. Claim the data folder before. */
export async function stopLeftoverPostgres(dataDir: string, report: (line: string) => void): Promise<void> {
  const path = join(dataDir, 'postgres');
  await stopLeftover((await readlink(path).catch(() => undefined)) ?? path, report);
}

async function stopLeftover(cluster: string, report: (line: string) => void): Promise<void> {
  for (const left of await processesWithArguments('-D', cluster)) {
    report(`Postgres: stopping the server that a previous start left running (process ${left.pid})`);
    await stopProcess(left, STOP_STEPS);
  }
  // No server runs on the cluster now. If the id in a leftover pid file belongs to another process by now, Postgres
  // takes that process for a server and refuses to start. On Windows processes cannot be listed, so the file stays.
  if (process.platform !== 'win32') await rm(join(cluster, PID_FILE), { force: true });
}

function serverEnvironment(): NodeJS.ProcessEnv {
  const { PATH, LANG, TZ, SystemRoot } = process.env;
  return {
    ...(PATH && { PATH }),
    ...(LANG && { LANG }),
    ...(TZ && { TZ }),
    ...(SystemRoot && { SystemRoot }),
    LC_ALL: 'C',
  };
}
