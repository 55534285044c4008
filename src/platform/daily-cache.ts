import { LRUCache } from 'lru-cache';
import type { Sql } from './postgres';

/** Milliseconds for which a process uses the data of a day that it has read. */
const FRESH_MS = 30_000;

/**
 * Caches data that applies from a day on, such as rates, for each database. Data that another process loads applies after
 * at most 30 s. The cache saves an SQL statement for each price of an order.
 * @param read reads the data of a day (YYYY-MM-DD)
 */
export function dailyCache<T extends object>(read: (sql: Sql, day: string) => Promise<T>) {
  const caches = new WeakMap<Sql, LRUCache<string, T>>();
  return {
    /** Returns the data of the day (UTC) of a time. */
    async at(sql: Sql, time: Date): Promise<T> {
      let cache = caches.get(sql);
      if (cache === undefined) {
        cache = new LRUCache<string, T>({ max: 100, ttl: FRESH_MS, fetchMethod: (day) => read(sql, day) });
        caches.set(sql, cache);
      }
      return await cache.forceFetch(time.toISOString().slice(0, 10));
    },
    /** Forgets what was read. Call it after loading data, so that it applies in this process immediately. */
    forget: (sql: Sql): boolean => caches.delete(sql),
  };
}
