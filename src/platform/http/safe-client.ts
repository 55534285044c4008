import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { Agent, request as undiciRequest } from 'undici';
import { cleanJson } from '../domain/foreign-text';
import {
  checkOutboundUrl,
  connectChecked,
  createCheckedConnector,
  createDnsResolve,
  type Resolve,
  resolveLocally,
} from './outbound-addresses';
import { type OutboundObserver, type OutboundPurpose, outcomeOf, startOutboundSpan } from './outbound-observer';
import {
  closeUnread,
  faultOf,
  type HttpFault,
  httpFault,
  type ResponseHeaders,
  type StreamedResponse,
  type TextResponse,
  TransferError,
} from './responses';

interface OutboundRequest {
  readonly url: string;
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  /** A stream is sent as it is produced. */
  readonly body?: string | Uint8Array | Readable;
  /** Milliseconds from the start of the request to the last byte of the response. */
  readonly timeoutMs: number;
  /** Ends a slow response before that. */
  readonly leastPace?: LeastPace;
  /** Size limit of the response body. */
  readonly limitBytes: number;
  /** For metrics. A request without a purpose is not observed. */
  readonly purpose?: OutboundPurpose;
  /** Aborts the request, which then throws the reason of the signal. */
  readonly signal?: AbortSignal;
}

export interface SafeClient {
  /** Sends a request and returns the head and the body stream of the response. Never follows a redirect. */
  request(outbound: OutboundRequest): Promise<StreamedResponse | HttpFault>;
  /**
   * Sends a request and returns the response with its body as UTF-8 text, truncated at `limitBytes`. The text is clean, and so are
   * the strings of the JSON in it (`cleanJson`).
   */
  exchange(outbound: OutboundRequest): Promise<TextResponse | HttpFault>;
  /**
   * Opens a TCP connection for another protocol than HTTP.
   * @throws BlockedAddressError, or the error of the connection
   */
  connect(host: string, port: number): Promise<Socket>;
  close(): Promise<void>;
}

interface SafeClientOptions {
  /** Whether plain http and private networks are allowed. Cloud metadata addresses are always blocked. */
  readonly allowPrivate: boolean;
  /** Resolves host names. Default: DNS, or the system's lookup when private networks are allowed. */
  readonly resolve?: Resolve;
  /** Called at the end of every request that has a purpose. */
  readonly observe?: OutboundObserver;
}

/** Longest pause within a body. The timeout of the request ends a response that trickles. */
const IDLE_TIMEOUT_MS = 30_000;
/**
 * Connections to one origin. Further requests wait, and their timeouts with them. More than the half of the file slots
 * that one client may hold needs with three downloads each (`workerTuning`), so that a client whose host hangs leaves
 * connections to another client of the same host.
 */
const CONNECTIONS_PER_ORIGIN = 256;
const USER_AGENT = 'Pressline/1.0 (print fulfillment)';

/**
 * Creates the HTTP client for all addresses that clients and partners name: print files, partners, notification endpoints
 * (SECURITY.md). It checks every address to which it connects.
 */
export function createSafeClient(options: SafeClientOptions): SafeClient {
  const { allowPrivate, observe } = options;
  const resolve = options.resolve ?? (allowPrivate ? resolveLocally : createDnsResolve());
  const rules = { allowPrivate, resolve };
  const agent = new Agent({
    headersTimeout: 0,
    bodyTimeout: IDLE_TIMEOUT_MS,
    keepAliveTimeout: 10_000,
    connections: CONNECTIONS_PER_ORIGIN,
    connect: createCheckedConnector(rules),
  });

  const client: SafeClient = {
    async request(outbound) {
      outbound.signal?.throwIfAborted();
      const invalid = checkOutboundUrl(outbound.url, allowPrivate);
      if (invalid !== undefined) return invalid;
      const url = new URL(outbound.url);
      const method = outbound.method ?? 'GET';
      const span = startOutboundSpan(method, url, outbound.purpose);
      const startedAt = performance.now();
      const ended = <Result extends { ok: true; status: number } | HttpFault>(result: Result): Result => {
        if (outbound.purpose !== undefined)
          observe?.(outbound.purpose, outcomeOf(result), (performance.now() - startedAt) / 1_000);
        span?.end(result);
        return result;
      };
      const limits = startTimeouts(url.host, outbound.timeoutMs, outbound.leastPace);
      try {
        const response = await undiciRequest(url, {
          dispatcher: agent,
          method,
          headers: {
            'user-agent': USER_AGENT,
            accept: '*/*',
            'accept-encoding': 'identity',
            ...span?.headers,
            ...outbound.headers,
          },
          body: outbound.body ?? null,
          signal: outbound.signal === undefined ? limits.signal : AbortSignal.any([limits.signal, outbound.signal]),
        });
        limits.headReceived();
        const refused = faultOfHead(response.statusCode, response.headers, url, outbound.limitBytes);
        if (refused !== undefined) {
          limits.clear();
          closeUnread(response.body);
          return ended(refused);
        }
        const { limitBytes, signal } = outbound;
        const body = limitedBody(response.body, url.host, { limitBytes, time: limits, signal });
        let fault: HttpFault | undefined;
        body.once('error', (error) => {
          fault = faultOf(error, url.host);
        });
        body.once('close', () => {
          limits.clear();
          ended(fault ?? { ok: true, status: response.statusCode });
        });
        return { ok: true, status: response.statusCode, headers: response.headers, body };
      } catch (error) {
        limits.clear();
        if (outbound.signal?.aborted) span?.end(faultOf(error, url.host));
        outbound.signal?.throwIfAborted();
        return ended(faultOf(error, url.host));
      }
    },

    async exchange(outbound) {
      // A longer body is truncated here, so the request has no size limit of its own.
      const response = await client.request({ ...outbound, limitBytes: Number.MAX_SAFE_INTEGER });
      if (!response.ok) return response;
      const chunks: Buffer[] = [];
      let size = 0;
      try {
        for await (const chunk of response.body as AsyncIterable<Buffer>) {
          chunks.push(chunk);
          size += chunk.length;
          if (size > outbound.limitBytes) break;
        }
      } catch (error) {
        outbound.signal?.throwIfAborted();
        return faultOf(error, new URL(outbound.url).host);
      }
      return {
        ok: true,
        status: response.status,
        headers: response.headers,
        text: cleanJson(Buffer.concat(chunks).subarray(0, outbound.limitBytes).toString('utf8')),
        truncated: size > outbound.limitBytes,
      };
    },

    connect: (host, port) => connectChecked(host, port, rules),

    async close() {
      await agent.destroy();
    },
  };
  return client;
}

/** Returns the fault of a redirect, or of a Content-Length above the limit. Returns undefined for other responses. */
function faultOfHead(status: number, headers: ResponseHeaders, url: URL, limitBytes: number): HttpFault | undefined {
  if (status >= 300 && status < 400) {
    const location = [headers.location].flat()[0];
    const redirect = httpFault('redirect', `${url.host} responded with a redirect (${status})`);
    return location !== undefined && URL.canParse(location, url.href)
      ? { ...redirect, location: new URL(location, url).href }
      : redirect;
  }
  if (Number(headers['content-length'] ?? 0) > limitBytes) {
    return httpFault('too-large', `the response of ${url.host} is larger than ${limitBytes} bytes`);
  }
  return undefined;
}

interface BodyLimits {
  readonly limitBytes: number;
  readonly time: Timeouts;
  /** The caller's signal. */
  readonly signal?: AbortSignal | undefined;
}

/** Returns a body that fails with `TransferError` at a limit, or with the reason of the caller's signal. */
function limitedBody(source: Readable, host: string, limits: BodyLimits): Readable {
  async function* chunks() {
    let size = 0;
    try {
      for await (const chunk of source as AsyncIterable<Buffer>) {
        size += chunk.length;
        limits.time.bodyReceived(chunk.length);
        if (size > limits.limitBytes) {
          throw new TransferError('too-large', `${host} sent more than ${limits.limitBytes} bytes`);
        }
        yield chunk;
      }
    } catch (error) {
      limits.signal?.throwIfAborted();
      limits.time.signal.throwIfAborted();
      const { kind, message } = faultOf(error, host);
      throw new TransferError(kind === 'timeout' || kind === 'too-large' ? kind : 'connection', message);
    }
  }
  // An abort can come while nobody reads. The next read reports it.
  source.on('error', () => undefined);
  const body = Readable.from(chunks(), { objectMode: false });
  body.once('close', () => source.destroy());
  return body;
}

/** The least pace of a response. A server that falls below it has a `timeout` fault. */
interface LeastPace {
  /** Milliseconds from the start of the request to the head of the response. */
  readonly headMs: number;
  /** Bytes of the body that arrive in each `windowMs` at least, until its end. */
  readonly windowBytes: number;
  readonly windowMs: number;
}

interface Timeouts {
  /** Aborts with a `TransferError` at the first timeout. */
  readonly signal: AbortSignal;
  headReceived(): void;
  bodyReceived(bytes: number): void;
  clear(): void;
}

/** Starts the timeouts of a request. @param timeoutMs from its start to the last byte of the response */
export function startTimeouts(host: string, timeoutMs: number, pace?: LeastPace): Timeouts {
  const controller = new AbortController();
  const end = (message: string) => controller.abort(new TransferError('timeout', `${host} ${message}`));
  const total = setTimeout(() => end(`took longer than ${timeoutMs} ms`), timeoutMs);
  let paceTimer = pace && setTimeout(() => end(`sent nothing within ${pace.headMs} ms`), pace.headMs);
  let inWindow = 0;
  return {
    signal: controller.signal,
    headReceived() {
      if (pace === undefined) return;
      clearTimeout(paceTimer);
      paceTimer = setInterval(() => {
        if (inWindow < pace.windowBytes) end(`sent less than ${pace.windowBytes} bytes within ${pace.windowMs} ms`);
        inWindow = 0;
      }, pace.windowMs);
    },
    bodyReceived(bytes) {
      inWindow += bytes;
    },
    clear() {
      clearTimeout(total);
      clearInterval(paceTimer);
    },
  };
}
