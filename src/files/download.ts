import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { fileTypeFromBuffer } from 'file-type';
import {
  isPassing,
  retryAfterMs,
  type SafeClient,
  type StreamedAnswer,
  TransferError,
} from '../platform/http/safe-client';
import { PRINT_FILE_TYPES, type PrintFileType } from './domain/file-facts';
import { type FileFault, type FileFaultCode, lastingFault, passingFault } from './domain/file-fault';

export interface Download {
  readonly url: string;
  /** Where the bytes go; the caller removes it. */
  readonly path: string;
  readonly limitBytes: number;
  readonly accept?: readonly PrintFileType[];
  readonly signal?: AbortSignal | undefined;
  /** Told the bytes so far. */
  readonly onProgress?: ((bytes: number) => void) | undefined;
}

export interface Downloaded {
  readonly ok: true;
  readonly mimeType: PrintFileType;
  readonly sizeBytes: number;
  /** Hex. */
  readonly sha256: string;
}

/** From the request to the last byte; 200 MB in it take no more than 3 Mbit/s. */
const DOWNLOAD_TIMEOUT_MS = 10 * 60_000;
const MAX_REDIRECTS = 3;
/** What file-type wants to see of a file. */
const HEAD_BYTES = 4100;

/** What a host's refusal means; other 4xx are `file_host_refused`. */
const FAULT_OF_STATUS: Readonly<Record<number, FileFaultCode>> = {
  401: 'file_access_denied',
  403: 'file_access_denied',
  404: 'file_not_found',
  410: 'file_not_found',
  451: 'file_access_denied',
};

const megabytes = (bytes: number) => `${Math.floor(bytes / 1_000_000)} MB`;

/**
 * Fetches a file to disk, chunk by chunk: the size is checked as it comes, the type by the first bytes and not by name
 * or header (DESIGN "Files"). Redirects are followed within one origin only.
 * @throws the signal's reason when the caller ends it
 */
export async function downloadFile(client: SafeClient, download: Download): Promise<Downloaded | FileFault> {
  const answer = await requestFile(client, download);
  if ('passing' in answer) return answer;
  const hash = createHash('sha256');
  const head: Buffer[] = [];
  let sizeBytes = 0;
  let mimeType: PrintFileType | undefined;
  let fault: FileFault | undefined;

  async function* checked(source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      if (mimeType === undefined) {
        head.push(chunk);
        if (sizeBytes + chunk.length >= HEAD_BYTES) {
          const sniffed = await sniff(head, download.accept);
          if (typeof sniffed !== 'string') {
            fault = sniffed;
            return;
          }
          mimeType = sniffed;
        }
      }
      sizeBytes += chunk.length;
      hash.update(chunk);
      download.onProgress?.(sizeBytes);
      yield chunk;
    }
  }
  try {
    await pipeline(answer.body, checked, createWriteStream(download.path));
  } catch (error) {
    download.signal?.throwIfAborted();
    if (!(error instanceof TransferError)) throw error;
    return error.kind === 'too-large' ? tooLarge(download) : passingFault(error.message);
  }
  if (fault !== undefined) return fault;
  if (sizeBytes === 0) return lastingFault('file_empty');
  const type = mimeType ?? (await sniff(head, download.accept));
  if (typeof type !== 'string') return type;
  return { ok: true, mimeType: type, sizeBytes, sha256: hash.digest('hex') };
}

const tooLarge = ({ limitBytes }: Download) =>
  lastingFault('file_too_large', `at most ${megabytes(limitBytes)}`);

async function requestFile(client: SafeClient, download: Download): Promise<StreamedAnswer | FileFault> {
  let url = download.url;
  for (let redirects = 0; ; redirects++) {
    const answer = await client.request({
      url,
      timeoutMs: DOWNLOAD_TIMEOUT_MS,
      limitBytes: download.limitBytes,
      ...(download.signal === undefined ? {} : { signal: download.signal }),
    });
    if (answer.ok) {
      if (answer.status < 300) return answer;
      answer.body.destroy();
      if (isPassing(answer))
        return passingFault(`its host answered ${answer.status}`, retryAfterMs(answer.headers));
      return lastingFault(
        FAULT_OF_STATUS[answer.status] ?? 'file_host_refused',
        `its host answered ${answer.status}`,
      );
    }
    switch (answer.kind) {
      case 'timeout':
      case 'connection':
        return passingFault(answer.message);
      case 'blocked':
        return lastingFault('file_host_blocked', answer.message);
      case 'invalid-url':
        return lastingFault('file_url_invalid', answer.message);
      case 'too-large':
        return tooLarge(download);
      case 'redirect': {
        const { location } = answer;
        const sameOrigin = location !== undefined && new URL(location).origin === new URL(url).origin;
        if (!sameOrigin || redirects === MAX_REDIRECTS)
          return lastingFault('file_redirected', answer.message);
        url = location;
      }
    }
  }
}

async function sniff(
  head: readonly Buffer[],
  accept: readonly PrintFileType[] = PRINT_FILE_TYPES,
): Promise<PrintFileType | FileFault> {
  const found = await fileTypeFromBuffer(Buffer.concat(head).subarray(0, HEAD_BYTES));
  const type = accept.find((accepted) => accepted === found?.mime);
  if (type !== undefined) return type;
  return lastingFault(
    'file_type_not_supported',
    `it is ${found?.mime ?? 'of no known type'}, not ${accept.join(' or ')}`,
  );
}
