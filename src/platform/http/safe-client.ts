import type { Readable } from 'node:stream';
import { Agent, request as undiciRequest } from 'undici';
import { cleanJson } from '../domain/foreign-text';
import { startOutboundSpan } from '../tracing/http-spans';
import { checkOutboundUrl, createCheckedConnector } from './address-check';
import { closeUnread } from './close-unread';
import { faultOf, type HttpFault } from './http-fault';
import { type OutboundObserver, type OutboundPurpose, outcomeOf } from './outbound-observer';
import { createDnsResolve, type Resolve, resolveLocally } from './resolve';
import type { StreamedResponse, TextResponse } from './response';
import { faultOfHead, limitedBody } from './response-limits';
import { type LeastPace, startTimeouts } from './timeouts';

export interface OutboundRequest {
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
  close(): Promise<void>;
}

export interface SafeClientOptions {
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
  const agent = new Agent({
    headersTimeout: 0,
    bodyTimeout: IDLE_TIMEOUT_MS,
    keepAliveTimeout: 10_000,
    connections: CONNECTIONS_PER_ORIGIN,
    connect: createCheckedConnector(allowPrivate, resolve),
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

    async close() {
      await agent.destroy();
    },
  };
  return client;
}
