import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { pino } from 'pino';
import { Webhook } from 'standardwebhooks';
import { RATE_CARDS } from '../../src/carriers/domain/rate-cards';
import { newSigningSecret } from '../../src/platform/http/webhook-signature';
import { FAST, type Mode, type Sandbox, startSandbox } from '../index';

export const CARRIER_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const PARTNERS = [
  { name: 'prints-berlin', apiKey: 'key-berlin' },
  { name: 'prints-ohio', apiKey: 'key-ohio' },
];

export interface Arrival {
  readonly path: string;
  readonly apiKey: string | undefined;
  readonly body: Record<string, unknown>;
}

/** A minimal Pressline API for sandbox tests. It records every request. */
export interface StubPressline {
  readonly url: string;
  readonly arrivals: Arrival[];
  readonly carrierEvents: {
    readonly carrierUid: string;
    readonly trackingNumber: string;
    readonly statusUid: string;
    readonly id: string;
  }[];
  readonly secrets: Map<string, string>;
  /** Tracking codes of dispatch responses by print order. Default: `TRACK{id}`. */
  readonly trackingCodes: Map<string, string>;
  /** Tracking numbers by print order, for print orders of several parcels. The label file names contain them. */
  readonly parcels: Map<string, string[]>;
  /** Failures by path, or by path and status of a postback: the next `left` requests get this status. */
  readonly failures: Map<string, { status: number; left: number; headers?: Record<string, string> }>;
  postbacks(printOrderId: string): string[];
  stop(): Promise<void>;
}

export async function startStub(): Promise<StubPressline> {
  const arrivals: Arrival[] = [];
  const carrierEvents: StubPressline['carrierEvents'] = [];
  const failures: StubPressline['failures'] = new Map();
  const secrets = new Map<string, string>();
  const trackingCodes = new Map<string, string>();
  const parcels = new Map<string, string[]>();
  const app = express();
  app.use(express.json({ verify: (request, _response, raw) => Object.assign(request, { raw }) }));
  app.use((request, response, next) => {
    const failure = failures.get(request.path) ?? failures.get(`${request.path} ${request.body?.status}`);
    if (failure !== undefined && failure.left > 0) {
      failure.left -= 1;
      response
        .status(failure.status)
        .set(failure.headers ?? {})
        .json({ error: 'not now' });
      return;
    }
    if (request.method === 'POST') {
      arrivals.push({ path: request.path, apiKey: request.get('x-api-key'), body: request.body });
    }
    next();
  });
  app.post('/v2/subscribe', (request, response) => {
    const secret = newSigningSecret();
    secrets.set(request.get('x-api-key')!, secret);
    response.json({ message: 'Subscribed', signingSecret: secret });
  });
  app.post('/v2/order/status', (request, response) => {
    const { status, items } = request.body;
    const known = ['received', 'error', 'printed', 'shipped', 'cancelled'].includes(status);
    if (!known || (items !== undefined && status !== 'cancelled')) response.status(400).json({ error: 'not valid' });
    else if (String(request.body.orderId).startsWith('9999')) response.status(404).json({ error: 'unknown' });
    else response.json({ message: 'ok' });
  });
  app.post('/v2/order/dispatch', (request, response) => {
    const { orderId } = request.body;
    const codes = parcels.get(orderId);
    const numbers = codes ?? [trackingCodes.get(orderId) ?? `TRACK${orderId}`];
    const named = [...numbers.map((code) => [`label-${code}`, code] as const), [`invoice-${orderId}`, null] as const];
    response.json({
      documents: named.map(([name, trackingCode]) => ({
        type: name.split('-')[0],
        contentType: 'application/pdf',
        format: 'pdf',
        url: `${address()}/documents/${name}.pdf`,
        packageReferenceId: trackingCode === null ? null : `P-${numbers.indexOf(trackingCode) + 1}`,
        trackingCode,
      })),
      trackingCode: numbers[0],
      trackingLink: 'https://track.example',
    });
  });
  app.post('/v3/stock/status', (request, response) => {
    response.json({
      message: 'ok',
      updated_skus: request.body.items.map(({ SKU }: { SKU: string }) => SKU),
    });
  });
  app.get('/documents/:name', (request, response) => {
    response.type('application/pdf').send(`%PDF-1.7 ${request.params.name}`);
  });
  app.get('/v1/tracking/:number', (request, response) => {
    const { number } = request.params;
    const carrierUid = number === 'TRACK406' ? 'easypost' : 'merlin_express';
    response.json({ shortUid: '1', trackingNumber: number, carrierUid });
  });
  app.post('/v1/carriers/:carrierUid/events', (request, response) => {
    new Webhook(CARRIER_SECRET).verify(
      (request as unknown as { raw: Buffer }).raw,
      request.headers as Record<string, string>,
    );
    for (const event of request.body.events) carrierEvents.push({ carrierUid: request.params.carrierUid, ...event });
    response.json({ message: 'ok' });
  });
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: address(),
    arrivals,
    carrierEvents,
    secrets,
    trackingCodes,
    parcels,
    failures,
    postbacks: (printOrderId) =>
      arrivals
        .filter(({ path, body }) => path === '/v2/order/status' && body.orderId === printOrderId)
        .map(({ body }) =>
          body.orderItemId === undefined ? String(body.status) : `${body.status} ${body.orderItemId}`,
        ),
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Starts a sandbox in its own folder and waits for its subscriptions at the stub. */
export async function sandboxAt(
  stub: StubPressline,
  options: { mode?: Mode; folder?: string; port?: number } = {},
): Promise<{ sandbox: Sandbox; folder: string }> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'pressline-sandbox-'));
  const sandbox = await startSandbox({
    port: options.port ?? 0,
    presslineUrl: stub.url,
    folder,
    mode: options.mode ?? 'auto',
    partners: PARTNERS,
    carrierSecrets: Object.fromEntries(RATE_CARDS.map(({ carrierUid }) => [carrierUid, CARRIER_SECRET])),
    pace: FAST,
    log: pino({ level: 'silent' }),
  });
  await sandbox.subscribed;
  return { sandbox, folder };
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Returns a print order of two items with print files of the sandbox. */
export function printOrder(sandbox: Sandbox, id: string, addressLine2 = ''): Record<string, unknown> {
  const item = (itemId: string, file: string, format: 'pdf' | 'png') => ({
    id: itemId,
    count: 2,
    type: 'print',
    product: { modelUid: 'flat_product', desc: 'Poster', attributes: [{ name: 'format', value: 'a4' }] },
    assets: [
      {
        format,
        contentType: format === 'pdf' ? 'application/pdf' : 'image/png',
        url: `${sandbox.url}${file}`,
      },
    ],
  });
  const address = {
    firstName: 'Ada',
    lastName: 'Lind',
    addressLine1: 'Lange Str. 1',
    addressLine2,
    postalCode: '10115',
    city: 'Berlin',
    countryCode: 'DE',
    administrativeAreaLevel1: '',
    email: 'ada@example.com',
  };
  return {
    version: '1.1',
    id,
    orderDate: '2026-03-02T10:00:00Z',
    dispatchDate: '2026-03-04',
    items: [item(`${id}1`, '/files/poster-a4.pdf', 'pdf'), item(`${id}2`, '/files/mug-wrap.png', 'png')],
    shipping: {
      shipmentMethodUid: 'hare_standard',
      address: [
        { type: 'sender', ...address, addressLine2: '' },
        { type: 'delivery', ...address },
      ],
      customs: { priceTotal: 0, tax: 0, currencyCode: 'EUR' },
    },
  };
}

/** Sends a signed message as Pressline does, with a stable webhook-id. */
export async function sendSigned(
  stub: StubPressline,
  url: string,
  message: unknown,
  options: { webhookId?: string; secret?: string; signal?: AbortSignal } = {},
): Promise<{ status: number; headers: Headers; body: Record<string, unknown> }> {
  const body = JSON.stringify(message);
  const apiKey = url.includes('prints-ohio') ? 'key-ohio' : 'key-berlin';
  const id = options.webhookId ?? 'msg_1';
  const now = new Date();
  const response = await fetch(url, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(options.secret ?? stub.secrets.get(apiKey)!).sign(id, now, body),
    },
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
}

/** Waits until a condition is true. @throws after `ms` milliseconds */
export async function until(condition: () => boolean, what: string, ms = 10_000): Promise<void> {
  const end = Date.now() + ms;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`timed out after ${ms} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
