import { Context } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { FileFaultCode } from '../src/files/domain/file-fault';
import { type FileDeps, type TakenFile, takeInFile } from '../src/files/take-in-file';

export interface PrintFileInput {
  readonly fileId: string;
  readonly url: string;
  readonly objectKey: string;
  readonly limitBytes: number;
  /** Pages that the product's page rule asks of a PDF. */
  readonly pageCount?: number;
}

export interface PackingSlipInput {
  readonly packingSlipId: string;
  readonly url: string;
  readonly objectKey: string;
  readonly limitBytes: number;
}

/** Details of a `FileRefused` or `FileUnreachable` failure. */
export interface FileFailure {
  readonly code: FileFaultCode;
  readonly fileId: string;
}

const HEARTBEAT_MS = 5_000;

/**
 * Activities over files that clients name. Lasting faults fail with the non-retryable type `FileRefused`, passing ones
 * with the retryable `FileUnreachable`; both carry `FileFailure` as details. Safe to repeat: a stored file is not
 * fetched again.
 */
export function createFileActivities(deps: FileDeps) {
  return {
    /** Fetches a print file into the store, with its facts and previews. */
    async fetchPrintFile({ fileId, ...wanted }: PrintFileInput): Promise<Omit<TakenFile, 'ok'>> {
      return await taken(deps, fileId, { ...wanted, withPreviews: true });
    },

    /** Fetches a packing slip, which must be a PDF, into the store. */
    async fetchPackingSlip({ packingSlipId, ...wanted }: PackingSlipInput): Promise<Omit<TakenFile, 'ok'>> {
      return await taken(deps, packingSlipId, {
        ...wanted,
        accept: ['application/pdf'],
        withPreviews: false,
      });
    },
  };
}

export type FileActivities = ReturnType<typeof createFileActivities>;

async function taken(
  deps: FileDeps,
  fileId: string,
  wanted: Parameters<typeof takeInFile>[1],
): Promise<Omit<TakenFile, 'ok'>> {
  const context = Context.current();
  let fetchedBytes = 0;
  const heartbeat = setInterval(() => context.heartbeat({ fetchedBytes }), HEARTBEAT_MS);
  try {
    const result = await takeInFile(deps, {
      ...wanted,
      signal: context.cancellationSignal,
      onProgress: (bytes) => {
        fetchedBytes = bytes;
      },
    });
    if (result.ok) {
      const { ok: _, ...file } = result;
      return file;
    }
    const details: FileFailure[] = [{ code: result.code, fileId }];
    throw ApplicationFailure.create({
      message: result.message,
      type: result.passing ? 'FileUnreachable' : 'FileRefused',
      nonRetryable: !result.passing,
      details,
      // A client's bad file is no fault of ours: it is not logged or counted as one.
      category: ApplicationFailureCategory.BENIGN,
      ...(result.retryAfterMs === undefined ? {} : { nextRetryDelay: result.retryAfterMs }),
    });
  } finally {
    clearInterval(heartbeat);
  }
}
