import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import PDFDocument from 'pdfkit';
import type { RunningStack } from '../../cli/start-stack';
import { createPresslineClient } from '../../client/pressline-client';
import { orderWorkflowId } from '../../src/platform/domain/workflows';

import { inParallel } from './bench-stack';
import { sampleOrder } from './sample-order';

type Partner = ReturnType<typeof createPresslineClient>;

/** A shop that submits one-item orders, and its print partners, which work as fast as they can. */
export interface PlayedShop {
  /** Submits one order; its partner makes it. */
  submit(): Promise<{ readonly id: string; readonly orderReferenceId: string }>;
  /** Brings orders from submission to shipped. @returns seconds */
  run(orders: number, atOnce: number): Promise<number>;
  /** History events of the last order's run, which has come to shipped. */
  historyEvents(): Promise<number>;
  stop(): Promise<void>;
}

/** Everything goes over HTTP as it would from outside: submit, print order, postbacks, dispatch. */
export async function playShop({ credentials, services }: RunningStack): Promise<PlayedShop> {
  const { baseUrl } = credentials;
  const shop = createPresslineClient({ baseUrl, ...credentials.client });
  const partners = new Map<string, Partner>(
    credentials.partners.map(({ name, apiKey }) => [`/${name}`, createPresslineClient({ baseUrl, apiKey })]),
  );
  const pdf = await posterPdf();
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'application/pdf' }).end(pdf);
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.writeHead(200).end('{}');
      const { id } = JSON.parse(Buffer.concat(chunks).toString()) as { id: string };
      produce(partners.get(request.url!)!, id).catch((error: unknown) => {
        process.stderr.write(`the partner gave up: ${String(error)}\n`);
        process.exit(1);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const [path, partner] of partners)
    await partner.subscribePartner({ body: { orderSubmitUrl: `${url}${path}` } });

  const waiting = new Map<string, () => void>();
  const look = setInterval(() => {
    if (waiting.size === 0) return;
    services.sql<{ id: string }[]>`
      SELECT id FROM orders WHERE id = ANY(${[...waiting.keys()]}::uuid[]) AND fulfillment_status = 'shipped'`
      .then((rows) => {
        for (const { id } of rows) waiting.get(id)?.();
      })
      .catch(() => undefined);
  }, 25);

  let sequence = 0;
  let lastOrder = '';
  function submit() {
    sequence += 1;
    return shop.submitOrder({ body: sampleOrder(`bench-${sequence}`, `${url}/poster.pdf`) });
  }
  async function oneOrder(): Promise<void> {
    const { id } = await submit();
    await new Promise<void>((resolve) => waiting.set(id, resolve));
    waiting.delete(id);
    lastOrder = id;
  }
  return {
    submit,
    run: (orders, atOnce) => inParallel(orders, atOnce, oneOrder),
    async historyEvents() {
      return (await services.temporal.workflow.getHandle(orderWorkflowId(lastOrder)).describe())
        .historyLength;
    },
    async stop() {
      clearInterval(look);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function produce(partner: Partner, orderId: string): Promise<void> {
  const say = (status: 'received' | 'printed' | 'shipped') =>
    partner.postOrderStatus({ body: { timestamp: new Date().toISOString(), orderId, status } });
  await say('received');
  await say('printed');
  for (;;) {
    const answer = await partner.dispatchOrder({ body: { orderId } }).catch((error: { status?: number }) => {
      // Not confirmed yet: the answer to the delivery is still on its way into the run. Or the run has a queue before it.
      if (error.status !== 409 && error.status !== 503) throw error;
      return null;
    });
    if (answer !== null) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await say('shipped');
}

async function posterPdf(): Promise<Buffer> {
  const pdf = new PDFDocument({ size: [842, 1191], margin: 0 });
  pdf.rect(100, 100, 640, 990).fill();
  pdf.end();
  return await buffer(pdf);
}
