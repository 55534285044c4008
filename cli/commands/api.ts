import { setTimeout as sleep } from 'node:timers/promises';
import { shutdownDelayMs } from '../../src/platform/health';
import { type Command, connectServices } from '../command';
import { startObservability } from '../observability';
import { runApi } from '../run-api';
import { untilStopped } from '../stop-signals';

/** Serves the API. Postgres and Temporal are servers of the deployment. */
export const api: Command = async ({ config, log, signals }) => {
  const services = await connectServices(config, log);
  const metricsServer = await startObservability(services, config);
  const server = await runApi(services, { host: config.HOST, port: config.PORT });
  log.info({ url: server.url, metricsUrl: metricsServer?.url }, 'API is up');
  const stop = async () => {
    services.health.beginStop();
    await sleep(shutdownDelayMs(config));
    await server.stop(config.SHUTDOWN_GRACE);
    await metricsServer?.stop();
    await services.close();
  };
  const neverFails = new Promise<Error>(() => undefined);
  return await untilStopped(signals.wait(), { failure: neverFails, stop }, log, (line) => log.info(line));
};
