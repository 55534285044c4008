import { LRUCache } from 'lru-cache';
import type { Inspection } from './inspection';

/** Size limit of the cached previews. Those of one file have 20 to 200 kB. */
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Caches inspections by content: designs are ordered repeatedly, and each rendering takes 50 to 250 ms of CPU time.
 * Concurrent requests for the same content share one inspection. Least recently used inspections are evicted.
 */
export function createInspectionCache(maxBytes = MAX_BYTES) {
  const cached = new LRUCache<string, Inspection>({ maxSize: maxBytes, sizeCalculation: sizeOf });
  const inFlight = new Map<string, Promise<Inspection>>();

  return {
    /** @param key identifies the content and its type */
    async get(key: string, inspect: () => Promise<Inspection>): Promise<Inspection> {
      const found = cached.get(key) ?? inFlight.get(key);
      if (found !== undefined) return await found;
      const started = inspect().finally(() => inFlight.delete(key));
      inFlight.set(key, started);
      const inspection = await started;
      // An inspection without previews is not cached: a rendering that took too long may succeed under less load.
      if (inspection.ok && inspection.previews.length > 0) cached.set(key, inspection);
      return inspection;
    },
  };
}

function sizeOf(inspection: Inspection): number {
  return inspection.ok ? inspection.previews.reduce((sum, { bytes }) => sum + bytes.length, 500) : 1;
}
