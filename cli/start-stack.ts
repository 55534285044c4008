import { join } from 'node:path';
import { type Sandbox, startSandbox, WATCHABLE } from '../sandbox';
import { ensureDemoAccounts } from '../src/accounts/demo-accounts';
import { seedDemoCatalog } from '../src/catalog/demo/seed';
import { ensureDemoPartners } from '../src/partners/demo-partners';
import { type Config, ConfigError } from '../src/platform/config';
import { choosePort, freePort, whyNotListen } from '../src/platform/embedded/ports';
import { type EmbeddedStack, startEmbeddedStack } from '../src/platform/embedded/stack';
import type { Logger } from '../src/platform/logging';
import { migrate } from '../src/platform/migrate';
import { ensureDemoStock } from '../src/procurement/demo-stock';
import { createServices, type Services } from './composition-root';
import { type CredentialsFile, readCredentials, writeCredentials } from './credentials';
import { runApi } from './run-api';
import { runWorker } from './run-worker';
import { loadSecrets } from './secrets';
import { installTemporalRuntime } from './temporal-runtime';
import { setUpTemporal } from './temporal-setup';

export interface RunningStack {
  readonly credentials: CredentialsFile;
  readonly credentialsPath: string;
  readonly services: Services;
  /** Undefined with SANDBOX=off. */
  readonly sandbox: Sandbox | undefined;
  /** Settles only when a part ends that nobody stopped. */
  readonly failure: Promise<Error>;
  stop(): Promise<void>;
}

/** Things to stop, in the reverse order of their start. */
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
 * Starts everything in this process: embedded servers where none are configured, migrations, demo accounts and
 * catalog, API, worker, sandbox. What an earlier start left running goes on.
 * @param report told each step that takes time, as a line to show
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
    const embedded = await startEmbeddedStack(config, report, (end) =>
      log.error({ err: end }, 'an embedded server ended by itself and was started again'),
    );
    stoppers.add('embedded servers', () => embedded.stop());
    return await startParts(embedded, log, stoppers, options);
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
  }: { workflowBundle: { readonly codePath: string }; report: (line: string) => void },
): Promise<RunningStack> {
  const port = embedded.config.PORT || (await freePort());
  const config: Config = { ...embedded.config, PORT: port };
  const publicUrl =
    config.PUBLIC_URL ?? `http://${config.HOST === '0.0.0.0' ? '127.0.0.1' : config.HOST}:${port}`;
  await migrate(config.DATABASE_URL!, log);
  const secrets = await loadSecrets(config, true);
  const services = await createServices(config, secrets, publicUrl, log);
  stoppers.add('connections', () => services.close());

  const credentials = await seed(services, config);
  const credentialsPath = await writeCredentials(config.DATA_DIR, credentials);
  await setUpTemporal(services);
  installTemporalRuntime(log);
  report('Pressline: starting the worker');
  const worker = await runWorker(services, workflowBundle);
  stoppers.add('worker', () => worker.stop());
  const api = await runApi(services, { host: config.HOST, port });
  stoppers.add('API', () => api.stop(config.SHUTDOWN_GRACE));

  const sandbox = config.SANDBOX === 'off' ? undefined : await openSandbox(services, credentials);
  if (sandbox !== undefined) stoppers.add('sandbox', () => sandbox.stop());
  return {
    credentials,
    credentialsPath,
    services,
    sandbox,
    failure: Promise.race([embedded.failure, worker.failure]),
    stop: () => stoppers.stopAll(),
  };
}

/** Before anything takes its time to start. @throws ConfigError when the port is taken, or not for us */
async function ensureFree(name: 'PORT' | 'SANDBOX_PORT', host: string, port: number): Promise<void> {
  const problem = await whyNotListen(port, host);
  if (problem === undefined) return;
  throw new ConfigError(
    `Wrong configuration: ${name}: ${host}:${port} cannot be listened on (${problem}); set another, or 0 for a free one`,
  );
}

async function seed({ sql, publicUrl }: Services, config: Config): Promise<CredentialsFile> {
  const kept = await readCredentials(config.DATA_DIR);
  const { credentials, accounts } = await ensureDemoAccounts(sql, kept);
  await seedDemoCatalog(sql);
  const partners = await ensureDemoPartners(sql, accounts.partners);
  await ensureDemoStock(sql, partners);
  return { baseUrl: publicUrl, temporalUiUrl: config.TEMPORAL_UI_URL ?? '', ...credentials };
}

async function openSandbox(services: Services, credentials: CredentialsFile): Promise<Sandbox> {
  const { config, secrets, publicUrl, log } = services;
  const sandbox = await startSandbox({
    port: config.SANDBOX_PORT || (await choosePort(config.DATA_DIR, 'sandbox')),
    presslineUrl: publicUrl,
    folder: join(config.DATA_DIR, 'sandbox'),
    mode: config.SANDBOX,
    partners: credentials.partners,
    carrierSecret: secrets.carrierWebhookSecret,
    pace: WATCHABLE,
    log,
  });
  await sandbox.subscribed;
  return sandbox;
}
