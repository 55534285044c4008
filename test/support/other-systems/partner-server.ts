import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { serveHttp } from './http-server';

export interface ReceivedCall {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** An HTTP server in the place of a print partner. It keeps what it received and responds with what the test sets. */
export async function partnerServer() {
  const received: ReceivedCall[] = [];
  let next = { status: 200, body: '{}' };
  let first: number[] = [];
  const { url } = await serveHttp(async (request, response) => {
    received.push({ path: request.url!, headers: request.headers, body: await text(request) });
    response.writeHead(first.shift() ?? next.status).end(next.body);
  });
  return {
    received,
    url,
    respondWith(status: number, body: string): void {
      next = { status, body };
    },
    /** Empties what it received. Its first responses have these statuses. */
    restart(...statuses: number[]): void {
      received.length = 0;
      first = statuses;
    },
  };
}

export type PartnerServer = Awaited<ReturnType<typeof partnerServer>>;
