import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { EasyPostAccount } from './easypost-account';

/** A fault in place of the right response. `complete-then-disconnect` completes the call and then closes the connection. */
export type Fault = 'timeout' | 'garbled' | '500' | 'odd-words' | 'refuse' | 'complete-then-disconnect';

/** Kinds of calls: three calls of shipments, refunds, label downloads and trackers. */
export type CallKind = 'retrieve' | 'create' | 'buy' | 'refund' | 'label' | 'track';

const JSON_TYPE = { 'content-type': 'application/json' };
const SERVER_ERROR = '{"error":{"code":"INTERNAL_SERVER_ERROR","message":"try later","errors":[]}}';
/** 1 MB with NUL, half of a surrogate pair, control and right-to-left characters. */
const ODD_WORDS = JSON.stringify({
  error: { code: 'ODD\0', message: `\ud83d \0 \u0007\u001b[31m \u202e ${'x'.repeat(1_000_000)}`, errors: ['\udc00'] },
});
const REFUSAL = JSON.stringify({
  error: {
    code: 'SHIPMENT.POSTAGE.FAILURE',
    message: 'The carrier refused.',
    errors: [{ field: 'to_address.zip', message: 'is not served' }],
  },
});

function kindOf(method: string, path: string): CallKind {
  if (path.startsWith('/label')) return 'label';
  if (path.startsWith('/trackers')) return 'track';
  const action = path.match(/\/(buy|refund)$/)?.[1] as 'buy' | 'refund' | undefined;
  return action ?? (method === 'GET' ? 'retrieve' : 'create');
}

/**
 * Starts a server with the parts of EasyPost's API that the adapter uses.
 * @param options.delayMs time before each response
 * @param options.labelsUrl address of the labels. Default: the server's own
 */
export async function startEasyPostServer({
  delayMs = 0,
  priceFactor = 1,
  labelsUrl,
}: {
  readonly delayMs?: number;
  readonly priceFactor?: number;
  readonly labelsUrl?: string;
} = {}) {
  let url = '';
  const account = new EasyPostAccount(() => labelsUrl ?? url, priceFactor);
  const faults = new Map<CallKind, Fault[]>();
  const connections: { kind: CallKind; reused: boolean }[] = [];
  const used = new WeakSet<object>();
  let closeReusedConnections = false;

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const path = new URL(request.url!, 'http://x').pathname.replace(/^\/v2/, '');
    const kind = kindOf(request.method!, path);
    const reused = used.has(request.socket);
    used.add(request.socket);
    connections.push({ kind, reused });
    if (reused && closeReusedConnections) {
      response.destroy();
      return;
    }
    if (delayMs > 0) await wait(delayMs);
    const fault = faults.get(kind)?.shift();
    if (fault === 'timeout') return;
    if (fault === '500') response.writeHead(500, JSON_TYPE).end(SERVER_ERROR);
    else if (fault === 'odd-words') response.writeHead(500, JSON_TYPE).end(ODD_WORDS);
    else if (fault === 'refuse') response.writeHead(422, JSON_TYPE).end(REFUSAL);
    else {
      const result = account.handle(request.method!, path, text === '' ? undefined : JSON.parse(text));
      if (fault === 'complete-then-disconnect') response.destroy();
      else if (fault === 'garbled') response.writeHead(200, JSON_TYPE).end('{"object":"Shipment","id":');
      else if (result.raw === undefined) {
        response.writeHead(result.status, JSON_TYPE).end(JSON.stringify(result.body));
      } else response.writeHead(result.status, { 'content-type': 'application/pdf' }).end(result.raw);
    }
  }

  const server = createServer((request, response) => {
    respond(request, response).catch((error: Error) => response.destroy(error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url: `${url}/v2/`,
    /** Every call so far, and whether its connection had served an earlier call. */
    connections: connections as readonly { readonly kind: CallKind; readonly reused: boolean }[],
    /** Sets the faults of the next calls of a kind, one per call. */
    fail: (kind: CallKind, ...list: Fault[]) => faults.set(kind, list),
    /** Offers these rates before the usual ones. */
    offer: (rates: readonly object[]) => {
      account.oddRates = rates;
    },
    /** Closes each reused connection at its next request, as a server does whose idle time has just ended. */
    closeReusedConnections: (close: boolean) => {
      closeReusedConnections = close;
    },
    /** Returns the shipments that were requested, for quotes and purchases. */
    created: () => account.created,
    /** Returns the number of labels that are paid for and not refunded. */
    live: () => account.purchases().filter(({ voided }) => !voided).length,
    /** Returns every purchased label. */
    purchases: () => account.purchases(),
    /** Adds the tracker of a parcel that was not bought from EasyPost. */
    know: (code: string) => account.addTracker(code),
    /** Adds a tracking detail to a tracker. */
    move: (code: string, status: string, datetime: string, message?: string) =>
      account.addTrackingDetail(code, status, datetime, message),
    stop: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
