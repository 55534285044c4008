// Not piscina (5.3.2): it runs threads. A file that exhausts the memory, or crashes native code, ends all threads of a process.
import { availableParallelism, tmpdir } from 'node:os';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import type { InspectionJob } from './inspection-entry';
import {
  type Inspection,
  type InspectionLimits,
  type InspectionProcess,
  startInspectionProcess,
} from './inspection-process';

/**
 * Inspects files in processes with a timeout and a memory limit, so that complex or hostile files do not block or end
 * other work.
 */
export interface FileInspector {
  /**
   * @returns properties and previews (none when rendering takes too much time or memory), or why there are no properties
   * @throws Error when no process starts
   */
  inspect(job: InspectionRequest): Promise<Inspection>;
  close(): Promise<void>;
}

export interface InspectionRequest extends InspectionJob {
  /** Content that was inspected before is not inspected again. */
  readonly sha256?: string | undefined;
  /**
   * Called before a process gets the file. Stores that another inspection of the file starts, and returns the number of
   * inspections that have started. After MAX_INSPECTIONS the file is refused, also when each of them ended this process.
   */
  readonly countInspection?: (() => Promise<number>) | undefined;
}

export const MAX_INSPECTIONS = 5;

const LIMITS: InspectionLimits = {
  stepTimeoutMs: 30_000,
  // An image of 200 MB with 100 megapixels (400 MB); the process itself takes 190 MB. PDFs are not held.
  memoryBytes: 800 * 1024 * 1024,
  folder: tmpdir(),
};

const UNFINISHED: Inspection = {
  ok: false,
  code: 'file_unreadable',
  reason: `${MAX_INSPECTIONS} attempts to read it have failed`,
  isFinal: true,
};

/** Inspects at most four files at a time, and one less than there are processors, in the order of the requests. */
export function createFileInspector(options: Partial<InspectionLimits> = {}): FileInspector {
  const limits = { ...LIMITS, ...options };
  const limit = pLimit(Math.max(1, Math.min(4, availableParallelism() - 1)));
  const running = new Set<InspectionProcess>();
  const idle: InspectionProcess[] = [];
  const cached = createInspectionCache();

  const startNew = async (): Promise<InspectionProcess> => {
    const started = await startInspectionProcess(limits);
    running.add(started);
    return started;
  };
  const takeIdle = (): InspectionProcess | undefined => {
    for (let candidate = idle.pop(); candidate !== undefined; candidate = idle.pop()) {
      if (!candidate.ended) return candidate;
      running.delete(candidate);
    }
    return undefined;
  };
  const release = (inspector: InspectionProcess): void => {
    if (inspector.ended) running.delete(inspector);
    else {
      inspector.rest();
      idle.push(inspector);
    }
  };

  const inspectNow = async ({ path, mimeType, countInspection }: InspectionRequest): Promise<Inspection> => {
    const used = takeIdle();
    let inspector = used ?? (await startNew());
    try {
      if (countInspection !== undefined && (await countInspection()) > MAX_INSPECTIONS) return UNFINISHED;
      const inspection = await inspector.inspect({ path, mimeType });
      if (inspection.ok || !inspection.isFinal || used === undefined) return inspection;
      // Garbage of earlier files counts against the memory limit, and PDFium calls a file damaged when it gets no memory: a
      // refusal counts when a new process repeats it.
      await inspector.end();
      release(inspector);
      inspector = await startNew();
      return await inspector.inspect({ path, mimeType });
    } finally {
      release(inspector);
    }
  };

  return {
    async inspect(job) {
      const inspect = () => limit(() => inspectNow(job));
      return job.sha256 === undefined ? await inspect() : await cached(`${job.sha256} ${job.mimeType}`, inspect);
    },
    async close() {
      await Promise.all([...running].map((inspector) => inspector.end()));
    },
  };
}

/** Size limit of the cached previews. Those of one file have 20 to 200 kB. */
const MAX_CACHED_BYTES = 32 * 1024 * 1024;

/**
 * Returns a function that inspects, or returns an earlier inspection of the same content: designs are ordered repeatedly, and
 * each rendering takes 50 to 250 ms of CPU time. Concurrent requests for the same content share one inspection. Least
 * recently used inspections are evicted.
 */
export function createInspectionCache(maxBytes = MAX_CACHED_BYTES) {
  const kept = new LRUCache<string, Inspection>({
    maxSize: maxBytes,
    sizeCalculation: (inspection) =>
      inspection.ok ? inspection.previews.reduce((sum, { bytes }) => sum + bytes.length, 500) : 1,
  });
  const inFlight = new Map<string, Promise<Inspection>>();

  /** @param key identifies the content and its type */
  return async (key: string, inspect: () => Promise<Inspection>): Promise<Inspection> => {
    const found = kept.get(key) ?? inFlight.get(key);
    if (found !== undefined) return await found;
    const started = inspect().finally(() => inFlight.delete(key));
    inFlight.set(key, started);
    const inspection = await started;
    // An inspection without previews is not kept: a rendering that took too long may succeed under less load.
    if (inspection.ok && inspection.previews.length > 0) kept.set(key, inspection);
    return inspection;
  };
}
