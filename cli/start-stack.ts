import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, keepPort, listenError, reservePort } from '../packages/embedded-servers/ports';
import { type Sandbox, type SandboxOptions, startSandbox, WATCHABLE } from '../sandbox';
import { DEMO_OPERATOR } from '../sandbox/demo/accounts';
import { seedDemoData } from '../sandbox/demo/seed';
import { accountByName, isRevokedAccount } from '../src/accounts/accounts-and-keys';
import { issueOneTimeToken } from '../src/accounts/sessions';
import { type Config, ConfigError } from '../src/platform/config';
import { shutdownDelayMs } from '../src/platform/health';
import type { Logger } from '../src/platform/logging/logging';
import { untilMigrated } from '../src/platform/schema/schema-version';
import { startSteps } from '../src/platform/start-steps';
import { type Command, sayConsole, sayKeys } from './command';
import { createServices, type Services } from './composition-root';
import { type CredentialsFile, readCredentials, type StackUrls, writeCredentials } from './credentials';
import { type EmbeddedStack, migrateEmbedded, startEmbeddedStack } from './embedded-stack';
import { startObservability } from './observability';
import { runApi } from './run-api';
import { runWorker } from './run-worker';
import { loadSecrets, signingSecretsOf } from './secrets';
import { installTemporalRuntime, setUpTemporal, workflowBundle } from './temporal-runtime';
import { say, untilStopped } from './terminal';

export interface RunningStack {
  readonly urls: StackUrls;
  /** The content and the path of credentials.json. Undefined without demo accounts. */
  readonly demo: { readonly credentials: CredentialsFile; readonly path: string } | undefined;
  readonly services: Services;
  /** Undefined with SANDBOX=off, and without demo accounts, whose keys its partners use. */
  readonly sandbox: Sandbox | undefined;
  /**
   * Returns the address of the console with a token that signs the demo operator in once, within ten minutes. Undefined when
   * the demo operator is revoked, and without demo accounts.
   */
  signInLink(): Promise<string | undefined>;
  /** Resolves only when a part of the stack ends unexpectedly. */
  readonly failure: Promise<Error>;
  stop(): Promise<void>;
}

class Stoppers {
  private readonly list: { name: string; stop: () => Promise<void> }[] = [];

  constructor(private readonly log: Logger) {}

  add(name: string, stop: () => Promise<void>): void {
    this.list.push({ name, stop });
  }

  async stopAll(): Promise<void> {
    for (const { name, stop } of this.list.splice(0).reverse()) {
      await stop().catch((error: unknown) => this.log.error({ err: error }, `${name} did not stop cleanly`));
    }
  }
}

/**
 * Returns true when a start creates the demo accounts: in an embedded database outside production. Their keys are printed and
 * stored in a file, and the orders of another database belong to somebody.
 */
export function hasDemoAccounts({ DATABASE_URL }: Config): boolean {
  return DATABASE_URL === undefined && process.env.NODE_ENV !== 'production';
}

/**
 * Starts the whole stack in this process: embedded servers unless the configuration names servers, migrations, API and worker,
 * and where a stack has them (`hasDemoAccounts`) demo accounts, catalog and sandbox. Orders of previous starts continue.
 * @param report called with a line for the user at each step that takes time
 */
export async function startStack(
  config: Config,
  log: Logger,
  options: {
    readonly workflowBundle: { readonly codePath: string };
    readonly report: (line: string) => void;
  },
): Promise<RunningStack> {
  const { report } = options;
  const stoppers = new Stoppers(log);
  try {
    await ensureFree('PORT', config.HOST, config.PORT);
    await ensureFree('SANDBOX_PORT', '127.0.0.1', config.SANDBOX_PORT);
    for (const port of [config.PORT, config.SANDBOX_PORT]) keepPort(port);
    const embedded = await startEmbeddedStack(config, report, (end) =>
      log.error({ err: end }, 'an embedded server ended unexpectedly and was restarted'),
    );
    stoppers.add('embedded servers', () => embedded.stop());
    return await startParts(embedded, log, stoppers, { ...options, isDemo: hasDemoAccounts(config) });
  } catch (error) {
    await stoppers.stopAll();
    throw error;
  }
}

async function startParts(
  embedded: EmbeddedStack,
  log: Logger,
  stoppers: Stoppers,
  {
    workflowBundle,
    report,
    isDemo,
  }: { workflowBundle: { readonly codePath: string }; report: (line: string) => void; isDemo: boolean },
): Promise<RunningStack> {
  const port = embedded.config.PORT || (await freePort());
  const config: Config = { ...embedded.config, PORT: port };
  const publicUrl = config.PUBLIC_URL ?? `http://${config.HOST === '0.0.0.0' ? '127.0.0.1' : config.HOST}:${port}`;
  const step = startSteps(config, log);
  await step('migrate the database', () =>
    embedded.postgres === undefined
      ? untilMigrated(config.DATABASE_URL!, config.MIGRATION_WAIT, log)
      : migrateEmbedded(embedded, log),
  );
  const secrets = await loadSecrets(config, true);
  const sandboxPort = config.SANDBOX === 'off' || !isDemo ? undefined : await takeSandboxPort(config, stoppers);
  const sandboxUrl = sandboxPort === undefined ? undefined : `http://127.0.0.1:${sandboxPort.port}`;
  const services = await createServices(config, secrets, publicUrl, log, sandboxUrl);
  stoppers.add('connections', () => services.close());

  const metricsServer = await startObservability(services, config);
  if (metricsServer !== undefined) stoppers.add('metrics', () => metricsServer.stop());
  const urls = urlsOf(services, metricsServer?.url);
  const demo = isDemo
    ? await step('create the demo accounts and catalog', () => seed(services, config.DATA_DIR, urls))
    : undefined;
  await step('set up Temporal', () => setUpTemporal(services));
  await installTemporalRuntime(log, { metrics: metricsServer !== undefined });
  report('Pressline: starting the worker');
  const worker = await runWorker(services, workflowBundle);
  stoppers.add('worker', () => worker.stop());
  const api = await runApi(services, { host: config.HOST, port });
  stoppers.add('API', async () => {
    await sleep(shutdownDelayMs(config));
    await api.stop(config.SHUTDOWN_GRACE);
  });

  const sandbox =
    sandboxPort === undefined ? undefined : await openSandbox(services, demo!.credentials.partners, sandboxPort.open);
  if (sandbox !== undefined) stoppers.add('sandbox', () => sandbox.stop());
  return {
    urls,
    demo,
    services,
    sandbox,
    signInLink: async () => (isDemo ? await signInLink(services) : undefined),
    failure: Promise.race([embedded.failure, worker.failure]),
    stop: () => {
      services.health.beginStop();
      return stoppers.stopAll();
    },
  };
}

/** @throws ConfigError when the port is in use or not permitted */
async function ensureFree(name: 'PORT' | 'SANDBOX_PORT', host: string, port: number): Promise<void> {
  const problem = await listenError(port, host);
  if (problem === undefined) return;
  throw new ConfigError(
    `Wrong configuration: ${name}: cannot listen on ${host}:${port} (${problem}). Set another port, or 0 to pick a free one`,
  );
}

/** Listens on the sandbox's port from now on, unless it is set: other stacks that start now take another port. */
async function takeSandboxPort(
  { SANDBOX_PORT, DATA_DIR }: Config,
  stoppers: Stoppers,
): Promise<{ readonly port: number; readonly open: SandboxOptions['port'] }> {
  if (SANDBOX_PORT !== 0) return { port: SANDBOX_PORT, open: SANDBOX_PORT };
  const { port, listener } = await reservePort(DATA_DIR, 'sandbox');
  stoppers.add('port of the sandbox', async () => void listener.close());
  return { port, open: listener };
}

async function seed({ sql }: Services, dataDir: string, urls: StackUrls): Promise<RunningStack['demo']> {
  const credentials = { ...urls, ...(await seedDemoData(sql, await readCredentials(dataDir))) };
  return { credentials, path: await writeCredentials(dataDir, credentials) };
}

function urlsOf({ config, publicUrl, sandboxUrl }: Services, metricsUrl: string | undefined): StackUrls {
  return {
    baseUrl: publicUrl,
    temporalUiUrl: config.TEMPORAL_UI_URL ?? '',
    consoleUrl: `${publicUrl}/console`,
    ...(sandboxUrl === undefined ? {} : { sandboxUrl }),
    ...(metricsUrl === undefined ? {} : { metricsUrl }),
  };
}

async function signInLink({ sql, publicUrl }: Services): Promise<string | undefined> {
  const operator = await accountByName(sql, 'operator', DEMO_OPERATOR);
  if (operator === undefined || (await isRevokedAccount(sql, operator.id))) return undefined;
  // The fragment stays in the browser: no server and no log receives it.
  return `${publicUrl}/console/sign-in#token=${await issueOneTimeToken(sql, operator.id)}`;
}

async function openSandbox(
  services: Services,
  partners: SandboxOptions['partners'],
  port: SandboxOptions['port'],
): Promise<Sandbox> {
  const { config, secrets, publicUrl, log } = services;
  const sandbox = await startSandbox({
    port,
    presslineUrl: publicUrl,
    folder: join(config.DATA_DIR, 'sandbox'),
    mode: config.SANDBOX,
    partners,
    carrierSecrets: signingSecretsOf(secrets.carrierWebhookSecrets),
    pace: WATCHABLE,
    log,
  });
  await sandbox.subscribed;
  return sandbox;
}

/** Starts all parts in this process and prints their addresses, and the keys of the demo accounts where there are any. */
export const start: Command = async ({ config, log, signals }) => {
  const stack = await startStack(config, log, { workflowBundle, report: say });
  const { urls, demo } = stack;
  say('');
  say(`Runs on      Node ${process.versions.node}`);
  say(`API          ${urls.baseUrl}`);
  say(`API pages    ${urls.baseUrl}/docs`);
  sayConsole(urls.baseUrl, await stack.signInLink());
  say(`Temporal UI  ${urls.temporalUiUrl}`);
  if (urls.metricsUrl) say(`Metrics      ${urls.metricsUrl}`);
  if (stack.sandbox) say(`Sandbox      ${stack.sandbox.url} (${config.SANDBOX})`);
  if (demo === undefined) {
    say('Keys         none: demo accounts are for an embedded database outside production.');
    say('             `pressline operator <name>` creates an admin.');
  } else {
    sayKeys(demo.credentials);
    say(`Saved in     ${demo.path}`);
  }
  say('Press Ctrl-C to stop.');
  return await untilStopped(signals.wait(), stack, log, say);
};
