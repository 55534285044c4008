import type { Readable } from 'node:stream';
import type { HttpFault } from './http-fault';

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

/** Statuses below 500 that a retry may resolve. */
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
