import { setTimeout as sleep } from 'node:timers/promises';
import { createApp } from '../api/app';
import { type HttpServer, startHttpServer } from '../api/http/server';
import { readingStandby } from '../api/http/standby';
import { allRoutes } from '../api/routes';
import { shutdownDelayMs } from '../src/platform/health';
import { type Command, connectServices } from './command';
import type { Services } from './composition-root';
import { startObservability } from './observability';
import { untilStopped } from './terminal';

/** Starts the API server in this process. */
export async function runApi(
  services: Services,
  listen: { readonly host: string; readonly port: number },
): Promise<HttpServer> {
  const { standby, metrics } = services;
  for (const server of ['standby', 'primary']) metrics.count('pressline_standby_reads_total', { server }, 0);
  const routes = allRoutes(services);
  const reading = standby ? readingStandby(routes, allRoutes({ ...services, sql: standby.sql }), standby) : routes;
  return await startHttpServer(createApp(services, reading), listen);
}

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
