import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { createServices, type Services } from '../../cli/composition-root';
import { runApi } from '../../cli/run-api';
import { type RunningWorker, runWorker } from '../../cli/run-worker';
import { generateCarrierSecrets, signingSecretsOf } from '../../cli/secrets';
import { installTemporalRuntime } from '../../cli/temporal-runtime';
import { createPresslineClient } from '../../client/pressline-client';
import { freePort } from '../../packages/embedded-servers/ports';
import { type Mode, type Pace, type Sandbox, startSandbox } from '../../sandbox';
import { type DemoCredentials, ensureDemoAccounts } from '../../sandbox/demo/accounts';
import { seedDemoCatalog } from '../../sandbox/demo/catalog';
import { ensureDemoPartners } from '../../sandbox/demo/partners';
import { ensureDemoStock } from '../../sandbox/demo/stock';
import { FAST } from '../../sandbox/pace';
import { type Config, loadConfig } from '../../src/platform/config';
import { parseSecretsBySender } from '../../src/platform/http/webhook-signature';
import { randomToken } from '../../src/platform/ids';
import { TEST_POOL_SIZE, type TestDatabase, testDatabase } from './database';
import { expectNoRefusedChange, recordHistories, replayRuns } from './order-histories';
import { sharedInspector } from './runner/shared-inspector';
import { TEST_SECRET_KEYS } from './secret-box';
import { testTemporalAddress, workflowBundle } from './servers';
import { testLog } from './test-log';

export { eventually } from './eventually';

export type TestClient = ReturnType<typeof createPresslineClient>;

const open: (() => Promise<void>)[] = [];

// Stacks are started within hooks and tests, where jest accepts no more hooks.
afterAll(async () => {
  for (const close of open.splice(0)) await close();
});

/** A complete Pressline for one test file: API, worker and sandbox on the shared test servers, with their own database and task queue. */
export interface TestStack {
  readonly database: TestDatabase;
  readonly services: Services;
  readonly credentials: DemoCredentials;
  readonly sandbox: Sandbox;
  readonly baseUrl: string;
  /** Typed clients of the demo accounts. */
  readonly client: TestClient;
  readonly operator: TestClient;
  partner(name: string, retries?: number): TestClient;
  /** Stops the worker. `startWorker` starts another. */
  stopWorker(): Promise<void>;
  startWorker(): Promise<void>;
}

let installed: Promise<void> | undefined;

/** Sends the log lines of the SDK to the stack's log. Once for each process. */
function installRuntimeOnce(log: Logger): Promise<void> {
  installed ??= installTemporalRuntime(log, { metrics: false });
  return installed;
}

/** Takes a port, so that no other process gets it while a stack starts. On a busy machine that takes several seconds. */
async function holdPort() {
  const port = await freePort();
  const server = createServer();
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return { port, release: () => new Promise((resolve) => server.close(resolve)) };
}

export interface TestStackOptions {
  readonly mode?: Mode;
  readonly pace?: Partial<Pace>;
  readonly config?: Partial<Config>;
  /** Address of Temporal, when not the test server's. */
  readonly temporalAddress?: string;
  /** Logger of API, worker and sandbox. By default the log of tests. */
  readonly log?: Logger;
}

/** Starts a stack. It is stopped after the last test of the file. */
export async function testStack(options: TestStackOptions = {}): Promise<TestStack> {
  const folder = await mkdtemp(join(tmpdir(), 'pressline-stack-'));
  const database = await testDatabase();
  const [apiPort, sandboxPort] = [await holdPort(), await holdPort()];
  const baseUrl = `http://127.0.0.1:${apiPort.port}`;
  const config: Config = {
    ...loadConfig({
      RATE_LIMIT: '0',
      CONCURRENT_REQUESTS: '0',
      DATABASE_POOL_SIZE: TEST_POOL_SIZE,
      DATA_DIR: folder,
      SHUTDOWN_GRACE: '2s',
    }),
    DATABASE_URL: database.url,
    DATABASE_DIRECT_URL: database.directUrl,
    TEMPORAL_ADDRESS: options.temporalAddress ?? testTemporalAddress(),
    TEMPORAL_TASK_QUEUE: `test-${randomToken(9)}`,
    OUTBOUND_ALLOW_PRIVATE: true,
    ...options.config,
  };
  const secrets = {
    linkKeys: [{ id: 'test', secret: randomToken(32) }],
    secretKeys: TEST_SECRET_KEYS,
    carrierWebhookSecrets: parseSecretsBySender(generateCarrierSecrets())!,
  } as const;
  const log = options.log ?? testLog;
  await installRuntimeOnce(log);
  // As with SANDBOX=off, the API then has no sandbox to show.
  const sandboxUrl = options.mode === 'off' ? undefined : `http://127.0.0.1:${sandboxPort.port}`;
  const services = {
    ...(await createServices(config, secrets, baseUrl, log, sandboxUrl)),
    inspector: sharedInspector,
  };
  const { sql } = services;
  const { credentials, accounts } = await ensureDemoAccounts(sql);
  await seedDemoCatalog(sql);
  await ensureDemoStock(sql, await ensureDemoPartners(sql, accounts.partners));

  let worker: RunningWorker | undefined = await runWorker(services, workflowBundle());
  await apiPort.release();
  const api = await runApi(services, { host: '127.0.0.1', port: apiPort.port });
  await sandboxPort.release();
  const sandbox = await startSandbox({
    port: sandboxPort.port,
    presslineUrl: baseUrl,
    folder: join(folder, 'sandbox'),
    mode: options.mode ?? 'auto',
    partners: credentials.partners,
    carrierSecrets: signingSecretsOf(secrets.carrierWebhookSecrets),
    pace: { ...FAST, ...options.pace },
    log,
  });
  await sandbox.subscribed;

  open.push(async () => {
    await sandbox.stop();
    await api.stop(1_000);
    await worker?.stop();
    try {
      await expectNoRefusedChange(services);
      if (process.env.RECORD_HISTORIES) await recordHistories(services);
      if (process.env.REPLAY_RUNS) await replayRuns(services);
    } finally {
      await services.close();
      await rm(folder, { recursive: true, force: true });
    }
  });

  // The API responds within a minute. A busy machine may need longer to pass the response on.
  const clientOf = (credentials: { readonly apiKey: string; readonly apiSecret?: string }, retries: number) =>
    createPresslineClient({ baseUrl, ...credentials, retries, timeoutMs: 120_000 });
  return {
    database,
    services,
    credentials,
    sandbox,
    baseUrl,
    client: clientOf(credentials.client, 0),
    operator: clientOf(credentials.operator, 0),
    // Partners repeat a dispatch request that gets 503, as it does when a workflow task was late.
    partner: (name, retries = 5) => clientOf(credentials.partners.find((partner) => partner.name === name)!, retries),
    async stopWorker() {
      await worker?.stop();
      worker = undefined;
    },
    async startWorker() {
      worker ??= await runWorker(services, workflowBundle());
    },
  };
}
