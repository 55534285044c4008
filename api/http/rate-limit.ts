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

/**
 * Counts a request.
 * @param name the `countedName` of its credential
 * @throws Refusal `RATE_LIMITED` (with `Retry-After`) beyond the rate
 */
export type RateLimiter = (res: Response, name: string) => Promise<void>;

/**
 * Returns the name under which requests with a credential are counted: a hash, because Postgres stores it.
 * @param credential a key without its secret, or the token of a session
 */
export function countedName(credential: string): string {
  return sha256(credential).toString('base64');
}

/**
 * Creates a limiter that counts requests in this process, or in Postgres for all API processes (RATE_LIMIT_STORE). While Postgres
 * is unavailable, each process counts alone. Responses carry `RateLimit` and `RateLimit-Policy` (IETF draft 8).
 *
 * rate-limiter-flexible counts. express-rate-limit, which also writes the headers, has no store for this Postgres driver and
 * none that falls back to memory.
 * @returns undefined when RATE_LIMIT is 0
 */
export function createRateLimiter(
  { RATE_LIMIT, RATE_LIMIT_STORE: store }: Pick<Config, 'RATE_LIMIT' | 'RATE_LIMIT_STORE'>,
  sql: Sql,
): RateLimiter | undefined {
  if (RATE_LIMIT === 0) return undefined;
  const memory = new RateLimiterMemory({ points: RATE_LIMIT, duration: 1 });
  const limiter = store === 'memory' ? memory : postgresLimiter(sql, memory);
  const policy = `"${RATE_LIMIT}-in-1sec"`;
  return async (res, name) => {
    let refused = false;
    // The counts of a refusal are not always known: a key that is blocked in memory has consumed 0.
    const counted = await limiter.consume(name).catch((error: unknown) => {
      if (!(error instanceof RateLimiterRes)) throw error;
      refused = true;
      return error;
    });
    const reset = Math.ceil(counted.msBeforeNext / 1_000);
    res.setHeader('RateLimit-Policy', `${policy}; q=${RATE_LIMIT}; w=1`);
    res.setHeader('RateLimit', `${policy}; r=${counted.remainingPoints}; t=${reset}`);
    if (!refused) return;
    throw new Refusal('RATE_LIMITED', { retryAfter: Math.max(reset, 1) });
  };
}

/** @param memory counts while Postgres is unavailable, with the same rate */
function postgresLimiter(sql: Sql, memory: RateLimiterMemory): RateLimiterAbstract {
  const { points, duration } = memory;
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
    duration,
    // A key beyond its rate is refused without another statement until its window has passed.
    inMemoryBlockOnConsumed: points,
    insuranceLimiter: memory,
  });
}
