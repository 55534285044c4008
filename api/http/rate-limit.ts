import type { Response } from 'express';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import type { Config } from '../../src/platform/config';
import { Refusal } from '../../src/platform/errors';
import { sha256 } from '../../src/platform/ids';
import type { Sql } from '../../src/platform/postgres';

type LimiterConfig = Pick<Config, 'RATE_LIMIT' | 'RATE_LIMIT_STORE'>;
/** @param counted whose requests are counted: a key without its secret, the token of a session, or an address of a route */
export type RateLimiter = (res: Response, counted: string) => Promise<void>;

/** Returns the name under which requests are counted: a hash, because Postgres stores it. */
export function countedName(counted: string): string {
  return sha256(counted).toString('base64');
}

/**
 * Creates a limiter that counts requests per key and second: in this process, or in Postgres for all API processes
 * (RATE_LIMIT_STORE). While Postgres is unavailable, each process counts alone. Responses carry `RateLimit` and
 * `RateLimit-Policy` (IETF draft 8).
 * @returns a function that resolves within the rate and rejects with Refusal `RATE_LIMITED` (with `Retry-After`) beyond
 *   it; undefined when RATE_LIMIT is 0
 */
export function createRateLimiter(config: LimiterConfig, sql: Sql): RateLimiter | undefined {
  const { RATE_LIMIT: limit, RATE_LIMIT_STORE: store } = config;
  if (limit === 0) return undefined;
  return limiterOf(sql, { limit, seconds: 1, store, message: undefined });
}

/** What one address may send to routes without a key. */
export const ADDRESS_LIMITS = {
  webhook: { limit: 100, seconds: 1, message: 'Too many requests from this address.' },
  // A person makes a few attempts. Each costs statements, and some cost requests to the identity provider.
  sign_in: { limit: 60, seconds: 60, message: 'Too many attempts to sign in from this address.' },
} as const;
export type AddressLimit = keyof typeof ADDRESS_LIMITS;

/** Counts a request of an address. */
export type AddressLimiter = (
  res: Response,
  kind: AddressLimit,
  address: string | undefined,
) => Promise<void>;

/** Creates the limiter of routes without a key, which counts requests per address. Undefined when RATE_LIMIT is 0. */
export function createAddressLimiter(config: LimiterConfig, sql: Sql): AddressLimiter | undefined {
  const { RATE_LIMIT, RATE_LIMIT_STORE: store } = config;
  if (RATE_LIMIT === 0) return undefined;
  const limiters = {
    webhook: limiterOf(sql, { ...ADDRESS_LIMITS.webhook, store }),
    sign_in: limiterOf(sql, { ...ADDRESS_LIMITS.sign_in, store }),
  } satisfies Record<AddressLimit, RateLimiter>;
  return (res, kind, address) => limiters[kind](res, `${kind}:${address}`);
}

function limiterOf(
  sql: Sql,
  {
    limit,
    seconds,
    store,
    message,
  }: {
    readonly limit: number;
    readonly seconds: number;
    readonly store: Config['RATE_LIMIT_STORE'];
    readonly message: string | undefined;
  },
): RateLimiter {
  const memory = new RateLimiterMemory({ points: limit, duration: seconds });
  const limiter: RateLimiterAbstract =
    store === 'memory' ? memory : postgresLimiter(sql, { points: limit, duration: seconds }, memory);
  const policy = `"${limit}-in-${seconds}sec"`;
  return async (res, name) => {
    let refused = false;
    // The counts of a refusal are not always known: a key that is blocked in memory has consumed 0.
    const counted = await limiter.consume(countedName(name)).catch((error: unknown) => {
      if (!(error instanceof RateLimiterRes)) throw error;
      refused = true;
      return error;
    });
    const reset = Math.ceil(counted.msBeforeNext / 1_000);
    res.setHeader('RateLimit-Policy', `${policy}; q=${limit}; w=${seconds}`);
    res.setHeader('RateLimit', `${policy}; r=${counted.remainingPoints}; t=${reset}`);
    if (!refused) return;
    const retryAfter = Math.max(reset, 1);
    throw new Refusal('RATE_LIMITED', message === undefined ? { retryAfter } : { retryAfter, message });
  };
}

function postgresLimiter(
  sql: Sql,
  rate: { readonly points: number; readonly duration: number },
  insuranceLimiter: RateLimiterMemory,
): RateLimiterAbstract {
  // The library takes a client of the package `pg`, of which it uses this method.
  const query = async ({ text, values }: { text: string; values: (string | number | null)[] }) => {
    const rows = await sql.unsafe(text, values, { prepare: true });
    return { rows, rowCount: rows.count };
  };
  return new RateLimiterPostgres({
    storeClient: { query },
    storeType: 'client',
    tableName: 'request_rates',
    tableCreated: true,
    keyPrefix: '',
    ...rate,
    // A key beyond its rate is refused without another statement until its window has passed.
    inMemoryBlockOnConsumed: rate.points,
    insuranceLimiter,
  });
}
