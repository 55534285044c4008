import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { fileTypeFromBuffer } from 'file-type';
import { PRINT_FILE_TYPES, type PrintFileType, pdfHeaderAt } from '../../packages/file-reader/file-types';
import { isTransient, retryAfterMs, type StreamedResponse, TransferError } from '../platform/http/responses';
import type { SafeClient } from '../platform/http/safe-client';
import { type FileFault, type FileFaultCode, permanentFault, transientFault } from './domain/file-fault';

export interface Download {
  readonly url: string;
  /** Path of the file to write. The caller removes it. */
  readonly path: string;
  readonly limitBytes: number;
  /** Called with the number of bytes of each chunk, before they are written. */
  readonly onBytes: (bytes: number) => void;
  readonly accept?: readonly PrintFileType[];
  readonly signal?: AbortSignal | undefined;
  /** From the request to the last byte, in milliseconds, when it is less than DOWNLOAD_TIMEOUT_MS. */
  readonly timeoutMs?: number;
}

export interface Downloaded {
  readonly ok: true;
  readonly mimeType: PrintFileType;
  readonly sizeBytes: number;
  /** Hex. */
  readonly sha256: string;
}

/** From the request to the last byte. Enough for 200 MB at 3 Mbit/s. */
const DOWNLOAD_TIMEOUT_MS = 10 * 60_000;
/** 50 kB/s. The file is requested again later from a slower host, so that it does not hold a slot for the whole time. */
const LEAST_PACE = { headMs: 30_000, windowBytes: 500_000, windowMs: 10_000 };
const MAX_REDIRECTS = 3;
const MAX_CODINGS = 3;
/** Number of bytes that file-type needs to detect a type. */
const HEAD_BYTES = 4100;

/** Fault codes of 4xx statuses. The others are `file_host_refused`. */
const FAULT_OF_STATUS: Readonly<Record<number, FileFaultCode>> = {
  401: 'file_access_denied',
  403: 'file_access_denied',
  404: 'file_not_found',
  410: 'file_not_found',
  451: 'file_access_denied',
};

/** Codings of a response's content (RFC 9110, 8.4.1). Some hosts code a file though the request allows none. */
const CONTENT_CODINGS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Returns the steps that decode the content, the last coding first. A coding that is not listed is left as it is. */
const decodersOf = ({ headers }: StreamedResponse): Transform[] =>
  [headers['content-encoding'] ?? []]
    .flat()
    .flatMap((codings) => codings.toLowerCase().split(','))
    .flatMap((coding) => CONTENT_CODINGS[coding.trim()]?.() ?? [])
    .slice(0, MAX_CODINGS)
    .reverse();

const megabytes = (bytes: number) => `${Math.floor(bytes / 1_000_000)} MB`;

/**
 * Downloads a file to disk as a stream. Checks the size of each chunk, and detects the type from the first bytes, not from the
 * name or the headers. Follows redirects within one origin only.
 * @throws the reason of the signal when the caller aborts
 */
export async function downloadFile(client: SafeClient, download: Download): Promise<Downloaded | FileFault> {
  const response = await requestFile(client, download);
  if ('transient' in response) return response;
  const decoders = decodersOf(response);
  const hash = createHash('sha256');
  const head: Buffer[] = [];
  let sizeBytes = 0;
  let mimeType: PrintFileType | undefined;
  let fault: FileFault | undefined;

  async function* inspectChunks(source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      if (mimeType === undefined) {
        head.push(chunk);
        if (sizeBytes + chunk.length >= HEAD_BYTES) {
          const detected = await detectType(head, download.accept);
          if (typeof detected !== 'string') {
            fault = detected;
            return;
          }
          mimeType = detected;
        }
      }
      sizeBytes += chunk.length;
      if (sizeBytes > download.limitBytes) {
        fault = tooLarge(download);
        return;
      }
      hash.update(chunk);
      download.onBytes(chunk.length);
      yield chunk;
    }
  }
  try {
    await pipeline(response.body, ...(decoders as []), inspectChunks, createWriteStream(download.path));
  } catch (error) {
    download.signal?.throwIfAborted();
    // The end of `inspectChunks` aborts a body that has more chunks.
    if (fault !== undefined) return fault;
    if (decoders.length > 0 && /^(Z_|ERR__ERROR)/.test(`${(error as NodeJS.ErrnoException).code}`))
      return permanentFault('file_unreadable', `its ${response.headers['content-encoding']} coding is damaged`);
    if (!(error instanceof TransferError)) throw error;
    return error.kind === 'too-large' ? tooLarge(download) : transientFault(error.message);
  }
  if (fault !== undefined) return fault;
  if (sizeBytes === 0) return permanentFault('file_empty');
  const type = mimeType ?? (await detectType(head, download.accept));
  if (typeof type !== 'string') return type;
  return { ok: true, mimeType: type, sizeBytes, sha256: hash.digest('hex') };
}

const tooLarge = ({ limitBytes }: Download) =>
  permanentFault('file_too_large', `the limit is ${megabytes(limitBytes)}`);

async function requestFile(client: SafeClient, download: Download): Promise<StreamedResponse | FileFault> {
  let url = download.url;
  for (let redirects = 0; ; redirects++) {
    const response = await client.request({
      url,
      purpose: { kind: 'file' },
      timeoutMs: Math.min(DOWNLOAD_TIMEOUT_MS, download.timeoutMs ?? DOWNLOAD_TIMEOUT_MS),
      leastPace: LEAST_PACE,
      limitBytes: download.limitBytes,
      ...(download.signal === undefined ? {} : { signal: download.signal }),
    });
    if (response.ok) {
      if (response.status < 300) return response;
      response.body.destroy();
      const details = `the host responded with ${response.status}`;
      return isTransient(response)
        ? transientFault(details, { retryAfterMs: retryAfterMs(response.headers) })
        : permanentFault(FAULT_OF_STATUS[response.status] ?? 'file_host_refused', details);
    }
    switch (response.kind) {
      case 'timeout':
      case 'connection':
        return transientFault(response.message);
      case 'blocked':
        return permanentFault('file_host_blocked', response.message);
      case 'invalid-url':
        return permanentFault('file_url_invalid', response.message);
      case 'too-large':
        return tooLarge(download);
      case 'redirect': {
        const { location } = response;
        const sameOrigin = location !== undefined && new URL(location).origin === new URL(url).origin;
        if (!sameOrigin || redirects === MAX_REDIRECTS) return permanentFault('file_redirected', response.message);
        url = location;
      }
    }
  }
}

async function detectType(
  head: readonly Buffer[],
  accept: readonly PrintFileType[] = PRINT_FILE_TYPES,
): Promise<PrintFileType | FileFault> {
  const bytes = Buffer.concat(head).subarray(0, HEAD_BYTES);
  const found = (await fileTypeFromBuffer(bytes))?.mime;
  const isKnown = PRINT_FILE_TYPES.some((type) => type === found);
  // Mail headers and printer commands stand before the header of some PDFs. An animated PNG is a PNG.
  const read = !isKnown && pdfHeaderAt(bytes) >= 0 ? 'application/pdf' : found === 'image/apng' ? 'image/png' : found;
  const type = accept.find((type) => type === read);
  if (type !== undefined) return type;
  const content = textKind(bytes) ?? `the content is ${found ?? 'of an unknown type'}`;
  return permanentFault('file_type_not_supported', `${content}, expected ${accept.join(' or ')}`);
}

/** Names a text that hosts send in place of a print file. */
function textKind(bytes: Buffer): string | undefined {
  // Comments and declarations of XML may stand first.
  const text = bytes.toString();
  const [, element] = /^(?:\s|<\?[^>]*>|<!--(?:(?!-->).)*-->)*<(?:!doctype\s+)?(\w+)/is.exec(text) ?? [];
  switch (element?.toLowerCase()) {
    case 'html':
    case 'head':
    case 'body':
    case 'script':
    case 'title':
      return 'this address shows a web page, not a file';
    case 'svg':
      return 'the content is an SVG drawing';
    default:
      return undefined;
  }
}
