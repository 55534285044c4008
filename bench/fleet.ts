import { randomBytes } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../packages/embedded-servers/ports';
import { findTemporalBinary } from '../packages/embedded-servers/temporal-binary';
import { startTemporal } from '../packages/embedded-servers/temporal-server';
import { newSigningSecret } from '../src/platform/http/webhook-signature';
import { randomToken } from '../src/platform/ids';
import { connectPostgres, type Sql } from '../src/platform/postgres';
import { projectRoot } from '../src/platform/project-root';
import { startCutProxy } from './faults/cut-proxy';
import { TEMPORAL_DATABASES } from './rehearsal/temporal-server';
import { runBenchmark } from './support/benchmark';
import { type ChildServer, startChildServer } from './support/processes/child-process';
import { startClientProcess } from './support/processes/client-process';
import { cpuOfFamily, cpuOfProcess, postgresPid } from './support/processes/process-cpu';
import { startRealTemporal } from './support/processes/real-temporal';
import { type BenchDatabase, withBenchDatabase } from './support/processes/servers';
import { type Row, spreadOf } from './support/report';

interface Settings {
  readonly temporal: string;
  readonly orders: number;
  readonly rounds: number;
  readonly atOnce: number;
  readonly apis: number;
  readonly workers: number;
}

/** CPU time in milliseconds by kind of process, and bytes written. All counters only grow. */
type Counters = Record<
  'api' | 'worker' | 'temporal' | 'temporalPostgres' | 'postgres' | 'wal' | 'temporalWal' | 'tables' | 'history',
  number
>;

/** The Temporal server that is measured. */
interface MeasuredTemporal {
  readonly address: string;
  counters(): Promise<Pick<Counters, 'temporal' | 'temporalPostgres' | 'temporalWal' | 'history'>>;
  stop(): Promise<void>;
}

/** Starts Temporal's development server, which stores histories in a file. */
async function startDevelopmentServer(folder: string): Promise<MeasuredTemporal> {
  const binary = await findTemporalBinary({
    cliPath: process.env.TEMPORAL_CLI_PATH || undefined,
    downloadTimeoutMs: 20_000,
    report,
  });
  const server = await startTemporal(folder, binary, 'default', () => undefined);
  return {
    address: server.address,
    counters: async () => ({
      temporal: await cpuOfProcess(server.pid),
      temporalPostgres: 0,
      temporalWal: 0,
      history: await fileBytes(join(folder, 'temporal')),
    }),
    stop: () => server.stop(),
  };
}

/** Starts a Temporal server with a Postgres server of its own, as docker-compose.yml has them. */
async function startServerOnPostgres(folder: string): Promise<MeasuredTemporal> {
  const real = await startRealTemporal(folder);
  const connections = TEMPORAL_DATABASES.map((name) => connectPostgres(real.databaseUrl(name), { max: 1 }));
  return {
    address: real.address,
    async counters() {
      const bytes = await Promise.all(connections.map((sql) => databaseBytes(sql)));
      return {
        temporal: await cpuOfProcess(real.server.pid),
        temporalPostgres: await cpuOfFamily(real.postgres.pid),
        temporalWal: bytes[0]!.wal,
        history: bytes.reduce((sum, { tables }) => sum + tables, 0),
      };
    },
    async stop() {
      await Promise.all(connections.map((sql) => sql.end({ timeout: 5 })));
      await real.stop();
    },
  };
}

const report = (line: string) => {
  process.stderr.write(`${line}\n`);
};

/** Number of the tables that are shown, those that grow most. */
const SHOWN_TABLES = 12;

async function fileBytes(folder: string): Promise<number> {
  const names = await readdir(folder);
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Returns the bytes of each table with its indexes and its long values. */
async function tableBytes(sql: Sql): Promise<ReadonlyMap<string, number>> {
  const rows = await sql<{ name: string; bytes: number }[]>`
    SELECT relname AS name, pg_total_relation_size(relid)::float8 AS bytes FROM pg_stat_user_tables`;
  return new Map(rows.map(({ name, bytes }) => [name, bytes]));
}

async function databaseBytes(sql: Sql): Promise<{ readonly wal: number; readonly tables: number }> {
  const [row] = await sql<{ wal: number; tables: number }[]>`
    SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 AS wal,
      (SELECT sum(pg_total_relation_size(relid)) FROM pg_stat_user_tables)::float8 AS tables`;
  return row!;
}

async function measure(
  { folder, url, sql, credentials }: BenchDatabase,
  { temporal: kind, orders, rounds, atOnce, apis, workers }: Settings,
): Promise<Row[]> {
  const isReal = kind === 'real';
  const temporal = await (isReal ? startServerOnPostgres(folder) : startDevelopmentServer(folder));
  const ports: number[] = [];
  for (let each = 0; each < apis; each += 1) ports.push(await freePort());
  // The balancer spreads connections. Its CPU time is that of this process, which is not counted.
  const balancer = await startCutProxy(0, () => ports);
  const baseUrl = `http://127.0.0.1:${balancer.port}`;
  const env = {
    DATA_DIR: folder,
    DATABASE_URL: url,
    TEMPORAL_ADDRESS: temporal.address,
    PUBLIC_URL: baseUrl,
    METRICS_PORT: '0',
    LINK_SECRET: randomToken(32),
    SECRET_KEYS: `bench:${randomBytes(32).toString('base64')}`,
    CARRIER_WEBHOOK_SECRETS: `tern_parcel:${newSigningSecret()}`,
    OUTBOUND_ALLOW_PRIVATE: 'true',
    RATE_LIMIT: '0',
    CLIENT_QUOTAS: 'ordersPerMinute:0,ordersUnderWay:0',
    CONCURRENT_REQUESTS: '0',
    LOG_FORMAT: 'json',
  };
  const start = (command: 'api' | 'worker', number: number, own: NodeJS.ProcessEnv, readyText: string) =>
    startChildServer({
      script: join(projectRoot(), 'dist', 'cli', 'main.js'),
      args: [command],
      env: { ...env, ...own },
      logFile: join(folder, 'logs', `${command}-${number}.log`),
      readyText,
    });
  const processes: Record<'api' | 'worker', ChildServer[]> = { api: [], worker: [] };
  for (const [index, port] of ports.entries())
    processes.api.push(await start('api', index, { PORT: String(port) }, 'API is up'));
  for (let index = 0; index < workers; index += 1)
    processes.worker.push(await start('worker', index, {}, 'worker is up'));

  const postgres = await postgresPid(sql);
  const cpuOf = async (servers: readonly ChildServer[]) =>
    (await Promise.all(servers.map(({ pid }) => cpuOfProcess(pid)))).reduce((sum, ms) => sum + ms, 0);
  const counters = async (): Promise<Counters> => ({
    api: await cpuOf(processes.api),
    worker: await cpuOf(processes.worker),
    postgres: await cpuOfFamily(postgres),
    ...(await temporal.counters()),
    ...(await databaseBytes(sql)),
  });

  const client = await startClientProcess({ baseUrl, ...credentials });
  await client.run(atOnce, atOnce);
  const tablesBefore = await tableBytes(sql);
  const rates: number[] = [];
  const perOrder = new Map<keyof Counters, number[]>();
  for (let round = 1; round <= rounds; round += 1) {
    const before = await counters();
    const { seconds } = await client.run(orders, atOnce);
    const after = await counters();
    rates.push(orders / seconds);
    for (const name of Object.keys(before) as (keyof Counters)[])
      perOrder.set(name, [...(perOrder.get(name) ?? []), (after[name] - before[name]) / orders]);
    process.stderr.write(`round ${round} of ${rounds}: ${rates.at(-1)!.toPrecision(3)} orders per second\n`);
  }
  const growths = [...(await tableBytes(sql))]
    .map(([name, bytes]) => ({ name, bytes: (bytes - tablesBefore.get(name)!) / (orders * rounds) }))
    .sort((a, b) => b.bytes - a.bytes);
  const [connections] = await sql<{ count: number }[]>`
    SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND application_name <> 'bench'`;
  await client.stop();
  await Promise.all([...processes.api, ...processes.worker].map((server) => server.stop()));
  await temporal.stop();
  await balancer.close();

  const row = (what: string, name: keyof Counters, unit: 'ms' | 'KiB'): Row => ({
    what,
    unit,
    value: spreadOf(perOrder.get(name)!.map((value) => (unit === 'KiB' ? value / 1_024 : value))),
  });
  return [
    { what: 'orders, submission to shipped', unit: '1/s', value: spreadOf(rates) },
    row(`CPU per order: API, ${apis} processes`, 'api', 'ms'),
    row(`CPU per order: worker, ${workers} processes`, 'worker', 'ms'),
    row('CPU per order: Temporal', 'temporal', 'ms'),
    ...(isReal ? [row('CPU per order: Postgres of Temporal', 'temporalPostgres', 'ms')] : []),
    row('CPU per order: Postgres', 'postgres', 'ms'),
    row('WAL of Postgres per order', 'wal', 'KiB'),
    ...(isReal ? [row('WAL of the Postgres of Temporal per order', 'temporalWal', 'KiB')] : []),
    row('growth of tables and indexes per order', 'tables', 'KiB'),
    row(`growth of the ${isReal ? 'tables and indexes' : 'files'} of Temporal per order`, 'history', 'KiB'),
    ...growths.slice(0, SHOWN_TABLES).map(({ name, bytes }) => ({
      what: `growth per order: ${name}`,
      unit: 'KiB',
      value: spreadOf([bytes / 1_024]),
    })),
    { what: 'connections to Postgres', unit: '', value: spreadOf([connections!.count]) },
  ];
}

/**
 * Takes orders from submission to shipped with API and worker processes of their own, and measures what an order costs each
 * of them. The client, its partners and the balancer are not counted.
 */
runBenchmark({
  name: 'fleet',
  options: {
    temporal: ['dev', 'Temporal server: dev (a file) or real (Postgres)'],
    orders: [150, 'orders per round'],
    rounds: [3, 'rounds'],
    atOnce: [30, 'concurrent orders'],
    apis: [2, 'API processes'],
    workers: [2, 'worker processes'],
  },
  measure: async (settings) => await withBenchDatabase({}, (database) => measure(database, settings)),
});
