import type { Readable } from 'node:stream';
import { cutText } from '../domain/foreign-text';

/**
 * Why a request has no response.
 * `invalid-url`, `blocked`: the URL is not allowed. `redirect`: the server redirects. `too-large`: the response exceeds the
 * limit. `timeout`, `connection`: transient.
 */
type FaultKind = 'invalid-url' | 'blocked' | 'redirect' | 'too-large' | 'timeout' | 'connection';

export interface HttpFault {
  readonly ok: false;
  readonly kind: FaultKind;
  /** A message for people. Names the host at most: the query of a URL may contain credentials. */
  readonly message: string;
  /** Absolute URL to which a redirect points. It is not followed. */
  readonly location?: string;
  /** Of `connection`: true when the server had accepted the connection, and ended it. */
  readonly isBroken?: true;
}

/** Characters of a fault's message. Host names are shorter. */
const MESSAGE_LENGTH = 500;

export const httpFault = (kind: FaultKind, message: string): HttpFault => ({
  ok: false,
  kind,
  message: cutText(message, MESSAGE_LENGTH),
});

/** The body of a response broke off, took too long or grew too large. */
export class TransferError extends Error {
  override readonly name = 'TransferError';
  constructor(
    readonly kind: Extract<FaultKind, 'timeout' | 'connection' | 'too-large'>,
    message: string,
  ) {
    super(message);
  }
}

export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
}

const TIMEOUT_CODES: ReadonlySet<unknown> = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

/** Codes of errors of a connection that had been opened. */
const BROKEN_CODES: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** Returns the fault of an error of the HTTP client, by the first known error among its causes. */
export function faultOf(error: unknown, host: string): HttpFault {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof TransferError) return httpFault(cause.kind, cause.message);
    if (cause instanceof BlockedAddressError) return httpFault('blocked', cause.message);
    if (TIMEOUT_CODES.has((cause as NodeJS.ErrnoException).code)) {
      return httpFault('timeout', `${host} did not respond in time`);
    }
    if (cause instanceof AggregateError && cause.errors.length > 0 && cause.cause === undefined) {
      return faultOf(cause.errors[0], host);
    }
  }
  const code = (error as NodeJS.ErrnoException).code;
  const suffix = typeof code === 'string' ? ` (${code})` : '';
  if (!BROKEN_CODES.has(code)) return httpFault('connection', `no connection to ${host}${suffix}`);
  return { ...httpFault('connection', `${host} ended the connection without a response${suffix}`), isBroken: true };
}

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** A response whose body is a stream. Read the body to its end or destroy it. It can fail with `TransferError`. */
export interface StreamedResponse {
  readonly ok: true;
  /** 2xx, 4xx or 5xx. */
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Readable;
}

/** A complete response. The text is truncated at the limit. */
export interface TextResponse extends Omit<StreamedResponse, 'body'> {
  readonly text: string;
  readonly truncated: boolean;
}

const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

/** Returns true when a retry may help: for 408, 425, 429 and 5xx, timeouts and broken connections. */
export function isTransient(result: { ok: true; status: number } | HttpFault): boolean {
  if (!result.ok) return result.kind === 'timeout' || result.kind === 'connection';
  return TRANSIENT_STATUSES.has(result.status) || result.status >= 500;
}

/**
 * Returns `Retry-After` in milliseconds from now, at most one day (RFC 9110 section 10.2.3: seconds or an HTTP date).
 * @returns undefined when the header is absent, invalid or in the past
 */
export function retryAfterMs(headers: ResponseHeaders, now = new Date()): number | undefined {
  const text = [headers['retry-after']].flat()[0]?.trim();
  if (text === undefined || text === '') return undefined;
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now.getTime();
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, 24 * 60 * 60 * 1000) : undefined;
}

/** Ends a body that nobody reads. Some streams emit an error then. Without a listener it would end the process. */
export function closeUnread(body: Readable): void {
  body.on('error', () => undefined).destroy();
}
