import { isIP, type LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { Agent, buildConnector, errors, request as undiciRequest } from 'undici';
import { classifyAddress } from './addresses';
import { createDnsResolve, type Resolve, resolveLocally } from './resolve';

/**
 * Why a call brought no answer.
 * `invalid-url`, `blocked`: the address is not one we call; `redirect`: the receiver points elsewhere;
 * `too-large`: more than the limit; `timeout`, `connection`: may pass.
 */
export type FaultKind = 'invalid-url' | 'blocked' | 'redirect' | 'too-large' | 'timeout' | 'connection';

export interface HttpFault {
  readonly ok: false;
  readonly kind: FaultKind;
  /** For people; names the host at most, never the query of a URL (links carry credentials there). */
  readonly message: string;
  /** Where a redirect points: absolute, not followed. */
  readonly location?: string;
}

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** An answer whose head has come. The body must be read to its end or destroyed; it fails with `TransferError`. */
export interface StreamedAnswer {
  readonly ok: true;
  /** 2xx, 4xx or 5xx. */
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Readable;
}

/** A whole answer, its text cut off at the limit. */
export interface TextAnswer {
  readonly ok: true;
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly text: string;
  readonly truncated: boolean;
}

/** A body that broke off, took too long or grew too large after its head was fine. */
export class TransferError extends Error {
  override readonly name = 'TransferError';
  constructor(
    readonly kind: Extract<FaultKind, 'timeout' | 'connection' | 'too-large'>,
    message: string,
  ) {
    super(message);
  }
}

export interface OutboundRequest {
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Milliseconds from the call to the last byte of the body. */
  readonly timeoutMs: number;
  /** Most bytes of body taken. */
  readonly limitBytes: number;
  /** Ends the call early; the call then throws the signal's reason. */
  readonly signal?: AbortSignal;
}

export interface SafeClient {
  /** Sends one request and gives the answer's head and body stream; never follows a redirect. */
  request(outbound: OutboundRequest): Promise<StreamedAnswer | HttpFault>;
  /** As `request`, with the whole body read as UTF-8 and cut at `limitBytes`. */
  exchange(outbound: OutboundRequest): Promise<TextAnswer | HttpFault>;
  close(): Promise<void>;
}

export interface SafeClientOptions {
  /** Whether plain http and one's own network may be called; cloud metadata never is. */
  readonly allowPrivate: boolean;
  /** Name look-up; every address it answers is checked. By DNS, or the system's where private addresses are allowed. */
  readonly resolve?: Resolve;
  readonly userAgent?: string;
}

const CONNECT_TIMEOUT_MS = 10_000;
/** Longest silence within a body: a receiver that trickles is ended by the whole call's time-out. */
const IDLE_TIMEOUT_MS = 30_000;
const USER_AGENT = 'Pressline/1.0 (print fulfillment)';

class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
}

const fault = (kind: FaultKind, message: string): HttpFault => ({ ok: false, kind, message });

/**
 * The one way out over HTTP: print files, partners, notification endpoints (DESIGN "Files").
 * The address check sits in the connection's own look-up, so a name that answers differently a second time
 * gains nothing; pooled connections were checked when they were made.
 */
export function createSafeClient(options: SafeClientOptions): SafeClient {
  const { allowPrivate, userAgent = USER_AGENT } = options;
  const resolve = options.resolve ?? (allowPrivate ? resolveLocally : createDnsResolve());
  const permits = (address: string) => permitsAddress(address, allowPrivate);

  const lookup: LookupFunction = (hostname, lookupOptions, callback) => {
    resolve(hostname).then(
      (all) => {
        const permitted = all
          .filter(({ address }) => permits(address))
          .filter(({ family }) => !lookupOptions.family || family === lookupOptions.family);
        const first = permitted[0];
        if (first === undefined) {
          callback(new BlockedAddressError(`${hostname} leads to an address that is not called`), '', 0);
        } else if (lookupOptions.all) {
          callback(null, [...permitted]);
        } else {
          callback(null, first.address, first.family);
        }
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };

  const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS, lookup } as buildConnector.BuildOptions);
  const agent = new Agent({
    headersTimeout: 0,
    bodyTimeout: IDLE_TIMEOUT_MS,
    keepAliveTimeout: 10_000,
    connect: (target, callback) => {
      // A literal address never reaches the look-up.
      if (isIP(bareHost(target.hostname)) && !permits(bareHost(target.hostname))) {
        callback(new BlockedAddressError(`${target.hostname} is an address that is not called`), null);
        return;
      }
      connect(target, callback);
    },
  });

  const client: SafeClient = {
    async request(outbound) {
      outbound.signal?.throwIfAborted();
      const wrong = checkOutboundUrl(outbound.url, allowPrivate);
      if (wrong !== undefined) return wrong;
      const url = new URL(outbound.url);
      const deadline = new AbortController();
      const timer = setTimeout(
        () =>
          deadline.abort(
            new TransferError('timeout', `${url.host} took longer than ${outbound.timeoutMs} ms`),
          ),
        outbound.timeoutMs,
      );
      const signal =
        outbound.signal === undefined ? deadline.signal : AbortSignal.any([deadline.signal, outbound.signal]);
      try {
        const answer = await undiciRequest(url, {
          dispatcher: agent,
          method: outbound.method ?? 'GET',
          headers: {
            'user-agent': userAgent,
            accept: '*/*',
            'accept-encoding': 'identity',
            ...outbound.headers,
          },
          body: outbound.body ?? null,
          signal,
        });
        const refused = refuseHead(answer.statusCode, answer.headers, url, outbound.limitBytes);
        if (refused !== undefined) {
          clearTimeout(timer);
          answer.body.on('error', () => undefined).destroy();
          return refused;
        }
        const body = guardedBody(answer.body, url.host, outbound, deadline.signal);
        body.once('close', () => clearTimeout(timer));
        return { ok: true, status: answer.statusCode, headers: answer.headers, body };
      } catch (error) {
        clearTimeout(timer);
        outbound.signal?.throwIfAborted();
        return asFault(error, url.host);
      }
    },

    async exchange(outbound) {
      // One byte more than wanted tells a cut text from a whole one; a longer body is dropped, not an error.
      const answer = await client.request({ ...outbound, limitBytes: Number.MAX_SAFE_INTEGER });
      if (!answer.ok) return answer;
      const chunks: Buffer[] = [];
      let size = 0;
      try {
        for await (const chunk of answer.body as AsyncIterable<Buffer>) {
          chunks.push(chunk);
          size += chunk.length;
          if (size > outbound.limitBytes) break;
        }
      } catch (error) {
        outbound.signal?.throwIfAborted();
        return asFault(error, new URL(outbound.url).host);
      }
      return {
        ok: true,
        status: answer.status,
        headers: answer.headers,
        text: Buffer.concat(chunks).subarray(0, outbound.limitBytes).toString('utf8'),
        truncated: size > outbound.limitBytes,
      };
    },

    async close() {
      await agent.destroy();
    },
  };
  return client;
}

/**
 * What is wrong with a URL as it is written; a name is resolved only by the call itself.
 * @param allowPrivate whether plain http and one's own network may be called
 */
export function checkOutboundUrl(text: string, allowPrivate: boolean): HttpFault | undefined {
  if (!URL.canParse(text)) return fault('invalid-url', 'the address is not a valid URL');
  // Decimal, octal and hexadecimal spellings of IPv4 come out of the parser as dotted quads.
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && allowPrivate)) {
    return fault('invalid-url', `the address must start with https://, not ${url.protocol}//`);
  }
  if (url.username !== '' || url.password !== '') {
    return fault('invalid-url', 'the address must not hold a user name or password');
  }
  const host = bareHost(url.hostname);
  if (isIP(host) && !permitsAddress(host, allowPrivate)) {
    return fault('blocked', `${host} is an address that is not called`);
  }
  return undefined;
}

function permitsAddress(address: string, allowPrivate: boolean): boolean {
  const kind = classifyAddress(address);
  return kind === 'public' || (kind === 'private' && allowPrivate);
}

/** `[::1]` as `::1`. */
function bareHost(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

function refuseHead(
  status: number,
  headers: ResponseHeaders,
  url: URL,
  limitBytes: number,
): HttpFault | undefined {
  if (status >= 300 && status < 400) {
    const location = [headers.location].flat()[0];
    const redirect = fault('redirect', `${url.host} answered with a redirect (${status})`);
    return location !== undefined && URL.canParse(location, url.href)
      ? { ...redirect, location: new URL(location, url).href }
      : redirect;
  }
  if (Number(headers['content-length'] ?? 0) > limitBytes) {
    return fault('too-large', `${url.host} offers more than ${limitBytes} bytes`);
  }
  return undefined;
}

/** The body with its size counted; fails with `TransferError`, or with the caller's abort reason. */
function guardedBody(
  source: Readable,
  host: string,
  outbound: OutboundRequest,
  deadline: AbortSignal,
): Readable {
  async function* chunks() {
    let size = 0;
    try {
      for await (const chunk of source as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > outbound.limitBytes) {
          throw new TransferError('too-large', `${host} sent more than ${outbound.limitBytes} bytes`);
        }
        yield chunk;
      }
    } catch (error) {
      outbound.signal?.throwIfAborted();
      deadline.throwIfAborted();
      const { kind, message } = asFault(error, host);
      throw new TransferError(kind === 'timeout' || kind === 'too-large' ? kind : 'connection', message);
    }
  }
  // An abort may come while nobody reads; the reader hears of it with its next read.
  source.on('error', () => undefined);
  const body = Readable.from(chunks(), { objectMode: false });
  body.once('close', () => source.destroy());
  return body;
}

function asFault(error: unknown, host: string): HttpFault {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof TransferError) return fault(cause.kind, cause.message);
    if (cause instanceof BlockedAddressError) return fault('blocked', cause.message);
    if (
      cause instanceof errors.ConnectTimeoutError ||
      cause instanceof errors.HeadersTimeoutError ||
      cause instanceof errors.BodyTimeoutError
    ) {
      return fault('timeout', `${host} did not answer in time`);
    }
    if (cause instanceof AggregateError && cause.errors.length > 0 && cause.cause === undefined) {
      return asFault(cause.errors[0], host);
    }
  }
  const code = (error as NodeJS.ErrnoException).code;
  return fault('connection', `no connection to ${host}${typeof code === 'string' ? ` (${code})` : ''}`);
}

/** Answers that may be different next time: 408, 425, 429 and 5xx. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

/** Whether trying again later can help: passing statuses, time-outs and broken connections. */
export function isPassing(result: { ok: true; status: number } | HttpFault): boolean {
  if (!result.ok) return result.kind === 'timeout' || result.kind === 'connection';
  return PASSING_STATUSES.has(result.status) || result.status >= 500;
}

/**
 * `Retry-After` as milliseconds from now (RFC 9110 section 10.2.3: seconds or an HTTP date), at most a day.
 * @returns undefined when absent, unreadable or past
 */
export function retryAfterMs(headers: ResponseHeaders, now = new Date()): number | undefined {
  const text = [headers['retry-after']].flat()[0]?.trim();
  if (text === undefined || text === '') return undefined;
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now.getTime();
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, 24 * 60 * 60 * 1000) : undefined;
}
