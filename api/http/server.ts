import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import { isJson } from './json-body';

export interface HttpServer {
  readonly url: string;
  readonly port: number;
  /**
   * Stops accepting connections, waits for requests in flight, and closes idle connections.
   * @param graceMs time after which open connections are closed
   */
  stop(graceMs: number): Promise<void>;
}

/** Limits of the peers of connections. */
interface ConnectionLimits {
  /** Time of a sender for its headers. The server responds 408 beyond it. */
  readonly headersMs: number;
  /** Time of a sender for its whole request. The server responds 408 beyond it, unless the sender is as fast as an upload needs. */
  readonly requestMs: number;
  readonly uploadBytesPerSecond: number;
  /** Longest time of a request from a sender of that rate. */
  readonly uploadMs: number;
  /** Interval of the checks, by which a peer can exceed the limits. */
  readonly checkMs: number;
  /** A reader that takes fewer than `readerBytesPerSecond` of a waiting response for this time is disconnected. */
  readonly readerMs: number;
  readonly readerBytesPerSecond: number;
}

/** Time for an upload of the largest print file with 6 Mbit/s, which many offices have. In milliseconds. */
export const UPLOAD_MS = 270_000;

const LIMITS: ConnectionLimits = {
  headersMs: 15_000,
  requestMs: 60_000,
  // The largest print file, 200 MB, in UPLOAD_MS.
  uploadBytesPerSecond: 750_000,
  uploadMs: UPLOAD_MS,
  checkMs: 5_000,
  readerMs: 30_000,
  readerBytesPerSecond: 8_192,
};
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
  changedLimits: Partial<ConnectionLimits> = {},
): Promise<HttpServer> {
  const limits = { ...LIMITS, ...changedLimits };
  let stopping = false;
  const server = createServer({
    headersTimeout: limits.headersMs,
    requestTimeout: limits.uploadMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: limits.checkMs,
  });
  const pending = new Set<ServerResponse>();
  server.on('request', (_req, res) => {
    if (stopping) res.setHeader('Connection', 'close');
    pending.add(res);
    res.once('close', () => {
      pending.delete(res);
      if (stopping) setImmediate(() => server.closeIdleConnections());
    });
  });
  server.on('request', app);
  const stopWatches = [watchReaders(pending, limits), watchSenders(server, limits)];
  // An unknown expectation is ignored (RFC 9110, 10.1.1). Without this handler, Node responds with a bare 417.
  server.on('checkExpectation', (req, res) => server.emit('request', req, res));
  server.listen(listen.port, listen.host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const host = ['0.0.0.0', '::'].includes(listen.host) ? 'localhost' : listen.host;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    async stop(graceMs) {
      if (stopping) return;
      stopping = true;
      const closed = once(server, 'close');
      server.close();
      // Tells callers that the connection closes, so that they do not send another request on it.
      for (const res of pending) if (!res.headersSent) res.setHeader('Connection', 'close');
      // An event stream has no end. Its reader connects again, to another process.
      for (const res of pending) if (isEventStream(res)) res.destroy();
      const cut = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(cut);
      for (const stop of stopWatches) stop();
    },
  };
}

function isEventStream(res: ServerResponse): boolean {
  return String(res.getHeader('Content-Type') ?? '').startsWith('text/event-stream');
}

/**
 * Disconnects readers that take a response too slowly: each holds a file or a connection of the object store open. Counts only
 * while the response has data that waits for the reader, so that a slow source is not its reader's fault.
 * @returns a function that ends the watch
 */
function watchReaders(responses: ReadonlySet<ServerResponse>, limits: ConnectionLimits): () => void {
  /** Bytes that the reader had taken at the start of its current interval. */
  const taken = new WeakMap<ServerResponse, { readonly bytes: number; readonly at: number }>();
  const check = () => {
    const now = performance.now();
    for (const res of responses) {
      const { socket } = res;
      if (socket === null || !res.headersSent) continue;
      const bytes = socket.bytesWritten - socket.writableLength;
      const before = taken.get(res);
      if (before === undefined || socket.writableLength === 0) {
        taken.set(res, { bytes, at: now });
        continue;
      }
      const ms = now - before.at;
      if (ms < limits.readerMs) continue;
      if (bytes - before.bytes < (limits.readerBytesPerSecond * ms) / 1_000) socket.destroy();
      else taken.set(res, { bytes, at: now });
    }
  };
  const timer = setInterval(check, limits.checkMs).unref();
  return () => clearInterval(timer);
}

/** A route refuses another type than its own before it reads the body. A body without a type is read as JSON. */
const isFile = (contentType: string | undefined): boolean => contentType !== undefined && !isJson(contentType);

const TIMED_OUT = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n';

/**
 * Disconnects senders whose request is not complete after `requestMs`. Those of an upload go on until `uploadMs` while they send fast
 * enough and nothing has been responded.
 * @returns a function that ends the watch
 */
function watchSenders(server: Server, limits: ConnectionLimits): () => void {
  const open = new Map<
    IncomingMessage,
    { readonly res: ServerResponse; readonly at: number; readonly bytes: number }
  >();
  server.on('request', (req, res) => {
    const { 'content-length': length = '0', 'transfer-encoding': coding } = req.headers;
    if (length === '0' && coding === undefined) return;
    open.set(req, { res, at: performance.now(), bytes: req.socket.bytesRead });
  });
  const check = () => {
    for (const [req, { res, at, bytes }] of open) {
      const { complete, socket } = req;
      const ms = performance.now() - at;
      if (complete || socket.destroyed) open.delete(req);
      else if (ms > limits.requestMs) {
        const isUpload =
          isFile(req.headers['content-type']) && socket.bytesRead - bytes > (limits.uploadBytesPerSecond * ms) / 1_000;
        if (isUpload && !res.headersSent) continue;
        open.delete(req);
        if (res.headersSent) socket.destroy();
        else socket.end(TIMED_OUT, () => socket.destroy());
      }
    }
  };
  const timer = setInterval(check, limits.checkMs).unref();
  return () => clearInterval(timer);
}
