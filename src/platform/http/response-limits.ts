import { Readable } from 'node:stream';
import { faultOf, type HttpFault, httpFault, TransferError } from './http-fault';
import type { ResponseHeaders } from './response';
import type { Timeouts } from './timeouts';

/** Returns the fault of a redirect, or of a Content-Length above the limit. Returns undefined for other responses. */
export function faultOfHead(
  status: number,
  headers: ResponseHeaders,
  url: URL,
  limitBytes: number,
): HttpFault | undefined {
  if (status >= 300 && status < 400) {
    const location = [headers.location].flat()[0];
    const redirect = httpFault('redirect', `${url.host} responded with a redirect (${status})`);
    return location !== undefined && URL.canParse(location, url.href)
      ? { ...redirect, location: new URL(location, url).href }
      : redirect;
  }
  if (Number(headers['content-length'] ?? 0) > limitBytes) {
    return httpFault('too-large', `the response of ${url.host} is larger than ${limitBytes} bytes`);
  }
  return undefined;
}

interface BodyLimits {
  readonly limitBytes: number;
  readonly time: Timeouts;
  /** The caller's signal. */
  readonly signal?: AbortSignal | undefined;
}

/** Returns a body that fails with `TransferError` at a limit, or with the reason of the caller's signal. */
export function limitedBody(source: Readable, host: string, limits: BodyLimits): Readable {
  async function* chunks() {
    let size = 0;
    try {
      for await (const chunk of source as AsyncIterable<Buffer>) {
        size += chunk.length;
        limits.time.bodyReceived(chunk.length);
        if (size > limits.limitBytes) {
          throw new TransferError('too-large', `${host} sent more than ${limits.limitBytes} bytes`);
        }
        yield chunk;
      }
    } catch (error) {
      limits.signal?.throwIfAborted();
      limits.time.signal.throwIfAborted();
      const { kind, message } = faultOf(error, host);
      throw new TransferError(kind === 'timeout' || kind === 'too-large' ? kind : 'connection', message);
    }
  }
  // An abort can come while nobody reads. The next read reports it.
  source.on('error', () => undefined);
  const body = Readable.from(chunks(), { objectMode: false });
  body.once('close', () => source.destroy());
  return body;
}
