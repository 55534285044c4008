import type { Inspection } from './inspection';

/** Bytes of previews kept; those of one file are some 20 to 200 kB. */
const MOST_BYTES = 32 * 1024 * 1024;

/**
 * Inspections by content: a design is ordered again and again, and drawing it takes 50 to 250 ms of CPU each time.
 * Inspections under way are shared; the ones not asked for longest are dropped.
 */
export function createInspectionCache(mostBytes = MOST_BYTES) {
  const kept = new Map<string, Inspection>();
  const underWay = new Map<string, Promise<Inspection>>();
  let bytes = 0;

  const keep = (key: string, inspection: Inspection) => {
    kept.set(key, inspection);
    bytes += sizeOf(inspection);
    for (const [oldest, dropped] of kept) {
      if (bytes <= mostBytes) break;
      kept.delete(oldest);
      bytes -= sizeOf(dropped);
    }
  };

  return {
    /** @param key names the content and its type */
    async get(key: string, inspect: () => Promise<Inspection>): Promise<Inspection> {
      const found = kept.get(key);
      if (found !== undefined) {
        kept.delete(key);
        kept.set(key, found);
        return found;
      }
      const running = underWay.get(key);
      if (running !== undefined) return await running;
      const started = inspect().finally(() => underWay.delete(key));
      underWay.set(key, started);
      const inspection = await started;
      // What took too long to draw may succeed on a quieter day.
      if (inspection.ok && inspection.previews.length > 0) keep(key, inspection);
      return inspection;
    },
  };
}

function sizeOf(inspection: Inspection): number {
  return inspection.ok ? inspection.previews.reduce((sum, { bytes }) => sum + bytes.length, 500) : 0;
}
