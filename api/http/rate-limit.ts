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
/** @param counted whose requests are counted: a key without its secret, the token of a session, or an address */
export type RateLimiter = (res: Response, counted: string) => Promise<void>;

const WINDOW_SECONDS = 1;

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
  return limiterOf(sql, { limit, store, message: undefined });
}

/** Requests without a key that one address may send in a second. */
export const ADDRESS_LIMIT = 100;

/** Creates a limiter that counts requests per address and second, for routes without a key. Undefined when RATE_LIMIT is 0. */
export function createAddressLimiter(config: LimiterConfig, sql: Sql): RateLimiter | undefined {
  if (config.RATE_LIMIT === 0) return undefined;
  return limiterOf(sql, {
    limit: ADDRESS_LIMIT,
    store: config.RATE_LIMIT_STORE,
    message: 'Too many requests from this address.',
  });
}

function limiterOf(
  sql: Sql,
  {
    limit,
    store,
    message,
  }: {
    readonly limit: number;
    readonly store: Config['RATE_LIMIT_STORE'];
    readonly message: string | undefined;
  },
): RateLimiter {
  const memory = new RateLimiterMemory({ points: limit, duration: WINDOW_SECONDS });
  const limiter: RateLimiterAbstract = store === 'memory' ? memory : postgresLimiter(sql, limit, memory);
  const policy = `"${limit}-in-${WINDOW_SECONDS}sec"`;
  return async (res, name) => {
    const counted = await limiter.consume(countedName(name)).catch((error: unknown) => {
      if (error instanceof RateLimiterRes) return error;
      throw error;
    });
    const reset = Math.ceil(counted.msBeforeNext / 1_000);
    res.setHeader('RateLimit-Policy', `${policy}; q=${limit}; w=${WINDOW_SECONDS}`);
    res.setHeader('RateLimit', `${policy}; r=${counted.remainingPoints}; t=${reset}`);
    if (counted.consumedPoints <= limit) return;
    const retryAfter = Math.max(reset, 1);
    throw new Refusal('RATE_LIMITED', message === undefined ? { retryAfter } : { retryAfter, message });
  };
}

function postgresLimiter(sql: Sql, points: number, insuranceLimiter: RateLimiterMemory): RateLimiterAbstract {
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
    points,
    duration: WINDOW_SECONDS,
    // A key beyond its rate is refused without another statement until its second has passed.
    inMemoryBlockOnConsumed: points,
    insuranceLimiter,
  });
}
