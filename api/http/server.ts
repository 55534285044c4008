import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';

export interface HttpServer {
  readonly url: string;
  readonly port: number;
  /**
   * Takes no more connections, lets requests in flight end, and closes idle connections.
   * @param graceMs after this, what is still open is cut
   */
  stop(graceMs: number): Promise<void>;
}

/** How long a sender may take for its headers, and for its whole request, before it is cut off with 408. */
export interface SenderLimits {
  readonly headersMs: number;
  readonly requestMs: number;
  /** How often connections are looked at: what they may take longer. */
  readonly checkMs: number;
}

const SENDER_LIMITS: SenderLimits = { headersMs: 15_000, requestMs: 60_000, checkMs: 5_000 };
/** Longer than the 60 s after which common load balancers drop idle connections: they, not we, close first. */
const KEEP_ALIVE_MS = 65_000;

/**
 * Serves the application.
 * @param listen port 0 picks a free one
 * @throws what `listen` fails with, `EADDRINUSE` among others
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
  // An expectation that we do not know is as good as none (RFC 9110, 10.1.1): Node alone answers a bare 417.
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
      // Callers learn that their connection ends here, rather than sending another request into it.
      for (const res of unanswered) if (!res.headersSent) res.setHeader('Connection', 'close');
      const cut = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(cut);
    },
  };
}
