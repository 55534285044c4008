import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

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
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    received.push({
      path: request.url!,
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    });
    response.writeHead(first.shift() ?? next.status).end(next.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    received,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    respondWith(status: number, body: string): void {
      next = { status, body };
    },
    /** Empties what it received. Its first responses have these statuses. */
    restart(...statuses: number[]): void {
      received.length = 0;
      first = statuses;
    },
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type PartnerServer = Awaited<ReturnType<typeof partnerServer>>;
