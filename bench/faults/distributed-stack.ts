import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateCarrierSecrets, signingSecretsOf } from '../../cli/secrets';
import { claimDataFolder } from '../../packages/embedded-servers/data-folder';
import { freePort } from '../../packages/embedded-servers/ports';
import { startPostgres } from '../../packages/embedded-servers/postgres-server';
import { startWatchdog } from '../../packages/embedded-servers/supervisor';
import { findTemporalBinary } from '../../packages/embedded-servers/temporal-binary';
import { startTemporal } from '../../packages/embedded-servers/temporal-server';
import { FAST, type Pace } from '../../sandbox';
import { startEasyPostServer } from '../../sandbox/carriers/easypost-server';
import { type DemoCredentials, ensureDemoAccounts } from '../../sandbox/demo/accounts';
import { seedDemoCatalog } from '../../sandbox/demo/catalog';
import { ensureDemoPartners } from '../../sandbox/demo/partners';
import { ensureDemoStock } from '../../sandbox/demo/stock';
import { parseSecretsBySender } from '../../src/platform/http/webhook-signature';
import { randomToken } from '../../src/platform/ids';
import { connectPostgres } from '../../src/platform/postgres';
import { projectRoot } from '../../src/platform/project-root';
import { migrate } from '../../src/platform/schema/migrate';
import { connectTemporal } from '../../src/platform/temporal/connection';
import { workerVersions } from '../../src/platform/temporal/worker-versions';
import { type CutProxy, startCutProxy } from './cut-proxy';
import { nodeProcess, type RunningProcess, type Supervised, supervise } from './supervisor';

const NAMESPACE = 'default';

/** Slow enough that faults hit orders in every state, fast enough for thousands of orders. */
const FAULT_PACE: Pace = {
  ...FAST,
  received: 300,
  assets: 100,
  printed: 2_000,
  dispatch: 500,
  shipped: 1_500,
  trouble: 500,
  checkpoint: 500,
  retry: 500,
  retryMost: 5_000,
};

/** Pressline in separate processes. All connections between them use proxies that can cut them. */
export interface DistributedStack {
  readonly folder: string;
  readonly credentials: DemoCredentials;
  /** Addresses of both API processes, without the proxy. */
  readonly apiUrls: readonly string[];
  readonly sandboxUrl: string;
  readonly processes: Readonly<Record<ProcessName, Supervised>>;
  readonly proxies: Readonly<Record<'postgres' | 'temporal' | 'api' | 'gateway', CutProxy>>;
  /** A carrier gateway to many carriers, in the process of the fault run. */
  readonly gateway: Gateway;
  /** Makes a worker version current. Retries until Temporal and the workers of the version are available. */
  makeCurrent(version: WorkerVersion): Promise<void>;
  /** Addresses of the servers, without the proxies. They change with a restart. */
  databaseUrl(): string;
  temporalAddress(): string;
  stop(options: { readonly keepFolder: boolean }): Promise<void>;
}

export type ProcessName =
  | 'postgres'
  | 'temporal'
  | 'api-1'
  | 'api-2'
  | 'worker-1'
  | 'worker-2'
  | 'worker-3'
  | 'sandbox';

/** Two workers have the older version, and the third one has the newer version. */
export type WorkerVersion = 'older' | 'newer';

type Gateway = Awaited<ReturnType<typeof startEasyPostServer>>;
/** Twelve packages, five at a time and four calls each, take ten times as long. */
const GATEWAY_DELAY_MS = 1_000;
/** No order without its method selects the gateway. */
const GATEWAY_PRICE_FACTOR = 100;

const portOf = (address: string) => Number(/:(\d+)(?:\/\w*)?$/.exec(address)![1]);

/** Starts all processes and waits until the API is ready and the partners have subscribed. */
export async function startDistributedStack(report: (line: string) => void): Promise<DistributedStack> {
  const folder = await mkdtemp(join(tmpdir(), 'pressline-faults-'));
  // When root runs this, the server runs as the user `postgres`, which must be able to enter the folder.
  await chmod(folder, 0o755);
  const claim = await claimDataFolder(folder);
  const apiPorts = [await freePort(), await freePort()] as const;
  const sandboxPort = await freePort();
  await writeFile(
    join(folder, 'ports.json'),
    JSON.stringify({ postgres: await freePort(), temporal: await freePort(), temporalUi: await freePort() }),
  );

  const servers = await startServers(folder, report);
  const proxies = {
    postgres: await startCutProxy(await freePort(), () => [portOf(servers.databaseUrl())]),
    temporal: await startCutProxy(await freePort(), () => [portOf(servers.temporalAddress())]),
    api: await startCutProxy(await freePort(), () => apiPorts),
    gateway: await startCutProxy(await freePort(), () => [portOf(new URL(gateway.url).origin)]),
  };
  const gateway: Gateway = await startEasyPostServer({
    delayMs: GATEWAY_DELAY_MS,
    priceFactor: GATEWAY_PRICE_FACTOR,
    labelsUrl: `http://127.0.0.1:${proxies.gateway.port}`,
  });
  const credentials = await seed(servers.ownerUrl(), servers.databaseUrl());
  const clients = await startClients({ folder, credentials, proxies, apiPorts, sandboxPort, servers });
  const processes = { ...servers.processes, ...clients };

  const apiUrls = apiPorts.map((at) => `http://127.0.0.1:${at}`);
  const sandboxUrl = `http://127.0.0.1:${sandboxPort}`;
  const makeCurrent = async (version: WorkerVersion) => await setCurrentVersion(servers.temporalAddress, version);
  await makeCurrent('older');
  for (const url of apiUrls) await untilReady(`${url}/readyz`, (response) => response.ok);
  await untilReady(`${sandboxUrl}/control/seen`, async (response) => {
    const { partners } = (await response.json()) as { partners: Record<string, { subscribed: boolean }> };
    return Object.values(partners).every(({ subscribed }) => subscribed);
  });
  return {
    folder,
    credentials,
    apiUrls,
    sandboxUrl,
    processes,
    proxies,
    gateway,
    makeCurrent,
    databaseUrl: servers.databaseUrl,
    temporalAddress: servers.temporalAddress,
    async stop({ keepFolder }) {
      await Promise.all(Object.values(processes).map((process) => process.stop()));
      await Promise.all(Object.values(proxies).map((proxy) => proxy.close()));
      await gateway.stop();
      await claim.release();
      if (!keepFolder) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const reasonOf = async (died: Promise<Error | undefined>) => (await died)?.message ?? 'it was stopped';

/** Starts Postgres and Temporal. Their addresses change with a restart. */
async function startServers(folder: string, report: (line: string) => void) {
  const binary = await findTemporalBinary({
    cliPath: process.env.TEMPORAL_CLI_PATH || undefined,
    downloadTimeoutMs: 20_000,
    report,
  });
  const quiet = () => undefined;
  let ownerUrl = '';
  let databaseUrl = '';
  let temporalAddress = '';
  const postgres = await supervise('postgres', async (): Promise<RunningProcess> => {
    const server = await startPostgres(folder, quiet);
    ownerUrl = server.url;
    databaseUrl = server.applicationUrl;
    return { pid: server.pid, ended: reasonOf(server.died) };
  });
  const temporal = await supervise('temporal', async (): Promise<RunningProcess> => {
    const server = await startTemporal(folder, binary, NAMESPACE, quiet);
    startWatchdog(server, server.healthUrl);
    temporalAddress = server.address;
    return { pid: server.pid, ended: reasonOf(server.died) };
  });
  return {
    processes: { postgres, temporal },
    ownerUrl: () => ownerUrl,
    databaseUrl: () => databaseUrl,
    temporalAddress: () => temporalAddress,
  };
}

/** Starts the API, worker and sandbox processes. They reach the servers and each other through the proxies. */
async function startClients({
  folder,
  credentials,
  proxies,
  apiPorts,
  sandboxPort,
  servers,
}: {
  readonly folder: string;
  readonly credentials: DemoCredentials;
  readonly proxies: DistributedStack['proxies'];
  readonly apiPorts: readonly [number, number];
  readonly sandboxPort: number;
  readonly servers: { databaseUrl(): string };
}) {
  const presslineUrl = `http://127.0.0.1:${proxies.api.port}`;
  const carrierSecrets = generateCarrierSecrets();
  const env = {
    ...plainEnvironment(),
    DATA_DIR: folder,
    DATABASE_URL: Object.assign(new URL(servers.databaseUrl()), { port: String(proxies.postgres.port) }).href,
    TEMPORAL_ADDRESS: `127.0.0.1:${proxies.temporal.port}`,
    TEMPORAL_NAMESPACE: NAMESPACE,
    PUBLIC_URL: presslineUrl,
    LINK_SECRET: randomToken(32),
    SECRET_KEYS: `bench:${randomBytes(32).toString('base64')}`,
    CARRIER_WEBHOOK_SECRETS: carrierSecrets,
    EASYPOST_API_KEY: 'EZTK-faults',
    EASYPOST_API_URL: `http://127.0.0.1:${proxies.gateway.port}/v2/`,
    OUTBOUND_ALLOW_PRIVATE: 'true',
    RATE_LIMIT: '0',
    CLIENT_QUOTAS: 'ordersPerMinute:0,ordersUnderWay:0',
    CONCURRENT_REQUESTS: '0',
    LOG_LEVEL: 'warn',
    LOG_FORMAT: 'json',
    RECEIVED_DEADLINE: '20s',
    STALL_AFTER: '1m',
  };
  const start = (name: ProcessName, script: string, argument: string, own: NodeJS.ProcessEnv) =>
    supervise(name, nodeProcess(script, [argument], own, join(folder, 'logs', `${name}.log`)));
  const pressline = (name: ProcessName, command: string, own: NodeJS.ProcessEnv = {}) =>
    start(name, join(projectRoot(), 'dist', 'cli', 'main.js'), command, { ...env, ...own });
  const sandboxOptions = {
    port: sandboxPort,
    presslineUrl,
    folder: join(folder, 'sandbox'),
    mode: 'auto',
    partners: credentials.partners,
    carrierSecrets: signingSecretsOf(parseSecretsBySender(carrierSecrets)!),
    pace: FAULT_PACE,
  };
  return {
    sandbox: await start(
      'sandbox',
      join(__dirname, 'sandbox-process.js'),
      JSON.stringify(sandboxOptions),
      plainEnvironment(),
    ),
    'api-1': await pressline('api-1', 'api', { PORT: String(apiPorts[0]) }),
    'api-2': await pressline('api-2', 'api', { PORT: String(apiPorts[1]) }),
    'worker-1': await pressline('worker-1', 'worker', { WORKER_BUILD_ID: 'older' }),
    'worker-2': await pressline('worker-2', 'worker', { WORKER_BUILD_ID: 'older' }),
    'worker-3': await pressline('worker-3', 'worker', { WORKER_BUILD_ID: 'newer' }),
  };
}

async function setCurrentVersion(address: () => string, version: WorkerVersion): Promise<void> {
  for (const deadline = Date.now() + READY_WITHIN_MS; ; await sleep(500)) {
    const config = { TEMPORAL_ADDRESS: address(), TEMPORAL_NAMESPACE: NAMESPACE, TEMPORAL_TASK_QUEUE: 'pressline' };
    const client = connectTemporal({ ...config, PAYLOAD_KEYS: undefined });
    try {
      return await workerVersions(client, config).makeCurrent(version);
    } catch (error) {
      if (Date.now() > deadline) throw error;
    } finally {
      await client.connection.close();
    }
  }
}

async function seed(ownerUrl: string, databaseUrl: string): Promise<DemoCredentials> {
  await migrate(ownerUrl, { applicationUrl: databaseUrl });
  const sql = connectPostgres(databaseUrl, { max: 2 });
  try {
    const { credentials, accounts } = await ensureDemoAccounts(sql);
    await seedDemoCatalog(sql);
    await ensureDemoStock(sql, await ensureDemoPartners(sql, accounts.partners));
    return credentials;
  } finally {
    await sql.end();
  }
}

/** Returns the environment without variables that configure Pressline or Temporal's client. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, LANG, TZ, TMPDIR, SystemRoot } = process.env;
  const kept = { PATH, HOME, LANG, TZ, TMPDIR, SystemRoot };
  return Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined));
}

const READY_WITHIN_MS = 120_000;

async function untilReady(url: string, isReady: (response: Response) => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + READY_WITHIN_MS; ; await sleep(200)) {
    const ready = await fetch(url, { signal: AbortSignal.timeout(5_000) }).then(isReady, () => false);
    if (ready) return;
    if (Date.now() > deadline) throw new Error(`${url} was not ready after ${READY_WITHIN_MS / 1_000} s`);
  }
}
