import { createApp } from '../api/app';
import { type HttpServer, startHttpServer } from '../api/http/server';
import { allRoutes } from '../api/routes';
import type { Services } from './composition-root';

/** Starts the API server in this process. */
export async function runApi(
  services: Services,
  listen: { readonly host: string; readonly port: number },
): Promise<HttpServer> {
  return await startHttpServer(createApp(services, allRoutes(services)), listen);
}
