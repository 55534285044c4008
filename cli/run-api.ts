import { createApp } from '../api/app';
import { type HttpServer, startHttpServer } from '../api/http/server';
import { readingStandby } from '../api/http/standby';
import { allRoutes } from '../api/routes';
import type { Services } from './composition-root';

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
