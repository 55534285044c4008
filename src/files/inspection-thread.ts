import { readFile } from 'node:fs/promises';
import { parentPort } from 'node:worker_threads';
import type { FileFacts, PrintFileType } from './domain/file-facts';
import { openImage } from './open-image';
import { openPdf } from './open-pdf';
import { UnreadableFile } from './opened-file';
import { type Preview, renderPreviews } from './previews';

/** A file to inspect. */
export interface InspectionJob {
  readonly path: string;
  readonly mimeType: PrintFileType;
}

/**
 * Messages of the thread about its job, in this order: `started`, `facts`, `previews`. Instead of `facts` or `previews`, the
 * job can end with `unreadable`, or with `failed` after a bug.
 */
export type InspectionReport =
  | { readonly stage: 'started' }
  | { readonly stage: 'facts'; readonly facts: FileFacts }
  | { readonly stage: 'previews'; readonly previews: readonly Preview[] }
  | { readonly stage: 'unreadable'; readonly reason: string }
  | { readonly stage: 'failed'; readonly reason: string };

const report = (message: InspectionReport) => parentPort!.postMessage(message);

async function inspect({ path, mimeType }: InspectionJob): Promise<void> {
  report({ stage: 'started' });
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
        stage: 'failed',
        reason: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
  }
}

// One job at a time: the inspector waits for the end of a job before it sends the next one.
parentPort!.on('message', (job: InspectionJob) => void inspect(job));
