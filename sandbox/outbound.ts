import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import pLimit from 'p-limit';
import { Agent, type Dispatcher, interceptors, request } from 'undici';
import { cutText } from '../src/platform/domain/foreign-text';
import type { Logger } from '../src/platform/logging/logging';
import type { Pace } from './pace';

export interface PresslineResponse {
  readonly status: number;
  /** The parsed JSON, or the text when the body is not JSON. */
  readonly body: unknown;
}

export interface Download {
  readonly status: number;
  readonly contentType: string;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
  /** The first bytes, from which `formatOf` tells PDF, PNG and JPEG apart. */
  readonly head: Buffer;
}

export interface Call {
  readonly method: 'GET' | 'POST';
  /** Path under Pressline's address. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>);
  readonly body?: string;
  /** Returns true for a response that calls for a retry, besides 408, 425, 429 and 5xx. Called after every attempt. */
  readonly retryOn?: (response: PresslineResponse) => boolean;
}

/** Calls from the sandbox to Pressline. Each call is retried until its response is final or the sandbox stops. */
export interface Outbound {
  send(call: Call): Promise<PresslineResponse>;
  /** Downloads a link completely and keeps its hash, size and first bytes. */
  download(url: string): Promise<Download>;
  close(): Promise<void>;
}

type Attempt<T> = { readonly result: T } | { readonly failure: string; readonly retryAfterMs?: number | undefined };

const RETRYABLE = new Set([408, 425, 429]);

function isRetryable(status: number): boolean {
  return RETRYABLE.has(status) || status >= 500;
}

const RESPONSE_TIMEOUT_MS = 30_000;

const MOST_REDIRECTS = 3;

/** Connections to one host. A partner's systems do not open hundreds. */
const CONNECTIONS = 16;

export function createOutbound(options: {
  presslineUrl: string;
  pace: Pace;
  signal: AbortSignal;
  log: Logger;
}): Outbound {
  const { presslineUrl, pace, signal, log } = options;
  const agent = new Agent({
    connections: CONNECTIONS,
    headersTimeout: RESPONSE_TIMEOUT_MS,
    bodyTimeout: RESPONSE_TIMEOUT_MS,
  });
  // With an S3 store, Pressline's links redirect to the store.
  const downloads = agent.compose(interceptors.redirect({ maxRedirections: MOST_REDIRECTS }));

  // A call is signed when a connection is free: a receiver refuses the timestamp of one that has waited for minutes.
  const limit = pLimit(CONNECTIONS);

  /** Repeats `attempt` until it returns a response. A broken connection counts as no response. */
  async function untilResponse<T>(what: string, attempt: () => Promise<Attempt<T>>): Promise<T> {
    for (let pause = pace.retry; ; pause = Math.min(pause * 2, pace.retryMost)) {
      const tried = await attempt().catch((error: unknown): Attempt<T> => {
        if (signal.aborted) throw error;
        return { failure: error instanceof Error ? error.message : String(error) };
      });
      if ('result' in tried) return tried.result;
      log.debug({ what, failure: tried.failure }, 'call failed; retrying');
      const jittered = pause * (0.75 + 0.5 * Math.random());
      await wait(Math.max(jittered, tried.retryAfterMs ?? 0), undefined, { signal });
    }
  }

  function retryAfterMs(headers: Dispatcher.ResponseData['headers']): number | undefined {
    const seconds = Number(headers['retry-after']);
    return Number.isFinite(seconds) ? Math.min(seconds, 60) * 1_000 : undefined;
  }

  return {
    send: (call) =>
      untilResponse(`${call.method} ${call.path}`, () =>
        limit(async () => {
          const headers = typeof call.headers === 'function' ? call.headers() : call.headers;
          const response = await request(`${presslineUrl}${call.path}`, {
            dispatcher: agent,
            method: call.method,
            headers: { ...headers, ...(call.body === undefined ? {} : { 'content-type': 'application/json' }) },
            ...(call.body === undefined ? {} : { body: call.body }),
            signal,
          });
          const text = await response.body.text();
          const result: PresslineResponse = { status: response.statusCode, body: parsed(text) };
          if (isRetryable(result.status) || call.retryOn?.(result)) {
            return {
              retryAfterMs: retryAfterMs(response.headers),
              failure: `responded with ${result.status} ${cutText(text, 200)}`,
            };
          }
          return { result };
        }),
      ),

    download: (url) =>
      untilResponse('download', async () => {
        const response = await request(url, { dispatcher: downloads, method: 'GET', signal });
        const hash = createHash('sha256');
        let bytes = 0;
        let head = Buffer.alloc(0);
        for await (const chunk of response.body as AsyncIterable<Buffer>) {
          if (head.length < 16) head = Buffer.concat([head, chunk.subarray(0, 16)]);
          bytes += chunk.length;
          hash.update(chunk);
        }
        if (isRetryable(response.statusCode)) {
          return {
            retryAfterMs: retryAfterMs(response.headers),
            failure: `responded with ${response.statusCode}`,
          };
        }
        const contentType = String(response.headers['content-type'] ?? '');
        return {
          result: { status: response.statusCode, contentType, bytes, sha256: hash.digest('hex'), head },
        };
      }),

    close: () => agent.destroy(),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
