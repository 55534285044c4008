import { LRUCache } from 'lru-cache';
import { equalBytes } from '../platform/ids';
import type { Queryable, Sql } from '../platform/postgres';
import type { Account } from './account';
import { credentialHash, parseKeyHeader } from './account';

/**
 * Lifetime of a cached key of a client or partner. Revocation, rotation and expiry take effect in every process within
 * one second; a busy client costs one query per second instead of one per request. Keys of operators are not cached, so
 * that a revocation takes effect with the next request.
 */
export const KEY_CACHE_MS = 1_000;
/** Largest number of cached keys. Beyond it the oldest are evicted, so that requests with many keys use bounded memory. */
const KEY_CACHE_SIZE = 10_000;
/** Precision of `last_used_at`. A busy key costs one update per minute and process. */
export const LAST_USED_PRECISION_MS = 60_000;

export interface Caller {
  readonly account: Account;
  readonly keyId: string;
  /** True when the request carried the secret. A wrong secret authenticates nobody. */
  readonly withSecret: boolean;
}

interface KnownKey {
  readonly account: Account;
  readonly keyId: string;
  readonly secretHash: Buffer;
  /** When `last_used_at` was stored, by the authenticator's clock. */
  lastUsedAt: number;
}

export interface Authenticator {
  /**
   * @param header the `X-API-KEY` header: `key` or `key:secret`
   * @returns undefined for a missing, unknown, expired or revoked key, for a wrong secret, and for a revoked account
   */
  authenticate(header: string | undefined): Promise<Caller | undefined>;
}

async function readKey(sql: Sql, keyHash: Buffer, now: () => number): Promise<KnownKey | undefined> {
  const [row] = await sql<(Account & { keyId: string; secretHash: Buffer; unusedMs: number })[]>`
    SELECT accounts.id, accounts.name, accounts.role, accounts.operator_role, api_keys.id AS key_id, api_keys.secret_hash,
      coalesce(extract(epoch FROM now() - api_keys.last_used_at) * 1000, ${LAST_USED_PRECISION_MS})::float8 AS unused_ms
    FROM api_keys JOIN accounts ON accounts.id = api_keys.account_id
    WHERE key_hash = ${keyHash} AND accounts.revoked_at IS NULL
      AND api_keys.revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`;
  if (row === undefined) return undefined;
  const { keyId, secretHash, unusedMs, ...account } = row;
  return { account, keyId, secretHash, lastUsedAt: now() - unusedMs };
}

/** Returns the account that a key belongs to, or belonged to before it ended. The secret is not compared. */
export async function accountOfKey(sql: Queryable, header: string): Promise<Account | undefined> {
  const presented = parseKeyHeader(header);
  if (presented === undefined) return undefined;
  const [account] = await sql<Account[]>`
    SELECT a.id, a.name, a.role, a.operator_role FROM api_keys k JOIN accounts a ON a.id = k.account_id
    WHERE k.key_hash = ${credentialHash(presented.apiKey)}`;
  return account;
}

/**
 * Creates an authenticator that compares hashes. The lookup uses the key's SHA-256, so its timing reveals nothing about
 * keys. The secret is compared in constant time.
 * @param now milliseconds of a clock that never steps back: the system's can, and a revoked key would work until it is ahead again
 */
export function createAuthenticator(sql: Sql, now: () => number = () => performance.now()): Authenticator {
  /** Holds promises rather than results, so that concurrent requests share one query. */
  const known = new LRUCache<string, Promise<KnownKey | undefined>>({
    max: KEY_CACHE_SIZE,
    ttl: KEY_CACHE_MS,
    ttlResolution: 0,
    perf: { now },
  });

  function lookUp(apiKey: string): Promise<KnownKey | undefined> {
    const keyHash = credentialHash(apiKey);
    const name = keyHash.toString('base64');
    const cached = known.get(name);
    if (cached !== undefined) return cached;
    const key = readKey(sql, keyHash, now);
    known.set(name, key);
    // Failed queries, unknown keys and keys of operators are not cached: the next request queries again.
    key.then(
      (found) => (found === undefined || found.account.role === 'operator') && known.delete(name),
      () => known.delete(name),
    );
    return key;
  }

  /** Records the use of a key in steps of `LAST_USED_PRECISION_MS`. */
  async function noteUse(key: KnownKey): Promise<void> {
    const at = now();
    if (at - key.lastUsedAt < LAST_USED_PRECISION_MS) return;
    key.lastUsedAt = at;
    await sql`
      UPDATE api_keys SET last_used_at = now(), first_used_at = coalesce(first_used_at, now())
      WHERE id = ${key.keyId} AND (last_used_at IS NULL OR last_used_at < now() - ${LAST_USED_PRECISION_MS} * interval '1 ms')`;
  }

  return {
    async authenticate(header) {
      const presented = parseKeyHeader(header);
      if (presented === undefined) return undefined;
      const key = await lookUp(presented.apiKey);
      if (key === undefined) return undefined;
      const withSecret = presented.apiSecret !== undefined;
      if (withSecret && !equalBytes(credentialHash(presented.apiSecret), key.secretHash)) return undefined;
      await noteUse(key);
      return { account: key.account, keyId: key.keyId, withSecret };
    },
  };
}
