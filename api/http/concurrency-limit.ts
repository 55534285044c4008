import { Refusal, type RefusalOptions } from '../../src/platform/errors';

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
