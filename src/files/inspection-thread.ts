import { readFile } from 'node:fs/promises';
import { parentPort } from 'node:worker_threads';
import type { FileFacts, PrintFileType } from './domain/file-facts';
import { openImage } from './open-image';
import { openPdf } from './open-pdf';
import { UnreadableFile } from './opened-file';
import { type Preview, renderPreviews } from './previews';

/** One file to look at. */
export interface InspectionJob {
  readonly path: string;
  readonly mimeType: PrintFileType;
}

/**
 * What the thread says of its job, in this order: `begun`, `facts`, `previews`; the last two give way to `unreadable`,
 * or to `broken` for a bug.
 */
export type InspectionReport =
  | { readonly stage: 'begun' }
  | { readonly stage: 'facts'; readonly facts: FileFacts }
  | { readonly stage: 'previews'; readonly previews: readonly Preview[] }
  | { readonly stage: 'unreadable'; readonly reason: string }
  | { readonly stage: 'broken'; readonly reason: string };

const report = (message: InspectionReport) => parentPort!.postMessage(message);

async function inspect({ path, mimeType }: InspectionJob): Promise<void> {
  report({ stage: 'begun' });
  try {
    const bytes = await readFile(path);
    const file = mimeType === 'application/pdf' ? await openPdf(bytes) : openImage(bytes, mimeType);
    try {
      report({ stage: 'facts', facts: file.facts });
      report({ stage: 'previews', previews: await renderPreviews(file).catch(() => []) });
    } finally {
      file.close();
    }
  } catch (error) {
    if (error instanceof UnreadableFile) report({ stage: 'unreadable', reason: error.message });
    else
      report({
        stage: 'broken',
        reason: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
  }
}

// One job at a time: the sender waits for its end before it sends the next.
parentPort!.on('message', (job: InspectionJob) => void inspect(job));
