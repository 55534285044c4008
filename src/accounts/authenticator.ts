import { equalBytes } from '../platform/ids';
import type { Sql } from '../platform/postgres';
import type { Account } from './account';
import { credentialHash, parseKeyHeader } from './api-key';

/**
 * How long a process trusts what it read of a key: revocation, rotation and expiry take effect in every
 * process within one second. At 1 s a busy client costs one look-up a second instead of one a request.
 */
export const KEY_CACHE_MS = 1_000;
/** Keys remembered at most; past this the oldest go, so that a flood of keys cannot grow the process. */
const KEY_CACHE_SIZE = 10_000;

/** Who calls, and how well they proved it. */
export interface Caller {
  readonly account: Account;
  /** Whether the secret came along (a wrong secret authenticates nobody). */
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
 * Authenticates keys against their hashes. The key is found by its SHA-256, which tells a timing observer
 * nothing about keys; the secret is compared in constant time.
 */
export function createAuthenticator(sql: Sql, now: () => number = Date.now): Authenticator {
  /** Look-ups rather than results, so that a burst after expiry reads a key once. */
  const known = new Map<string, { readonly until: number; readonly key: Promise<KnownKey | undefined> }>();

  function lookUp(apiKey: string): Promise<KnownKey | undefined> {
    const keyHash = credentialHash(apiKey);
    const name = keyHash.toString('base64');
    const cached = known.get(name);
    if (cached !== undefined && cached.until > now()) return cached.key;
    const key = readKey(sql, keyHash);
    known.delete(name);
    known.set(name, { until: now() + KEY_CACHE_MS, key });
    if (known.size > KEY_CACHE_SIZE) known.delete(known.keys().next().value!);
    // Neither a failed look-up nor an unknown key is kept: the next request asks again.
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
