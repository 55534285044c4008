import { readFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import type { FileFacts, FileProperties } from './facts';
import { PREVIEW_SIZES, type PreviewType, type PrintFileType } from './file-types';
import { openImage } from './open-image';
import { openPdf } from './open-pdf';
import { drawnOn, type ImagePrint, type OpenedFile, UnreadableFile } from './opened-file';

/** The code of an inspection process. It opens files of clients, so it has limits and gets no secrets (`inspection-process.ts`). */

/** A file to inspect. */
export interface FileToInspect {
  readonly path: string;
  readonly mimeType: PrintFileType;
}

/** One part of an inspection: the properties and facts of a file, or its previews. */
export type InspectionJob = FileToInspect &
  (
    | { readonly part: 'facts' }
    /** After this CPU time the process ends itself with SIGVTALRM, the signal of a timer of CPU time. */
    | { readonly part: 'previews'; readonly cpuMs: number; readonly print: ImagePrint | null }
  );

/**
 * Messages of the process: `ready` once, then for each job `properties` and `facts`, or `previews`. Instead of one of these, a
 * job can end with `unreadable`, or with `failed` after a bug.
 */
export type InspectionReport =
  | { readonly kind: 'ready' }
  | { readonly kind: 'properties'; readonly properties: FileProperties }
  | { readonly kind: 'facts'; readonly facts: FileFacts }
  | { readonly kind: 'previews'; readonly previews: readonly Preview[] }
  | { readonly kind: 'unreadable'; readonly code: UnreadableFile['code']; readonly reason: string }
  | { readonly kind: 'failed'; readonly error: string };

const report = (message: InspectionReport) => process.send!(message);

async function inspect({ path, mimeType, ...job }: InspectionJob): Promise<void> {
  try {
    const file = mimeType === 'application/pdf' ? await openPdf(path) : openImage(await readFile(path), mimeType);
    try {
      if (job.part === 'previews') {
        limitCpu(job.cpuMs);
        report({ kind: 'previews', previews: await renderPreviews(file, job.print) });
      } else {
        await file.decode();
        report({ kind: 'properties', properties: file.properties });
        report({ kind: 'facts', facts: await file.measure() });
      }
    } finally {
      limitCpu(Number.POSITIVE_INFINITY);
      file.close();
    }
  } catch (error) {
    if (error instanceof UnreadableFile) report({ kind: 'unreadable', code: error.code, reason: error.message });
    else
      report({
        kind: 'failed',
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
  }
}

export interface Preview {
  readonly type: PreviewType;
  readonly contentType: 'image/png' | 'image/jpeg';
  readonly bytes: Uint8Array;
}

const JPEG_QUALITY = 82;
const sizes = (Object.entries(PREVIEW_SIZES) as [PreviewType, number][]).sort(([, a], [, b]) => b - a);

/**
 * Renders the file at the largest preview size and scales it down to the others.
 * Returns an empty list when the file is too large to render.
 */
export async function renderPreviews(file: OpenedFile, print: ImagePrint | null): Promise<Preview[]> {
  const largest = await file.render(sizes[0]![1], print);
  if (largest === null) return [];
  const { opaque } = largest;
  let canvas = largest.canvas;
  return sizes.map(([type, longestSide]) => {
    const scale = longestSide / Math.max(canvas.width, canvas.height);
    if (scale < 1) canvas = drawnOn({ width: canvas.width * scale, height: canvas.height * scale }, canvas);
    // Only transparent previews are PNG, because its encoding takes several times as long.
    return opaque
      ? { type, contentType: 'image/jpeg', bytes: canvas.toBuffer('image/jpeg', JPEG_QUALITY) }
      : { type, contentType: 'image/png', bytes: canvas.toBuffer('image/png') };
  });
}

/**
 * A thread that ends the process when it uses too much memory or CPU time, or when its parent has ended. It also runs while the
 * main thread is busy in native code. CPU time, not time: a busy machine must not make a file slow.
 */
const GUARD = `
const { parentPort, workerData } = require('node:worker_threads');
let cpuLimit = Infinity;
parentPort.on('message', (limit) => { cpuLimit = limit; });
setInterval(() => {
  if (process.ppid !== workerData.parent || process.memoryUsage.rss() > workerData.memoryBytes)
    process.kill(process.pid, 'SIGKILL');
  const { user, system } = process.cpuUsage();
  if (user + system > cpuLimit) process.kill(process.pid, 'SIGVTALRM');
}, 100);`;

const guard = new Worker(GUARD, {
  eval: true,
  // Without limits, the thread maps 300 MB that count against the limit of the process.
  resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4, codeRangeSizeMb: 4 },
  workerData: {
    parent: Number(process.env.INSPECTION_PARENT),
    memoryBytes: Number(process.env.INSPECTION_MEMORY_BYTES),
  },
});
guard.unref();

/** Ends the process when it uses more CPU time than this from now on. */
function limitCpu(ms: number): void {
  const { user, system } = process.cpuUsage();
  guard.postMessage(user + system + ms * 1_000);
}

process.on('disconnect', () => process.exit());
// One job at a time: the inspector waits for the end of a job before it sends the next one.
process.on('message', (job: InspectionJob) => void inspect(job));
report({ kind: 'ready' });
