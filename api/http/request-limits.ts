import type { Response } from 'express';
import { LRUCache } from 'lru-cache';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import type { Config } from '../../src/platform/config';
import { Refusal, type RefusalOptions } from '../../src/platform/errors';
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

/** Failures, and rare requests, that one name may have in a time. */
export const FAILURE_LIMITS = {
  /** Requests of an address with API keys or session cookies that nobody has. */
  credential: { limit: 600, seconds: 60, message: 'Too many requests with wrong keys from this address.' },
  /** Webhooks of an address without a valid signature. */
  webhook: { limit: 100, seconds: 1, message: 'Too many requests without a valid signature from this address.' },
  /** Looks at packages by their numbers, from one address. The links that we send have random ids and are not counted. */
  tracking_number: {
    limit: 100,
    seconds: 3_600,
    message: 'Too many tracking numbers from this address. Use the tracking link.',
  },
  /** Postbacks about one print order: one about each item of a print order of 500. Each is a step of the order's run. */
  postback: { limit: 600, seconds: 60, message: 'Too many postbacks about this print order within a minute.' },
  /** Dispatch requests about one print order: a partner asks every five seconds for documents that are being made. */
  dispatch: {
    limit: 1_000,
    seconds: 3_600,
    message: 'Too many dispatch requests for this print order within an hour.',
  },
  // A person makes a few attempts.
  sign_in: { limit: 60, seconds: 60, message: 'Too many failed attempts to sign in.' },
} as const;

/**
 * Most names that are counted at once. Beyond it the oldest are forgotten. Given as a size, because a cache with `max` takes
 * the memory of all of them when it is made.
 */
export const MOST_NAMES = { maxSize: 100_000, sizeCalculation: () => 1 };

/** Counts failures, or rare requests, by name, such as an address, in the memory of this process. */
export interface FailureLimiter {
  /** @throws Refusal `RATE_LIMITED` while the name has too many failures. Its time begins with the first of them */
  check(name: string): void;
  /** @returns the failures of the name, this one included */
  failed(name: string): number;
}

/** Creates a limiter. It counts in memory, so that a flood of wrong credentials writes nothing to Postgres. */
export function createFailureLimiter(kind: keyof typeof FAILURE_LIMITS): FailureLimiter {
  const { limit, seconds, message } = FAILURE_LIMITS[kind];
  const failures = new LRUCache<string, { count: number }>({ ...MOST_NAMES, ttl: seconds * 1_000, ttlResolution: 0 });
  return {
    check(name) {
      if ((failures.get(name)?.count ?? 0) < limit) return;
      const retryAfter = Math.max(Math.ceil(failures.getRemainingTTL(name) / 1_000), 1);
      throw new Refusal('RATE_LIMITED', { retryAfter, message });
    },
    failed(name) {
      const counted = failures.get(name) ?? { count: 0 };
      if (counted.count === 0) failures.set(name, counted);
      counted.count += 1;
      return counted.count;
    },
  };
}

/** Counts a request until the returned function is called. @throws Refusal `RATE_LIMITED` beyond the limit */
export type ConcurrencyLimiter = (credential: string) => () => void;

/**
 * Creates a limiter of what this process handles at once. A library that queues what is over its limit (p-limit) would let
 * one caller fill the memory, so it is refused.
 * @param limits `each`: of one key or session; `all`: of all callers
 */
export function createConcurrencyLimiter(
  limits: { readonly each: number; readonly all?: number },
  refusal: RefusalOptions,
): ConcurrencyLimiter {
  const { each, all = Infinity } = limits;
  const handled = new Map<string, number>();
  let total = 0;
  return (credential) => {
    const before = handled.get(credential) ?? 0;
    if (before >= each || total >= all) throw new Refusal('RATE_LIMITED', refusal);
    handled.set(credential, before + 1);
    total += 1;
    return () => {
      total -= 1;
      const left = handled.get(credential)! - 1;
      if (left === 0) handled.delete(credential);
      else handled.set(credential, left);
    };
  };
}
