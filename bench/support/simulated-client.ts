import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer, json } from 'node:stream/consumers';
import PDFDocument from 'pdfkit';
import type { CredentialsFile } from '../../cli/credentials';
import { createPresslineClient } from '../../client/pressline-client';
import { inParallel } from './in-parallel';
import { sampleOrder } from './sample-order';

type Partner = ReturnType<typeof createPresslineClient>;

/** Orders that were taken from submission to shipped. */
export interface ShippedOrders {
  /** Until the client was notified that the last one has shipped. */
  readonly seconds: number;
  readonly ids: readonly string[];
}

/** A client that submits one-item orders, and print partners that process them without pauses. */
export interface SimulatedClient {
  /** Submits one order, which a partner processes. */
  submit(): Promise<{ readonly id: string; readonly orderReferenceId: string }>;
  /** Takes orders from submission to shipped. */
  run(orders: number, atOnce: number): Promise<ShippedOrders>;
  stop(): Promise<void>;
}

/**
 * Starts the client and its partners. All messages use HTTP: submission, print order, postbacks, dispatch, and notifications
 * of the client's webhook endpoint.
 * @param options.produces false: partners accept print orders and send no postbacks
 */
export async function startSimulatedClient(
  credentials: Pick<CredentialsFile, 'baseUrl' | 'client' | 'partners'>,
  { produces }: { readonly produces: boolean } = { produces: true },
): Promise<SimulatedClient> {
  const { baseUrl } = credentials;
  const client = createPresslineClient({ baseUrl, ...credentials.client });
  const partners = new Map<string, Partner>(
    credentials.partners.map(({ name, apiKey }) => [`/${name}`, createPresslineClient({ baseUrl, apiKey })]),
  );
  const shipped = new ShippedNotifications();
  const pdf = await posterPdf();
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'application/pdf' }).end(pdf);
      return;
    }
    const body = (await json(request)) as { id: string; orderId?: string; fulfillmentStatus?: string };
    response.writeHead(200).end('{}');
    if (request.url === WEBHOOK_PATH) {
      if (body.fulfillmentStatus === 'shipped') shipped.notify(body.orderId!);
      return;
    }
    if (!produces) return;
    produce(partners.get(request.url!)!, body.id).catch((error: unknown) => {
      process.stderr.write(`the partner failed: ${String(error)}\n`);
      process.exit(1);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const [path, partner] of partners) await partner.subscribePartner({ body: { orderSubmitUrl: `${url}${path}` } });
  // This event names the items' statuses and tracking codes too.
  await client.createWebhook({
    body: { url: `${url}${WEBHOOK_PATH}`, events: ['order_status_updated'] },
  });

  let sequence = 0;
  function submit() {
    sequence += 1;
    return client.submitOrder({ body: sampleOrder(`bench-${sequence}`, `${url}/poster.pdf`) });
  }
  return {
    submit,
    async run(orders, atOnce) {
      const ids: string[] = [];
      const seconds = await inParallel(orders, atOnce, async () => {
        const { id } = await submit();
        await shipped.of(id);
        ids.push(id);
      });
      return { seconds, ids };
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const WEBHOOK_PATH = '/notifications';

/** Waits for the notifications that orders have shipped. They arrive in any order, and more than once. */
class ShippedNotifications {
  private readonly received = new Set<string>();
  private readonly waiting = new Map<string, () => void>();

  notify(orderId: string): void {
    this.received.add(orderId);
    this.waiting.get(orderId)?.();
  }

  async of(orderId: string): Promise<void> {
    if (!this.received.has(orderId)) await new Promise<void>((resolve) => this.waiting.set(orderId, resolve));
    this.waiting.delete(orderId);
  }
}

async function produce(partner: Partner, orderId: string): Promise<void> {
  const postback = (status: 'received' | 'printed' | 'shipped') =>
    partner.postOrderStatus({ body: { timestamp: new Date().toISOString(), orderId, status } });
  await postback('received');
  await postback('printed');
  for (;;) {
    const response = await partner.dispatchOrder({ body: { orderId } }).catch((error: { status?: number }) => {
      // The workflow has not processed the response to the delivery yet, or it is busy.
      if (error.status !== 409 && error.status !== 503) throw error;
      return null;
    });
    if (response !== null) break;
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
