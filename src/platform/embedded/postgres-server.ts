import { execFile, spawn } from 'node:child_process';
import {
  chmod,
  chown,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { randomToken } from '../ids';
import { lastLines, writeFileAtomically } from './files';
import { choosePort } from './ports';
import { clusterPath, type PostgresInstallation, postgresInstallation } from './postgres-installation';
import {
  commandLine,
  identify,
  isAlive,
  type ProcessIdentity,
  type StopStep,
  stopProcess,
} from './processes';
import { type RunningServer, watchServer } from './running-server';

const run = promisify(execFile);

const SUPERUSER = 'pressline';
const DATABASE = 'pressline';

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
  readonly port: number;
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
  for (;;) {
    const port = await choosePort(dataDir, 'postgres', taken);
    const server = await launch(
      installation,
      cluster,
      port,
      { ...SETTINGS, ...settings },
      join(dataDir, 'logs'),
    );
    if (server === 'port taken' && taken.length < 5) {
      taken.push(port);
      continue;
    }
    if (server === 'port taken') throw new Error('Postgres found no port that it could listen on');
    return {
      ...server,
      port,
      url: `postgresql://${SUPERUSER}:${password}@127.0.0.1:${port}/${DATABASE}`,
    };
  }
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
      .map((name) => rm(join(beside, name), { recursive: true, force: true })),
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
  await run(
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

type Launched = RunningServer | 'port taken';

async function launch(
  { root, user }: PostgresInstallation,
  cluster: string,
  port: number,
  settings: Readonly<Record<string, string>>,
  logDir: string,
): Promise<Launched> {
  const logFile = join(logDir, 'postgres.log');
  const flags = Object.entries({ ...settings, port: String(port) }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  // After a hard kill the old server's last backends may hold its shared memory for a moment.
  for (let attempt = 1; ; attempt += 1) {
    const log = await open(logFile, 'a');
    const logStart = (await log.stat()).size;
    const child = spawn(join(root, 'bin', 'postgres'), ['-D', cluster, ...flags], {
      ...user,
      cwd: '/',
      env: serverEnvironment(),
      // Its own process group: Ctrl-C is for us, who stop the servers last. A file, not a pipe: it outlives us.
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    const server = watchServer('Postgres', child, STOP_STEPS, logFile);
    await log.close();
    const up = await Promise.race([server.died.then(() => false), isReady(cluster, child.pid)]);
    if (up) return server;
    const said = (await readFile(logFile)).subarray(logStart).toString();
    if (/could not bind|Address already in use|could not create any TCP/i.test(said)) return 'port taken';
    if (attempt >= 20 || !/shared memory block|is another postmaster/i.test(said)) {
      throw new Error(`Postgres does not start. The end of ${logFile}:\n${await lastLines(logFile)}`);
    }
    await sleep(500);
  }
}

/** postmaster.pid tells the state on its eighth line: `ready` once connections are taken. Recovery may take long. */
async function isReady(cluster: string, pid: number | undefined): Promise<boolean> {
  if (pid === undefined) return false;
  while (isAlive(pid)) {
    const lines = await pidFile(cluster);
    if (Number(lines[0]) === pid && lines[7]?.trim() === 'ready') return true;
    await sleep(20);
  }
  return false;
}

async function pidFile(cluster: string): Promise<string[]> {
  return (await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
}

/** Stops the server that a killed stack of this data folder left running. The caller holds the data folder. */
export async function stopLeftoverPostgres(dataDir: string, report: (line: string) => void): Promise<void> {
  const cluster = join(dataDir, 'postgres');
  await stopLeftover((await readlink(cluster).catch(() => undefined)) ?? cluster, report);
}

/** Also forgets a pid file that now names a stranger. */
async function stopLeftover(cluster: string, report: (line: string) => void): Promise<void> {
  const pid = Number((await pidFile(cluster))[0]);
  if (!Number.isInteger(pid) || pid <= 0) return;
  const left: ProcessIdentity = await identify(pid);
  const command = isAlive(pid) ? await commandLine(pid) : '';
  if (command.includes('postgres') && command.includes(cluster)) {
    report(`Postgres: stopping the server that a killed start left running (process ${pid})`);
    await stopProcess(left, STOP_STEPS);
  } else {
    // Postgres would take a living process with that id for a server of this cluster and refuse to start.
    await rm(join(cluster, 'postmaster.pid'), { force: true });
  }
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
