import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Config, ConfigError } from '../config';
import type { Logger } from '../logging/logging';
import type { Metrics } from './metrics';

const DEFAULT_PORT = 9464;
/** Content type of the text format. Source: https://prometheus.io/docs/instrumenting/exposition_formats/ */
const TEXT_FORMAT = 'text/plain; version=0.0.4; charset=utf-8';

export interface MetricsServer {
  readonly url: string;
  stop(): Promise<void>;
}

export type MetricsPage = () => Promise<{
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}>;

/**
 * Serves the metrics of this process on METRICS_HOST:METRICS_PORT. When METRICS_PORT is not set and its default is in use,
 * for example by another process of a laptop, a free port is taken.
 * @param pages further paths, for example the health probes
 * @returns undefined with METRICS_PORT=off
 * @throws ConfigError when the address cannot be used
 */
export async function startMetricsServer(
  config: Pick<Config, 'METRICS_HOST' | 'METRICS_PORT'>,
  metrics: Metrics,
  log: Logger,
  pages: Readonly<Record<string, MetricsPage>> = {},
): Promise<MetricsServer | undefined> {
  const { METRICS_HOST: host, METRICS_PORT: port } = config;
  if (port === 'off') return undefined;
  const all: Readonly<Record<string, MetricsPage>> = {
    ...pages,
    '/metrics': async () => ({ status: 200, contentType: TEXT_FORMAT, text: await metrics.expose() }),
  };
  const server = createServer(respondWith(all, log));
  const problem = await listen(server, port ?? DEFAULT_PORT, host);
  if (problem !== undefined) {
    if (port !== undefined || problem !== 'EADDRINUSE')
      throw new ConfigError(`Wrong configuration: METRICS_PORT: cannot listen on ${host}:${port} (${problem})`);
    await listen(server, 0, host);
  }
  const bound = (server.address() as AddressInfo).port;
  if (problem !== undefined) log.warn({ port: bound }, `port ${DEFAULT_PORT} is in use, the metrics have another`);
  const shown = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
  return {
    url: `http://${shown.includes(':') ? `[${shown}]` : shown}:${bound}/metrics`,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Listens, and returns the code of the error when that fails. */
function listen(server: Server, port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const fail = (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message);
    server.once('error', fail);
    server.listen(port, host, () => {
      server.off('error', fail);
      resolve(undefined);
    });
  });
}

function respondWith(pages: Readonly<Record<string, MetricsPage>>, log: Logger): RequestListener {
  return (req, res) => {
    const path = req.url?.split('?', 1)[0] ?? '/';
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
    const respond = (status: number, contentType: string, text: string) => {
      res.writeHead(status, { 'Content-Type': contentType, 'Cache-Control': 'no-store' });
      res.end(req.method === 'HEAD' ? undefined : text);
    };
    if (page === undefined) return respond(404, 'text/plain', 'Not found\n');
    if (req.method !== 'GET' && req.method !== 'HEAD') return respond(405, 'text/plain', 'Use GET\n');
    page().then(
      ({ status, contentType, text }) => respond(status, contentType, text),
      (error: unknown) => {
        log.error({ err: error, path }, 'a page of the metrics listener failed');
        respond(500, 'text/plain', 'Internal error\n');
      },
    );
  };
}
