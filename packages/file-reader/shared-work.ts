import { LRUCache } from 'lru-cache';
import { createTurns } from './turns';

/** Who asks for a result. */
export interface Asker {
  readonly client: string;
  /** Identifies the content. Null: the result is not shared. */
  readonly key: string | null;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns a function that runs work in turns of clients, or returns an earlier result for the same content: designs are
 * ordered repeatedly. Concurrent requests for the same content share one run. Final results are kept; the least recently used
 * are evicted.
 * @param maxSize of the kept results, in the unit of `sizeOf`
 */
export function createSharedWork<Result extends { readonly isFinal: boolean }>(
  slots: number,
  maxSize: number,
  sizeOf: (result: Result) => number,
) {
  const turns = createTurns(slots);
  const kept = new LRUCache<string, Result>({ maxSize, sizeCalculation: sizeOf });
  /** Null: the run has failed, and whoever waits for it runs again. */
  const running = new Map<string, Promise<Result | null>>();

  /** @throws what `work` throws, and the reason of the signal */
  return async ({ client, key, signal }: Asker, work: () => Promise<Result>): Promise<Result> => {
    const known = async () => (key === null ? null : (kept.get(key) ?? (await running.get(key)) ?? null));
    for (;;) {
      const before = await known();
      if (before !== null) return before;
      const giveBack = await turns.take(client, signal);
      try {
        if (key !== null && (kept.has(key) || running.has(key))) continue;
        const result = work();
        if (key === null) return await result;
        running.set(
          key,
          result.catch(() => null),
        );
        try {
          const ended = await result;
          if (ended.isFinal) kept.set(key, ended);
          return ended;
        } finally {
          running.delete(key);
        }
      } finally {
        giveBack();
      }
    }
  };
}
