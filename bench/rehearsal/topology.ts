import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Client, DataConverter } from '@temporalio/client';
import { generateCarrierSecrets, signingSecretsOf } from '../../cli/secrets';
import { freePort } from '../../packages/embedded-servers/ports';
import { FAST, type Pace, type Seen } from '../../sandbox';
import type { DemoCredentials } from '../../sandbox/demo/accounts';
import { loadConfig } from '../../src/platform/config';
import { parseSecretsBySender } from '../../src/platform/http/webhook-signature';
import { randomToken } from '../../src/platform/ids';
import { connectPostgres, type Sql } from '../../src/platform/postgres';
import { projectRoot } from '../../src/platform/project-root';
import { dataConverterOf } from '../../src/platform/temporal/codec/data-converter';
import { connectTemporal } from '../../src/platform/temporal/connection';
import { postgresSettings, readComposeFile } from './compose-file';
import { type LoadBalancer, startLoadBalancer } from './load-balancer';
import { goTool, linkProgram, temporalPrograms } from './programs';
import { programService, type Service } from './service';
import {
  enterableFolder,
  type PostgresService,
  postgresService,
  runSetupScript,
  startTemporalOnPostgres,
  type TemporalOnPostgres,
} from './temporal-server';

const run = promisify(execFile);

/** Slow enough that a restart meets orders in every state. */
const PACE: Pace = {
  ...FAST,
  received: 300,
  assets: 100,
  printed: 1_500,
  dispatch: 300,
  shipped: 700,
  checkpoint: 500,
  retry: 500,
  retryMost: 5_000,
};

/** The environment of the image, as the Dockerfile sets it. */
const IMAGE = { NODE_ENV: 'production', LOG_FORMAT: 'json', SANDBOX: 'off' } as const;

/** Build id of the worker version that the rehearsal starts with. */
export const FIRST_BUILD = 'rehearsal-a';

const API_PROCESSES = 2;
export const WORKER_PROCESSES = 3;

/** The topology of docker-compose.yml as processes on this machine. */
export interface Topology {
  readonly folder: string;
  readonly credentials: DemoCredentials;
  /** Address of the load balancer. */
  readonly baseUrl: string;
  /** Addresses of the API processes. */
  readonly apiUrls: readonly string[];
  readonly sandboxUrl: string;
  readonly balancer: LoadBalancer;
  readonly apis: readonly Service[];
  /** The workers of the current version. */
  workers: readonly Service[];
  readonly sandbox: Service;
  readonly objects: Service;
  readonly database: PostgresService;
  readonly temporal: TemporalOnPostgres;
  /** Every process that has been started. */
  readonly processes: Readonly<Record<string, Service>>;
  readonly sql: Sql;
  readonly temporalClient: Client;
  readonly dataConverter: DataConverter | undefined;
  ownerUrl(): string;
  temporalAddress(): string;
  /**
   * Creates the services of workers of a build. They are not started.
   * @param root the folder of their release. Default: this one
   */
  createWorkers(buildId: string, root?: string): Promise<Service[]>;
  /** Runs a command of Pressline, such as `migrate`, and returns what it prints. */
  pressline(command: readonly string[]): Promise<string>;
  /** Runs the Temporal CLI and returns what it prints. */
  temporalCli(...args: readonly string[]): Promise<string>;
  seen(): Promise<Seen>;
  /** Stops every process and removes the folder, unless it is kept. */
  stop(): Promise<void>;
}

/** Parses what `pressline seed` prints. */
function parseSeed(output: string): DemoCredentials {
  const keys = [...output.matchAll(/^(Client|Partner|Operator)\s+X-API-KEY: (\S+)(?: \((.+)\))?$/gm)];
  const keyOf = (kind: string) => keys.find(([, found]) => found === kind)?.[2] ?? '';
  const [apiKey = '', apiSecret = ''] = keyOf('Client').split(':');
  return {
    client: { apiKey, apiSecret },
    partners: keys.filter(([, kind]) => kind === 'Partner').map(([, , key, name]) => ({ name: name!, apiKey: key! })),
    operator: { apiKey: keyOf('Operator') },
  };
}

/** Starts the topology in a temporary folder. When it fails, everything that was started is stopped. */
export async function startTopology(
  report: (line: string) => void,
  { keepFolder }: { readonly keepFolder: boolean },
): Promise<Topology> {
  const folder = await mkdtemp(join(tmpdir(), 'pressline-rehearsal-'));
  const processes: Record<string, Service> = {};
  const closers: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const close of closers.toReversed()) await close();
    for (const service of Object.values(processes).toReversed()) await service.stop();
    if (keepFolder) report(`data and logs are in ${folder}`);
    else await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    return await start(folder, processes, closers, stop, report);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(
  folder: string,
  processes: Record<string, Service>,
  closers: (() => Promise<unknown>)[],
  stop: () => Promise<void>,
  report: (line: string) => void,
): Promise<Topology> {
  // When root runs this, Postgres runs as the user `postgres`, which must be able to enter the folder.
  if (process.getuid?.() === 0) await chmod(folder, 0o711);
  const privateFolder = async (...name: string[]) => {
    const path = join(folder, ...name);
    await mkdir(path, { recursive: true, mode: 0o700 });
    return path;
  };
  const logs = await privateFolder('logs');
  const bin = await privateFolder('bin');
  const add = async <S extends Service>(service: S): Promise<S> => {
    processes[service.name] = service;
    await service.start();
    return service;
  };

  const programs = await temporalPrograms(bin, report);
  const versitygw = await goTool('versitygw');
  await linkProgram(bin, 'versitygw', versitygw);

  report('starting Temporal on Postgres');
  const temporal = await startTemporalOnPostgres(folder, programs, (service) => {
    processes[service.name] = service;
  });

  const apiPorts = await Promise.all(Array.from({ length: API_PROCESSES }, freePort));
  const [databasePort, objectsPort, balancerPort, sandboxPort] = await Promise.all([
    freePort(),
    freePort(),
    freePort(),
    freePort(),
  ]);
  const baseUrl = `http://127.0.0.1:${balancerPort}`;
  const objectsUrl = `http://127.0.0.1:${objectsPort}`;
  const objectFolders = [await privateFolder('objects'), await privateFolder('object-accounts')] as const;
  const attributes = await privateFolder('object-attributes');
  const addresses = {
    'http://objects.localhost:7070': objectsUrl,
    'http://objects:7070': objectsUrl,
    '@database:5432': `@127.0.0.1:${databasePort}`,
    'temporal:7233': temporal.address,
    ':7070': `127.0.0.1:${objectsPort}`,
    '/accounts': objectFolders[1],
    '/data': objectFolders[0],
  };
  const carrierSecrets = generateCarrierSecrets();
  const namedKey = () => `rehearsal:${randomBytes(32).toString('base64')}`;
  const secrets = {
    S3_ROOT_SECRET_KEY: randomToken(32),
    S3_SECRET_KEY: randomToken(32),
    LINK_SECRET: randomToken(32),
    SECRET_KEYS: namedKey(),
    PAYLOAD_KEYS: namedKey(),
    CARRIER_WEBHOOK_SECRETS: carrierSecrets,
    PUBLIC_URL: baseUrl,
  };

  report('starting Postgres and the object store');
  const placeholders = { POSTGRES_PASSWORD: 'later', POSTGRES_OWNER_PASSWORD: 'later' };
  const servers = readComposeFile({ ...secrets, ...placeholders }, addresses);
  const database = await add(
    await postgresService(
      'database',
      await enterableFolder(join(folder, 'database')),
      databasePort,
      postgresSettings(servers.commandOf('database')),
    ),
  );
  const objects = await add(
    programService({
      name: 'objects',
      path: versitygw,
      // File systems without extended attributes need a folder for them.
      args: servers
        .commandOf('objects')
        .flatMap((argument) => (argument === 'posix' ? ['posix', '--sidecar', attributes] : [argument])),
      env: servers.environmentOf('objects'),
      logFile: join(logs, 'objects.log'),
      healthUrl: `${objectsUrl}/_health`,
    }),
  );
  await runSetupScript('objects-setup.sh', bin, servers.environmentOf('objects-setup'));

  const password = (url: string) => decodeURIComponent(new URL(url).password);
  const compose = readComposeFile(
    {
      ...secrets,
      POSTGRES_PASSWORD: password(database.applicationUrl()),
      POSTGRES_OWNER_PASSWORD: password(database.ownerUrl()),
    },
    addresses,
  );
  const { PATH, HOME } = process.env;
  const environment = async (service: string, dataName: string, own: NodeJS.ProcessEnv = {}) => ({
    PATH,
    HOME,
    ...IMAGE,
    ...compose.environmentOf(service),
    DATA_DIR: await privateFolder('data', dataName),
    METRICS_HOST: '127.0.0.1',
    METRICS_PORT: String(await freePort()),
    // The default in containers.
    SHUTDOWN_DELAY: '5s',
    // Partners and file hosts are processes on this machine.
    OUTBOUND_ALLOW_PRIVATE: 'true',
    ...own,
  });
  const mainOf = (root: string) => join(root, 'dist', 'cli', 'main.js');
  const main = mainOf(projectRoot());
  const pressline = async (command: readonly string[]) => {
    const env = await environment(command[0] === 'migrate' ? 'migrate' : 'api', 'commands');
    const { stdout } = await run(process.execPath, [main, ...command], { env, timeout: 300_000 });
    return stdout;
  };
  const node = (name: string, command: string, env: NodeJS.ProcessEnv, healthUrl: string, program = main) =>
    programService({
      name,
      path: process.execPath,
      args: ['--enable-source-maps', program, command],
      env,
      logFile: join(logs, `${name}.log`),
      healthUrl,
    });

  report('migrating and seeding the database');
  await pressline(['migrate']);
  const credentials = parseSeed(await pressline(['seed', '--allow-production']));

  const createWorkers = async (buildId: string, root = projectRoot()) => {
    const created: Service[] = [];
    for (let number = 1; number <= WORKER_PROCESSES; number += 1) {
      const name = `${buildId}-worker-${number}`;
      const env = await environment('worker', name, { WORKER_BUILD_ID: buildId });
      const service = node(name, 'worker', env, `http://127.0.0.1:${env.METRICS_PORT}/readyz`, mainOf(root));
      processes[name] = service;
      created.push(service);
    }
    return created;
  };

  report('starting the API, the workers and the sandbox');
  const apis: Service[] = [];
  for (const [index, port] of apiPorts.entries()) {
    const env = await environment('api', `api-${index + 1}`, { HOST: '127.0.0.1', PORT: String(port) });
    apis.push(await add(node(`api-${index + 1}`, 'api', env, `http://127.0.0.1:${port}/readyz`)));
  }
  const balancer = await startLoadBalancer(balancerPort, apiPorts);
  closers.push(() => balancer.close());
  const workers = await createWorkers(FIRST_BUILD);
  for (const worker of workers) await worker.start();

  const sandboxUrl = `http://127.0.0.1:${sandboxPort}`;
  const sandboxOptions = {
    port: sandboxPort,
    presslineUrl: baseUrl,
    folder: await privateFolder('sandbox'),
    mode: 'auto',
    partners: credentials.partners,
    carrierSecrets: signingSecretsOf(parseSecretsBySender(carrierSecrets)!),
    pace: PACE,
  };
  const sandbox = await add(
    programService({
      name: 'sandbox',
      path: process.execPath,
      args: [join(__dirname, '..', 'faults', 'sandbox-process.js'), JSON.stringify(sandboxOptions)],
      env: { PATH, HOME },
      logFile: join(logs, 'sandbox.log'),
      healthUrl: `${sandboxUrl}/files`,
    }),
  );
  const seen = async () => (await (await fetch(`${sandboxUrl}/control/seen`)).json()) as Seen;
  await untilSubscribed(seen);

  const sql = connectPostgres(database.applicationUrl(), { max: 4, applicationName: 'rehearsal' });
  closers.push(() => sql.end({ timeout: 5 }));
  const config = loadConfig(compose.environmentOf('api'));
  const temporalClient = connectTemporal(config);
  closers.push(() => temporalClient.connection.close());
  return {
    folder,
    credentials,
    baseUrl,
    apiUrls: apiPorts.map((port) => `http://127.0.0.1:${port}`),
    sandboxUrl,
    balancer,
    apis,
    workers,
    sandbox,
    objects,
    database,
    temporal,
    processes,
    sql,
    temporalClient,
    dataConverter: dataConverterOf(config.PAYLOAD_KEYS),
    ownerUrl: database.ownerUrl,
    temporalAddress: () => temporal.address,
    createWorkers,
    pressline,
    async temporalCli(...args) {
      const env = {
        PATH,
        HOME: bin,
        TEMPORAL_ADDRESS: temporal.address,
        TEMPORAL_NAMESPACE: config.TEMPORAL_NAMESPACE,
      };
      return (await run(join(bin, 'temporal'), args, { env, timeout: 60_000 })).stdout;
    },
    seen,
    stop,
  };
}

const SUBSCRIBED_WITHIN_MS = 60_000;

async function untilSubscribed(seen: () => Promise<Seen>): Promise<void> {
  for (const deadline = Date.now() + SUBSCRIBED_WITHIN_MS; ; await sleep(200)) {
    const { partners } = await seen();
    if (Object.values(partners).every(({ subscribed }) => subscribed)) return;
    if (Date.now() > deadline) throw new Error('the partners did not subscribe within a minute');
  }
}
