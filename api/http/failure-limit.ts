import { LRUCache } from 'lru-cache';
import { Refusal } from '../../src/platform/errors';

/** Failures that one name may have in a time. */
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
  // A person makes a few attempts.
  sign_in: { limit: 60, seconds: 60, message: 'Too many failed attempts to sign in.' },
} as const;

/**
 * Most names that are counted at once. Beyond it the oldest are forgotten. Given as a size, because a cache with `max` takes
 * the memory of all of them when it is made.
 */
export const MOST_NAMES = { maxSize: 100_000, sizeCalculation: () => 1 };

/** Counts failures by name, such as an address, in the memory of this process. */
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
