import { Refusal } from '../../src/platform/errors';
import { countedName } from './rate-limit';

/** Counts a request until the returned function is called. @throws Refusal `RATE_LIMITED` beyond the limit */
export type ConcurrencyLimiter = (credential: string) => () => void;

/**
 * Creates a limiter of the requests of one key that this process handles at once.
 * @param limit CONCURRENT_REQUESTS; 0 disables the limit
 */
export function createConcurrencyLimiter(limit: number): ConcurrencyLimiter | undefined {
  if (limit === 0) return undefined;
  const handled = new Map<string, number>();
  return (credential) => {
    const key = countedName(credential);
    const before = handled.get(key) ?? 0;
    if (before >= limit) {
      throw new Refusal('RATE_LIMITED', {
        message: `No more than ${limit} requests of one API key are handled at once.`,
        retryAfter: 1,
      });
    }
    handled.set(key, before + 1);
    return () => {
      const left = handled.get(key)! - 1;
      if (left === 0) handled.delete(key);
      else handled.set(key, left);
    };
  };
}
