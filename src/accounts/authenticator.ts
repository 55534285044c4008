import { LRUCache } from 'lru-cache';
import { equalBytes } from '../platform/ids';
import type { Sql } from '../platform/postgres';
import type { Account } from './account';
import { credentialHash, parseKeyHeader } from './api-key';

/**
 * Lifetime of a cached key. Revocation, rotation and expiry take effect in every process within one second; a busy
 * client costs one query per second instead of one per request.
 */
export const KEY_CACHE_MS = 1_000;
/** Largest number of cached keys. Beyond it the oldest are evicted, so that requests with many keys use bounded memory. */
const KEY_CACHE_SIZE = 10_000;

/** An authenticated caller. */
export interface Caller {
  readonly account: Account;
  /** True when the request carried the secret. A wrong secret authenticates nobody. */
  readonly withSecret: boolean;
}

interface KnownKey {
  readonly account: Account;
  readonly secretHash: Buffer;
}

export interface Authenticator {
  /**
   * @param header the `X-API-KEY` header: `key` or `key:secret`
   * @returns undefined for a missing, unknown, expired or revoked key and for a wrong secret
   */
  authenticate(header: string | undefined): Promise<Caller | undefined>;
}

async function readKey(sql: Sql, keyHash: Buffer): Promise<KnownKey | undefined> {
  const [row] = await sql<{ id: string; name: string; role: Account['role']; secretHash: Buffer }[]>`
    SELECT accounts.id, accounts.name, accounts.role, api_keys.secret_hash
    FROM api_keys JOIN accounts ON accounts.id = api_keys.account_id
    WHERE key_hash = ${keyHash} AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`;
  return row && { account: { id: row.id, name: row.name, role: row.role }, secretHash: row.secretHash };
}

/**
 * Creates an authenticator that compares hashes. The lookup uses the key's SHA-256, so its timing reveals nothing about
 * keys. The secret is compared in constant time.
 */
export function createAuthenticator(sql: Sql, now: () => number = Date.now): Authenticator {
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
    const key = readKey(sql, keyHash);
    known.set(name, key);
    // Failed queries and unknown keys are not cached: the next request queries again.
    key.then(
      (found) => found === undefined && known.delete(name),
      () => known.delete(name),
    );
    return key;
  }

  return {
    async authenticate(header) {
      const presented = parseKeyHeader(header);
      if (presented === undefined) return undefined;
      const key = await lookUp(presented.apiKey);
      if (key === undefined) return undefined;
      if (presented.apiSecret === undefined) return { account: key.account, withSecret: false };
      if (!equalBytes(credentialHash(presented.apiSecret), key.secretHash)) return undefined;
      return { account: key.account, withSecret: true };
    },
  };
}
