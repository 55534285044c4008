import { allowsPrivateAddresses, type Config } from '../config';
import { claimDataFolder } from './data-folder';
import { startPostgres } from './postgres-server';
import type { RunningServer } from './running-server';
import { type SupervisedServer, supervise } from './supervisor';
import { findTemporalBinary } from './temporal-binary';
import { startTemporal } from './temporal-server';
import { startWatchdog } from './watchdog';

/** The servers that a process brought along because the configuration names none. */
export interface EmbeddedStack {
  /** The configuration with the addresses of these servers filled in. */
  readonly config: Config;
  /** Settles only when a server ended that nobody stopped, and did not come back; with its last words. */
  readonly failure: Promise<Error>;
  /** Stops the servers and gives the data folder back; the caller has closed its connections. */
  stop(): Promise<void>;
}

/**
 * Claims DATA_DIR and starts the servers in it that the configuration does not name: Postgres without DATABASE_URL,
 * Temporal without TEMPORAL_ADDRESS. Copes with whatever a killed stack left in the folder.
 * @param report told each step that takes time, as a line to show
 * @param cameBack told the last words of a server that ended unasked and was started again
 * @throws DataFolderBusy while another stack holds the folder; TemporalBinaryMissing
 */
export async function startEmbeddedStack(
  config: Config,
  report: (line: string) => void,
  cameBack: (end: Error) => void = () => undefined,
): Promise<EmbeddedStack> {
  const folder = await claimDataFolder(config.DATA_DIR);
  const running: SupervisedServer<RunningServer>[] = [];
  const keep = async <T extends RunningServer>(
    start: (report: (line: string) => void) => Promise<T>,
    addressOf: (server: T) => string,
  ): Promise<T> => {
    const starts = [report];
    // A start after the first is no step of the stack's start, and is told by `cameBack`.
    const kept = await supervise(() => start(starts.pop() ?? (() => undefined)), addressOf, cameBack);
    running.push(kept);
    return kept.server;
  };
  const stop = async () => {
    await Promise.all(running.map((server) => server.stop()));
    await folder.release();
  };

  const postgres = async (): Promise<Partial<Config>> => {
    if (config.DATABASE_URL !== undefined) return {};
    const server = await keep(
      (report) => startPostgres(folder.path, report),
      ({ url }) => url,
    );
    return { DATABASE_URL: server.url };
  };
  const temporal = async (): Promise<Partial<Config>> => {
    if (config.TEMPORAL_ADDRESS !== undefined) return {};
    const binary = await findTemporalBinary({
      cliPath: config.TEMPORAL_CLI_PATH,
      downloadTimeoutMs: config.TEMPORAL_DOWNLOAD_TIMEOUT,
      report,
    });
    const server = await keep(
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
    // Asked of the configuration as given: filled in, an embedded server looks like any other.
    config: Object.assign({}, config, { OUTBOUND_ALLOW_PRIVATE: allowsPrivateAddresses(config) }, ...filled),
    failure: Promise.race(running.map(({ failure }) => failure)),
    stop,
  };
}
