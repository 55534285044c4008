import { execFile } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../../packages/embedded-servers/ports';
import { type EmbeddedPostgres, startPostgres } from '../../packages/embedded-servers/postgres-server';
import { randomToken } from '../../src/platform/ids';
import { connectPostgres, type Sql } from '../../src/platform/postgres';
import { projectRoot } from '../../src/platform/project-root';
import { copyAsStandby, STREAMING } from '../support/processes/streaming-standby';
import { postgresSettings, readComposeFile } from './compose-file';
import type { TemporalPrograms } from './programs';
import { createService, programService, type Service } from './service';

const run = promisify(execFile);

/** A Temporal server with a Postgres server of its own, as docker-compose.yml has them. */
export interface TemporalOnPostgres {
  /** host:port of the frontend. */
  readonly address: string;
  readonly postgres: PostgresService;
  readonly server: Service;
  /** Connection URL of one of its databases, as the owner: a secret. */
  databaseUrl(database: string): string;
}

/** Names of Temporal's databases. */
export const TEMPORAL_DATABASES = ['temporal', 'temporal_visibility'] as const;

/** Makes a folder that the user `postgres` can enter, when root runs this. Its contents cannot be listed. */
export async function enterableFolder(path: string): Promise<string> {
  await mkdir(path, { recursive: true });
  await chmod(path, 0o711);
  return path;
}

/** A Postgres server that can get an asynchronous standby, which streams its log. */
export interface PostgresService extends Service {
  /** Connection URLs: secrets. */
  ownerUrl(): string;
  applicationUrl(): string;
  /** Restarts the server, and starts a standby that streams from it. */
  startStandby(): Promise<void>;
  /** Cuts the standby from its primary: later writes do not reach it. */
  cutStandby(): Promise<void>;
  /**
   * Stops the server, promotes the standby, and moves it to the address of the server. Writes that it has not received are lost.
   * @returns their bytes of log
   */
  promoteStandby(): Promise<number>;
}

/**
 * Creates the service of a Postgres server.
 * @param folder of its cluster, its passwords and its log
 */
export async function postgresService(
  name: string,
  folder: string,
  port: number,
  settings: Readonly<Record<string, string>>,
): Promise<PostgresService> {
  const onPort = (path: string, at: number) => writeFile(join(path, 'ports.json'), JSON.stringify({ postgres: at }));
  await enterableFolder(folder);
  await onPort(folder, port);
  const standbyFolder = `${folder}-standby`;
  const start = (path: string) => startPostgres(path, () => undefined, { ...settings, ...STREAMING });
  let current = folder;
  let urls = { url: '', applicationUrl: '' };
  let standby: EmbeddedPostgres | undefined;
  const service = createService(name, async () => {
    const server = await start(current);
    urls = server;
    return server;
  });
  const ask = async (url: string, statement: (sql: Sql) => Promise<readonly { readonly value: unknown }[]>) => {
    const sql = connectPostgres(url, { max: 1 });
    try {
      return (await statement(sql))[0]?.value;
    } finally {
      await sql.end();
    }
  };
  const until = async (url: string, statement: Parameters<typeof ask>[1]) => {
    for (const deadline = Date.now() + STREAMS_WITHIN_MS; (await ask(url, statement)) !== true; await sleep(100))
      if (Date.now() > deadline) throw new Error(`the standby of ${name} does not follow, or cannot be cut`);
  };
  return Object.assign(service, {
    ownerUrl: () => urls.url,
    applicationUrl: () => urls.applicationUrl,
    async startStandby() {
      await service.stop();
      await copyAsStandby(folder, await enterableFolder(standbyFolder), urls.url);
      await onPort(standbyFolder, await freePort());
      await service.start();
      standby = await start(standbyFolder);
      await until(urls.url, (sql) => sql`SELECT state = 'streaming' AS value FROM pg_stat_replication`);
    },
    async cutStandby() {
      await ask(standby!.url, (sql) => sql`ALTER SYSTEM SET primary_conninfo = ''`);
      await ask(standby!.url, (sql) => sql`SELECT pg_reload_conf() AS value`);
      await until(standby!.url, (sql) => sql`SELECT count(*) = 0 AS value FROM pg_stat_wal_receiver`);
    },
    async promoteStandby() {
      const position = await ask(urls.url, (sql) => sql`SELECT pg_current_wal_lsn()::text AS value`);
      await service.stop();
      const lost = await ask(
        standby!.url,
        (sql) => sql`
          SELECT pg_wal_lsn_diff(${String(position)}::pg_lsn, pg_last_wal_replay_lsn())::float8 AS value`,
      );
      await ask(standby!.url, (sql) => sql`SELECT pg_promote() AS value`);
      await standby!.stop();
      await onPort(standbyFolder, port);
      current = standbyFolder;
      await service.start();
      return Number(lost);
    },
  });
}

/** Time in which a standby connects to its primary, or notices that it has none. */
const STREAMS_WITHIN_MS = 30_000;

/** Runs a script of deploy/compose with the programs of a folder. */
export async function runSetupScript(
  name: string,
  programs: string,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const script = join(projectRoot(), 'deploy', 'compose', name);
  // The Temporal CLI looks for its configuration in HOME, which must not be the user's.
  const own = { PATH: `${programs}:/usr/bin:/bin`, HOME: programs };
  await run('/bin/sh', [script], { env: { ...env, ...own }, timeout: 300_000 });
}

/**
 * Starts Temporal on an empty Postgres server: creates the databases and their schemas, then the namespace.
 * @param added called with each process before it starts, so that the caller can stop it
 */
export async function startTemporalOnPostgres(
  folder: string,
  programs: TemporalPrograms,
  added: (service: Service) => void,
): Promise<TemporalOnPostgres> {
  const password = randomToken(24);
  const postgresPort = await freePort();
  const frontendPort = await freePort();
  const httpPort = await freePort();
  const address = `127.0.0.1:${frontendPort}`;
  const compose = readComposeFile(
    { TEMPORAL_POSTGRES_PASSWORD: password },
    { 'temporal:7233': address, '0.0.0.0:9090': `127.0.0.1:${await freePort()}` },
  );
  const settings = postgresSettings(compose.commandOf('temporal-database'));
  const postgres = await postgresService(
    'temporal-database',
    join(folder, 'temporal-database'),
    postgresPort,
    settings,
  );
  added(postgres);
  await postgres.start();
  const sql = connectPostgres(postgres.ownerUrl(), { max: 1 });
  await sql.unsafe(`CREATE ROLE temporal SUPERUSER LOGIN PASSWORD '${password}'`);
  await sql.end();
  const ownPostgres = { SQL_HOST: '127.0.0.1', SQL_PORT: String(postgresPort) };
  await runSetupScript('temporal-schema.sh', programs.folder, {
    ...compose.environmentOf('temporal-schema'),
    ...ownPostgres,
  });

  const ports: Record<string, string> = {};
  for (const role of ['MATCHING', 'HISTORY', 'WORKER']) ports[`${role}_GRPC_PORT`] = String(await freePort());
  for (const role of ['FRONTEND', 'MATCHING', 'HISTORY', 'WORKER'])
    ports[`${role}_MEMBERSHIP_PORT`] = String(await freePort());
  const logs = join(folder, 'logs');
  await mkdir(logs, { recursive: true });
  const server = programService({
    name: 'temporal',
    path: programs.temporalServer,
    args: ['--allow-no-auth', 'start'],
    env: {
      ...compose.environmentOf('temporal'),
      ...ports,
      FRONTEND_GRPC_PORT: String(frontendPort),
      FRONTEND_HTTP_PORT: String(httpPort),
      POSTGRES_SEEDS: '127.0.0.1',
      DB_PORT: String(postgresPort),
      VISIBILITY_DB_PORT: String(postgresPort),
      BIND_ON_IP: '127.0.0.1',
      DYNAMIC_CONFIG_FILE_PATH: join(projectRoot(), 'deploy', 'compose', 'temporal-dynamic-config.yaml'),
      LOG_LEVEL: 'warn',
    },
    logFile: join(logs, 'temporal.log'),
    // Reads its database.
    healthUrl: `http://127.0.0.1:${httpPort}/api/v1/namespaces`,
  });
  added(server);
  await server.start();
  await runSetupScript('temporal-namespace.sh', programs.folder, compose.environmentOf('temporal-namespace'));
  return {
    address,
    postgres,
    server,
    databaseUrl: (database) => Object.assign(new URL(postgres.ownerUrl()), { pathname: `/${database}` }).href,
  };
}
