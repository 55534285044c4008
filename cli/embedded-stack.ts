import { claimDataFolder } from '../packages/embedded-servers/data-folder';
import { type EmbeddedPostgres, startPostgres } from '../packages/embedded-servers/postgres-server';
import type { RunningServer } from '../packages/embedded-servers/running-server';
import { type SupervisedServer, startWatchdog, supervise } from '../packages/embedded-servers/supervisor';
import { findTemporalBinary } from '../packages/embedded-servers/temporal-binary';
import { startTemporal } from '../packages/embedded-servers/temporal-server';
import { allowsPrivateAddresses, type Config } from '../src/platform/config';
import type { Logger } from '../src/platform/logging/logging';
import { migrate } from '../src/platform/schema/migrate';

/** The embedded servers: those that the configuration does not name. */
export interface EmbeddedStack {
  /** The configuration, completed with the addresses of the embedded servers. */
  readonly config: Config;
  /** Resolves only when a server ended unexpectedly and could not be restarted. The error has the end of its log. */
  readonly failure: Promise<Error>;
  /** The embedded Postgres server, or undefined when the configuration names a server. */
  readonly postgres: EmbeddedPostgres | undefined;
  /** Stops the servers and releases the data folder. Close all connections before. */
  stop(): Promise<void>;
}

/**
 * Claims DATA_DIR and starts the servers that the configuration does not name: Postgres without DATABASE_URL, Temporal
 * without TEMPORAL_ADDRESS. Cleans up what a killed stack left in the folder.
 * @param report called with a line for the user at each step that takes time
 * @param onRestart called when a server ended unexpectedly and was restarted, with the end of its log
 * @throws DataFolderBusy when another stack holds the folder
 * @throws TemporalBinaryMissing when there is no Temporal CLI and none can be downloaded or built
 */
export async function startEmbeddedStack(
  config: Config,
  report: (line: string) => void,
  onRestart: (end: Error) => void = () => undefined,
): Promise<EmbeddedStack> {
  const folder = await claimDataFolder(config.DATA_DIR);
  const running: SupervisedServer<RunningServer>[] = [];
  const startSupervised = async <T extends RunningServer>(
    start: (report: (line: string) => void) => Promise<T>,
    addressOf: (server: T) => string,
  ): Promise<T> => {
    const starts = [report];
    // Only the first start reports its steps; `onRestart` reports the later ones.
    const supervised = await supervise(() => start(starts.pop() ?? (() => undefined)), addressOf, onRestart);
    running.push(supervised);
    return supervised.server;
  };
  const stop = async () => {
    await Promise.all(running.map((server) => server.stop()));
    await folder.release();
  };

  let embeddedPostgres: EmbeddedPostgres | undefined;
  const postgres = async (): Promise<Partial<Config>> => {
    if (config.DATABASE_URL !== undefined) return {};
    const server = await startSupervised(
      (report) => startPostgres(folder.path, report),
      ({ applicationUrl }) => applicationUrl,
    );
    embeddedPostgres = server;
    return { DATABASE_URL: server.applicationUrl };
  };
  const temporal = async (): Promise<Partial<Config>> => {
    if (config.TEMPORAL_ADDRESS !== undefined) return {};
    const binary = await findTemporalBinary({
      cliPath: config.TEMPORAL_CLI_PATH,
      downloadTimeoutMs: config.TEMPORAL_DOWNLOAD_TIMEOUT,
      report,
    });
    const server = await startSupervised(
      async (report) => {
        const temporal = await startTemporal(folder.path, binary, config.TEMPORAL_NAMESPACE, report);
        return startWatchdog(temporal, temporal.healthUrl);
      },
      ({ address }) => address,
    );
    return { TEMPORAL_ADDRESS: server.address, TEMPORAL_UI_URL: config.TEMPORAL_UI_URL ?? server.uiUrl };
  };
  const results = await Promise.allSettled([postgres(), temporal()]);
  const filled: Partial<Config>[] = [];
  for (const result of results) {
    if (result.status === 'fulfilled') filled.push(result.value);
    else {
      await stop();
      throw result.reason;
    }
  }
  return {
    // Decided by the original configuration: in the completed one, an embedded server looks like any other.
    config: Object.assign({}, config, { OUTBOUND_ALLOW_PRIVATE: allowsPrivateAddresses(config) }, ...filled),
    failure: Promise.race(running.map(({ failure }) => failure)),
    postgres: embeddedPostgres,
    stop,
  };
}

/** Migrates the embedded database, and gives the application's role its rights. */
export async function migrateEmbedded({ postgres }: EmbeddedStack, logger: Logger): Promise<void> {
  if (postgres === undefined) throw new Error('The stack has no embedded Postgres');
  await migrate(postgres.url, { applicationUrl: postgres.applicationUrl, logger });
}
