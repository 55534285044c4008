import { randomToken, sha256 } from '../platform/ids';

/** A key and its secret as handed out, once; the database keeps their hashes only. */
export interface Credentials {
  readonly apiKey: string;
  readonly apiSecret: string;
}

/** What a caller presented in `X-API-KEY`. */
export interface PresentedKey {
  readonly apiKey: string;
  /** Undefined when the key came alone. */
  readonly apiSecret: string | undefined;
}

/** `plk_` and 192 random bits in base64url. The prefix lets secret scanners find a leaked key. */
const KEY_FORM = /^plk_[A-Za-z0-9_-]{32}$/;
/** `pls_` and 256 random bits in base64url. */
const SECRET_FORM = /^pls_[A-Za-z0-9_-]{43}$/;

export function newCredentials(): Credentials {
  return { apiKey: `plk_${randomToken(24)}`, apiSecret: `pls_${randomToken(32)}` };
}

/**
 * Reads an `X-API-KEY` header: `key`, or `key:secret`.
 * @returns undefined for text that no key of ours can be, so that it costs no look-up
 */
export function parseKeyHeader(header: string | undefined): PresentedKey | undefined {
  if (header === undefined || header.length > 100) return undefined;
  const [apiKey, apiSecret, ...rest] = header.trim().split(':');
  if (apiKey === undefined || rest.length > 0 || !KEY_FORM.test(apiKey)) return undefined;
  if (apiSecret !== undefined && !SECRET_FORM.test(apiSecret)) return undefined;
  return { apiKey, apiSecret };
}

/**
 * Keys and secrets are random and long, so a fast hash is as good as a slow one: there is nothing to guess.
 */
export function credentialHash(keyOrSecret: string): Buffer {
  return sha256(keyOrSecret);
}

/** Enough of a key to recognise it in a list, not enough to use it. */
export function keyHint(apiKey: string): string {
  return `${apiKey.slice(0, 8)}…${apiKey.slice(-4)}`;
}
