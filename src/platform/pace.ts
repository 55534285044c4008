import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';

/** Parts up to which work runs without pauses. */
const UNPACED_PARTS = 50;
/** Pause after a part, as a multiple of the CPU time that the process used meanwhile, and its limit. */
const PAUSE = 4;
const LONGEST_PAUSE_MS = 100;
/** Accounts whose pauses a process knows. */
const MOST_ACCOUNTS = 1_000;

type Pace = <T>(part: () => Promise<T>) => Promise<T>;

/**
 * Returns a function that runs the parts of long work one after the other. Those of work with many parts have pauses between them,
 * so that the other requests and tasks of the process go on: they wait at most for one part. A busy process pauses longer.
 * @param parts number of parts of the work
 */
export function createPace(parts: number): Pace {
  const turn = pLimit(1);
  let goesOnAt = 0;
  return (part) =>
    turn(async () => {
      const pauseMs = goesOnAt - performance.now();
      if (pauseMs > 0) await sleep(pauseMs);
      const before = process.cpuUsage();
      try {
        return await part();
      } finally {
        const { user, system } = process.cpuUsage(before);
        if (parts > UNPACED_PARTS)
          goesOnAt = performance.now() + Math.min(LONGEST_PAUSE_MS, (PAUSE * (user + system)) / 1_000);
      }
    });
}

/**
 * Returns a function that runs a long request as one part of the long work of its account: one at a time, with pauses between them.
 * Requests with few parts run at once.
 */
export function createAccountPaces(): <T>(accountId: string, parts: number, request: () => Promise<T>) => Promise<T> {
  const paces = new LRUCache<string, Pace>({ max: MOST_ACCOUNTS });
  return async (accountId, parts, request) => {
    if (parts <= UNPACED_PARTS) return await request();
    const pace = paces.get(accountId) ?? createPace(parts);
    paces.set(accountId, pace);
    return await pace(request);
  };
}
