// Not piscina (5.3.2): it runs threads. A file that exhausts the memory, or crashes native code, ends all threads of a process.
import { availableParallelism, tmpdir } from 'node:os';
import type { FileFacts, FileProperties } from './facts';
import type { FileToInspect } from './inspection-entry';
import {
  type InspectionLimits,
  type InspectionProcess,
  type Measurement,
  type Rendering,
  startInspectionProcess,
} from './inspection-process';
import type { ImagePrint } from './opened-file';
import { createSharedWork } from './shared-work';

/**
 * Inspects files in processes with a timeout and a memory limit, so that complex or hostile files do not block or end
 * other work.
 */
export interface FileInspector {
  /**
   * @returns properties and previews, or why there are no properties
   * @throws Error when no process starts, and the reason of the signal
   */
  inspect(request: InspectionRequest): Promise<Inspection>;
  close(): Promise<void>;
}

export interface InspectionRequest extends FileToInspect {
  /** Files wait in turns of clients. */
  readonly client: string;
  /** Ends the process that has the file. */
  readonly signal?: AbortSignal | undefined;
  /** Content that was inspected before is not inspected again. */
  readonly sha256?: string | undefined;
  /** Returns how an image is printed, as its previews show it. */
  readonly print?: ((properties: FileProperties, facts: FileFacts) => ImagePrint | null) | undefined;
  /**
   * Called before a process gets the file. Stores that another inspection of the file starts, and returns the number of
   * inspections that have started. After MAX_INSPECTIONS the file is refused, also when each of them ended this process.
   */
  readonly countInspection?: (() => Promise<number>) | undefined;
}

/** The result of an inspection: properties, facts and previews of the file, or the reason why there are none. */
export type Inspection =
  | ({ readonly ok: true; readonly properties: FileProperties; readonly facts: FileFacts } & Omit<Rendering, 'isFinal'>)
  | Extract<Measurement, { ok: false }>;

export const MAX_INSPECTIONS = 5;

const LIMITS: InspectionLimits = {
  stepTimeoutMs: 30_000,
  // Posters of the sandbox take 50 to 250 ms.
  renderCpuMs: 5_000,
  // An image of 200 MB with 100 megapixels (400 MB); the process itself takes 190 MB. PDFs are not held.
  memoryBytes: 800 * 1024 * 1024,
  folder: tmpdir(),
};

const UNFINISHED: Measurement = {
  ok: false,
  code: 'file_unreadable',
  reason: `${MAX_INSPECTIONS} attempts to read it have failed`,
  isFinal: true,
};

/** Size limit of the cached previews. Those of one file have 20 to 200 kB. */
const CACHED_PREVIEWS = 32 * 1024 * 1024;
const CACHED_FACTS = 10_000;

/**
 * Inspects files in two parts: properties and facts, then previews. Each has slots of its own, so that no file waits for its
 * facts while others are rendered, and gives them to clients in turn.
 */
export function createFileInspector(options: Partial<InspectionLimits> = {}): FileInspector {
  const limits = { ...LIMITS, ...options };
  // Two at least: one client holds at most the half of them.
  const slots = Math.max(2, Math.min(4, availableParallelism()));
  const measured = createSharedWork<Measurement>(slots, CACHED_FACTS, () => 1);
  const rendered = createSharedWork<Rendering>(slots, CACHED_PREVIEWS, ({ previews }) =>
    previews.reduce((sum, { bytes }) => sum + bytes.length, 500),
  );
  const running = new Set<InspectionProcess>();
  const idle: InspectionProcess[] = [];
  let isClosed = false;

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
    if (isClosed) void inspector.end();
    else if (inspector.ended) {
      running.delete(inspector);
      // The next file, which may be another client's, does not wait for its start.
      void startNew().then(release, () => undefined);
    } else {
      inspector.rest();
      idle.push(inspector);
    }
  };

  /**
   * Runs a job in a process. Garbage of earlier files counts against the memory limit, and PDFium calls a file damaged when it
   * gets no memory: a bad result counts when a new process repeats it.
   */
  async function inProcess<T>(
    signal: AbortSignal | undefined,
    job: (inspector: InspectionProcess) => Promise<T>,
    isBad: (result: T) => boolean,
  ): Promise<T> {
    const used = takeIdle();
    let inspector = used ?? (await startNew());
    const abort = () => void inspector.end();
    signal?.addEventListener('abort', abort);
    try {
      signal?.throwIfAborted();
      let result = await job(inspector);
      if (used !== undefined && isBad(result) && !signal?.aborted) {
        await inspector.end();
        running.delete(inspector);
        inspector = await startNew();
        signal?.throwIfAborted();
        result = await job(inspector);
      }
      signal?.throwIfAborted();
      return result;
    } finally {
      signal?.removeEventListener('abort', abort);
      release(inspector);
    }
  }

  return {
    async inspect({ path, mimeType, client, signal, sha256, countInspection, print }) {
      const file = { path, mimeType };
      const asker = { client, signal, key: sha256 === undefined ? null : `${sha256} ${mimeType}` };
      const measurement = await measured(asker, async () => {
        if (countInspection !== undefined && (await countInspection()) > MAX_INSPECTIONS) return UNFINISHED;
        return await inProcess(
          signal,
          (inspector) => inspector.measure(file),
          ({ ok, isFinal }) => !ok && isFinal,
        );
      });
      if (!measurement.ok) return measurement;
      const { properties, facts } = measurement;
      const printed = print?.(properties, facts) ?? null;
      const key = asker.key && `${asker.key} ${JSON.stringify(printed)}`;
      const { previews, unrendered } = await rendered({ ...asker, key }, () =>
        inProcess(
          signal,
          (inspector) => inspector.render(file, printed),
          (result) => result.unrendered === 'failed',
        ),
      );
      return { ok: true, properties, facts, previews, unrendered };
    },
    async close() {
      isClosed = true;
      await Promise.all([...running].map((inspector) => inspector.end()));
    },
  };
}
