import { execFile, spawn } from 'node:child_process';
import { chmod, chown, mkdir, readdir, readFile, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { randomToken } from '../ids';
import { lastLines, writeFileAtomically } from './files';
import { choosePort } from './ports';
import { clusterPath, type PostgresInstallation, postgresInstallation } from './postgres-installation';
import { endWithUs, isAlive, processesWithArguments, type StopStep, stopProcess } from './processes';
import { type RunningServer, runServer } from './running-server';

const run = promisify(execFile);

const SUPERUSER = 'pressline';
const DATABASE = 'pressline';
const PID_FILE = 'postmaster.pid';

/** Smart enough for a laptop and for some dozens of API and worker processes on it. */
const SETTINGS = {
  max_connections: '200',
  shared_buffers: '256MB',
  // No replica will ever follow an embedded server.
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '2GB',
  random_page_cost: '1.1',
  // Our queries are short; compiling them costs more than it gives.
  jit: 'off',
  log_min_messages: 'warning',
  log_line_prefix: '%m [%p] ',
  // Over TCP only: a socket's path has a length limit that a deep data folder breaks.
  unix_socket_directories: '',
  listen_addresses: '127.0.0.1',
} as const;

/** Fast shutdown ends sessions and writes a checkpoint; immediate shutdown leaves recovery to the next start. */
const STOP_STEPS: readonly StopStep[] = [
  ['SIGINT', 30_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 5_000],
];

export interface EmbeddedPostgres extends RunningServer {
  /** postgresql:// with its password: a secret. */
  readonly url: string;
}

/**
 * Starts the Postgres of a data folder: made on the first start, recovered after a hard kill. A server that a killed
 * stack left behind is stopped first. The caller holds the data folder.
 * @param settings postgresql.conf settings on top of ours
 * @param report told each step that takes time
 * @throws Error with the server's own last words when it does not come up
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
  const password = await ensurePassword(dataDir);
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
      return { ...server, url: `postgresql://${SUPERUSER}:${password}@127.0.0.1:${port}/${DATABASE}` };
    }
    taken.push(port);
  }
  throw new Error('Postgres found no port that it could listen on');
}

async function ensurePassword(dataDir: string): Promise<string> {
  const file = join(dataDir, 'postgres-password');
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (kept !== '') return kept;
  const password = randomToken(24);
  await writeFileAtomically(file, `${password}\n`, 0o600);
  return password;
}

/** initdb works on a folder beside the cluster's and the finished one is renamed: a killed first start leaves no half. */
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
    // The same folder may have been written by root before and by ourselves now, or the other way round.
    if (user !== undefined) await ownedBy(cluster, user);
    return;
  }
  report('Postgres: making a new database cluster');
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
      // The same order and case rules on every machine.
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

/** In single-user mode, before anything listens, so that a cluster that exists has its database. */
async function createDatabase(
  root: string,
  cluster: string,
  user: PostgresInstallation['user'],
): Promise<void> {
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
  if (code !== 0 || errors.includes('ERROR'))
    throw new Error(`Postgres cannot make its database: ${errors.trim()}`);
}

async function ownedBy(path: string, user: NonNullable<PostgresInstallation['user']>): Promise<void> {
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
    await chown(join(entry.parentPath, entry.name), user.uid, user.gid);
  }
  await chown(path, user.uid, user.gid);
  await chmod(path, 0o700);
}

/** @returns undefined when the port was taken after all */
async function launch(
  { root, user }: PostgresInstallation,
  cluster: string,
  settings: Readonly<Record<string, string>>,
  logFile: string,
): Promise<RunningServer | undefined> {
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  // After a hard kill the old server's last backends may hold its shared memory for a moment.
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
    const said = await server.output();
    if (/could not create any TCP|Address already in use/i.test(said)) return undefined;
    if (attempt >= 20 || !/shared memory block/i.test(said)) {
      throw new Error(`Postgres does not start. The end of ${logFile}:\n${await lastLines(logFile)}`);
    }
    await sleep(500);
  }
}

/** postmaster.pid tells the state on its eighth line: `ready` once connections are taken. Recovery may take long. */
async function isReady(cluster: string, pid: number): Promise<boolean> {
  while (isAlive(pid)) {
    const lines = (await readFile(join(cluster, PID_FILE), 'utf8').catch(() => '')).split('\n');
    if (Number(lines[0]) === pid && lines[7]?.trim() === 'ready') return true;
    await sleep(20);
  }
  return false;
}

/** The address (a secret) of the Postgres that a running stack serves from a data folder; undefined when none does. */
export async function runningPostgresUrl(dataDir: string): Promise<string | undefined> {
  const read = (...path: string[]) => readFile(join(dataDir, ...path), 'utf8').catch(() => '');
  const lines = (await read('postgres', PID_FILE)).split('\n');
  const password = (await read('postgres-password')).trim();
  if (lines[7]?.trim() !== 'ready' || !isAlive(Number(lines[0])) || password === '') return undefined;
  return `postgresql://${SUPERUSER}:${password}@127.0.0.1:${Number(lines[3])}/${DATABASE}`;
}

/** Stops the server that a killed stack of this data folder left running. The caller holds the data folder. */
export async function stopLeftoverPostgres(dataDir: string, report: (line: string) => void): Promise<void> {
  const path = join(dataDir, 'postgres');
  await stopLeftover((await readlink(path).catch(() => undefined)) ?? path, report);
}

async function stopLeftover(cluster: string, report: (line: string) => void): Promise<void> {
  for (const left of await processesWithArguments('-D', cluster)) {
    report(`Postgres: stopping the server that a killed start left running (process ${left.pid})`);
    await stopProcess(left, STOP_STEPS);
  }
  // Nobody serves the cluster now. The id in a file that is left may be another process's by now, which Postgres
  // would take for a server and refuse to start. (Windows does not tell us who runs: leave it to Postgres.)
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
