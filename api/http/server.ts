import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';

export interface HttpServer {
  readonly url: string;
  readonly port: number;
  /**
   * Stops accepting connections, waits for requests in flight, and closes idle connections.
   * @param graceMs time after which open connections are closed
   */
  stop(graceMs: number): Promise<void>;
}

/** Time limits of a sender for its headers and for its whole request. The server responds 408 beyond them. */
export interface SenderLimits {
  readonly headersMs: number;
  readonly requestMs: number;
  /** Interval of the check, by which a sender can exceed the limits. */
  readonly checkMs: number;
}

const SENDER_LIMITS: SenderLimits = { headersMs: 15_000, requestMs: 60_000, checkMs: 5_000 };
/** Longer than the 60 s idle timeout of common load balancers, so that the load balancer closes first. */
const KEEP_ALIVE_MS = 65_000;

/**
 * Starts an HTTP server for the application.
 * @param listen port 0 selects a free port
 * @throws errors of `listen`, for example `EADDRINUSE`
 */
export async function startHttpServer(
  app: Express,
  listen: { readonly host: string; readonly port: number },
  limits: SenderLimits = SENDER_LIMITS,
): Promise<HttpServer> {
  let stopping = false;
  const server = createServer({
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: limits.checkMs,
  });
  const unanswered = new Set<ServerResponse>();
  server.on('request', (_req, res) => {
    if (stopping) res.setHeader('Connection', 'close');
    unanswered.add(res);
    res.once('close', () => {
      unanswered.delete(res);
      if (stopping) setImmediate(() => server.closeIdleConnections());
    });
  });
  server.on('request', app);
  // An unknown expectation is ignored (RFC 9110, 10.1.1). Without this handler, Node responds with a bare 417.
  server.on('checkExpectation', (req, res) => server.emit('request', req, res));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(listen.port, listen.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const { port } = server.address() as AddressInfo;
  const host = ['0.0.0.0', '::'].includes(listen.host) ? 'localhost' : listen.host;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    async stop(graceMs) {
      if (stopping) return;
      stopping = true;
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      server.closeIdleConnections();
      // Tells callers that the connection closes, so that they do not send another request on it.
      for (const res of unanswered) if (!res.headersSent) res.setHeader('Connection', 'close');
      const cut = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(cut);
    },
  };
}
