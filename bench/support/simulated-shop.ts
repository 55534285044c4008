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

/** A shop that submits one-item orders, and print partners that process them without pauses. */
export interface SimulatedShop {
  /** Submits one order, which a partner processes. */
  submit(): Promise<{ readonly id: string; readonly orderReferenceId: string }>;
  /** Takes orders from submission to shipped. @returns the duration in seconds */
  run(orders: number, atOnce: number): Promise<number>;
  /** Returns the number of history events of the last shipped order. */
  historyEvents(): Promise<number>;
  stop(): Promise<void>;
}

/**
 * Starts the shop and its partners. All messages use HTTP: submission, print order, postbacks, dispatch.
 * @param options.produces false: partners accept print orders and send no postbacks
 */
export async function startSimulatedShop(
  { credentials, services }: RunningStack,
  { produces }: { readonly produces: boolean } = { produces: true },
): Promise<SimulatedShop> {
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
      if (!produces) return;
      const { id } = JSON.parse(Buffer.concat(chunks).toString()) as { id: string };
      produce(partners.get(request.url!)!, id).catch((error: unknown) => {
        process.stderr.write(`the partner failed: ${String(error)}\n`);
        process.exit(1);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const [path, partner] of partners)
    await partner.subscribePartner({ body: { orderSubmitUrl: `${url}${path}` } });

  const waiting = new Map<string, () => void>();
  const poll = setInterval(() => {
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
      clearInterval(poll);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function produce(partner: Partner, orderId: string): Promise<void> {
  const postback = (status: 'received' | 'printed' | 'shipped') =>
    partner.postOrderStatus({ body: { timestamp: new Date().toISOString(), orderId, status } });
  await postback('received');
  await postback('printed');
  for (;;) {
    const answer = await partner.dispatchOrder({ body: { orderId } }).catch((error: { status?: number }) => {
      // The workflow has not processed the answer to the delivery yet, or it is busy.
      if (error.status !== 409 && error.status !== 503) throw error;
      return null;
    });
    if (answer !== null) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await postback('shipped');
}

async function posterPdf(): Promise<Buffer> {
  const pdf = new PDFDocument({ size: [842, 1191], margin: 0 });
  pdf.rect(100, 100, 640, 990).fill();
  pdf.end();
  return await buffer(pdf);
}
