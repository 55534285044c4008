import { type Agent, type IncomingHttpHeaders, request } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { signatureHeaders } from '../../src/platform/http/webhook-signature';
import type { RequestPlan } from './requests';
import type { Subject } from './subject';

/** A request as it is sent. */
export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  readonly chunked: boolean;
}

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** CPU time of this process, which the API runs in. */
  readonly cpuMs: number;
}

/** Time after which a request without a response counts as hanging. It is long because other load delays responses. */
const HANGS_AFTER_MS = 60_000;

const ENCODERS: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
};

/** Bytes of request line and headers that Node reads. It responds to a longer request with 431 and closes the connection. */
const HEADER_LIMIT = 16 * 1_024;

/**
 * Returns true when a request broke off because Node refused its headers (431) and closed the connection while the body was
 * being sent. The reset can overtake the response.
 */
export function isCutOff({ method, path, headers }: SentRequest, error: unknown): boolean {
  const lines = [method, path, ...Object.entries(headers).flat()];
  const bytes = lines.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return bytes > HEADER_LIMIT && ['ECONNRESET', 'EPIPE'].includes(String((error as { code?: unknown }).code));
}

/** Converts a plan to a request: inserts ids, signs the body and encodes it. */
export function sentRequest(plan: RequestPlan, subject: Subject): SentRequest {
  const known = subject.ids[plan.sender];
  const path = plan.path
    .map((part) => {
      if (part.kind === 'text') return part.text;
      const ids = known[`${plan.operation.operationId} ${part.parameter}`] ?? known[part.parameter] ?? [];
      return ids.length === 0 ? 'none' : encodeURIComponent(ids[part.pick % ids.length]!);
    })
    .join('');
  let body = plan.body && withPrintFiles(plan.body, subject.printFile);
  const signature =
    plan.signed && body !== undefined
      ? signatureHeaders({
          id: 'msg_1',
          body: body.toString('utf8'),
          at: new Date(),
          secrets: [subject.carrierSecret],
        })
      : {};
  const encoding = plan.headers['content-encoding'] ?? '';
  // Every second body has the encoding that its header declares.
  if (body !== undefined && body.length % 2 === 0) body = ENCODERS[encoding]?.(body) ?? body;
  return {
    method: plan.method,
    path: `${path}${plan.query}`,
    headers: { ...plan.headers, ...signature, ...subject.headers[plan.sender] },
    body,
    chunked: plan.chunked,
  };
}

function withPrintFiles(body: Buffer, [written, meant]: Subject['printFile']): Buffer {
  return written === meant || !body.includes(written)
    ? body
    : Buffer.from(body.toString('latin1').replaceAll(written, meant), 'latin1');
}

/**
 * Sends a request and returns the response.
 * @throws Error when no response comes, or the connection breaks before one
 */
export function send(agent: Agent, baseUrl: string, sent: SentRequest): Promise<ReceivedResponse> {
  const { hostname, port } = new URL(baseUrl);
  const cpuBefore = process.cpuUsage();
  return new Promise((resolve, reject) => {
    const framing = sent.chunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': sent.body?.length ?? 0 };
    const outgoing = request(
      {
        agent,
        hostname,
        port,
        method: sent.method,
        path: sent.path,
        headers: { ...sent.headers, ...(sent.body === undefined ? {} : framing) },
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          clearTimeout(timer);
          const { user, system } = process.cpuUsage(cpuBefore);
          resolve({
            status: incoming.statusCode!,
            headers: incoming.headers,
            body: Buffer.concat(chunks),
            cpuMs: (user + system) / 1_000,
          });
        });
      },
    );
    const timer = setTimeout(
      () => outgoing.destroy(new Error(`no response within ${HANGS_AFTER_MS} ms`)),
      HANGS_AFTER_MS,
    );
    outgoing.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    if (sent.body !== undefined) outgoing.write(sent.body);
    outgoing.end();
  });
}

/** Returns a request as JSON, to send it again. A body that is not text is in base64. */
export function replayable({ method, path, headers, body, chunked }: SentRequest): string {
  const text = body?.toString('utf8');
  const isText = body === undefined || Buffer.from(text!, 'utf8').equals(body);
  return JSON.stringify({
    method,
    path,
    headers,
    ...(chunked ? { chunked } : {}),
    ...(body === undefined ? {} : isText ? { body: text } : { bodyBase64: body.toString('base64') }),
  });
}
