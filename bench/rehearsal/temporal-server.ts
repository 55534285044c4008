import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../src/platform/embedded/ports';
import { startPostgres } from '../../src/platform/embedded/postgres-server';
import { randomToken } from '../../src/platform/ids';
import { connectPostgres } from '../../src/platform/postgres';
import { projectRoot } from '../../src/platform/project-root';
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

/** A Postgres server with a standby that stops receiving its writes. */
export interface PostgresService extends Service {
  /** Connection URLs: secrets. */
  ownerUrl(): string;
  applicationUrl(): string;
  /** Restarts the server, and keeps its data of this moment as those of a standby. */
  keepStandby(): Promise<void>;
  /** Stops the server, and promotes the standby at its address. The later writes are lost. */
  promoteStandby(): Promise<void>;
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
  await enterableFolder(folder);
  await writeFile(join(folder, 'ports.json'), JSON.stringify({ postgres: port }));
  const standby = `${folder}-standby`;
  let current = folder;
  let urls = { url: '', applicationUrl: '' };
  const service = createService(name, async () => {
    // A standby reads more of the log than the embedded server writes.
    const server = await startPostgres(current, () => undefined, { ...settings, wal_level: 'replica' });
    urls = server;
    return server;
  });
  return Object.assign(service, {
    ownerUrl: () => urls.url,
    applicationUrl: () => urls.applicationUrl,
    async keepStandby() {
      await service.stop();
      await cp(folder, await enterableFolder(standby), {
        recursive: true,
        dereference: true,
        preserveTimestamps: true,
      });
      await service.start();
    },
    async promoteStandby() {
      await service.stop();
      await writeFile(join(standby, 'postgres', 'standby.signal'), '');
      current = standby;
      await service.start();
      const sql = connectPostgres(urls.url, { max: 1 });
      await sql`SELECT pg_promote()`;
      await sql.end();
    },
  });
}

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
