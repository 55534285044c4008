import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Shipment {
  id: string;
  reference: string | null;
  rates: object[];
  selected_rate: object | null;
  postage_label: { label_url: string } | null;
  tracking_code: string | null;
  tracker: { public_url: string } | null;
  refund_status: string | null;
  messages: object[];
}

/** How the server answers instead of as it should, once for each entry. */
export type Fault = 'time-out' | 'garbled' | '500' | 'refuse' | 'act-then-break';

/** What EasyPost's API answers, in the shapes its documentation and recordings show, from memory. */
export async function startEasyPostServer() {
  const shipments = new Map<string, Shipment>();
  const faults = new Map<string, Fault[]>();
  const trackers = new Map<string, object>();
  let serial = 0;
  let url = '';

  const ratesFor = (parcel: { weight: number }) =>
    parcel.weight > 1_120
      ? []
      : [
          ['USPS', 'GroundAdvantage', '7.58', 4],
          ['USPS', 'Express', '31.40', 1],
          ['UPSDAP', 'Ground', '11.25', 3],
        ].map(([carrier, service, rate, days]) => ({
          id: `rate_${++serial}`,
          object: 'Rate',
          carrier,
          service,
          rate,
          currency: 'USD',
          delivery_days: days,
          est_delivery_days: days,
        }));

  const find = (idOrReference: string) =>
    shipments.get(idOrReference) ??
    [...shipments.values()].find(({ reference }) => reference === idOrReference);

  const error = (status: number, code: string, message: string) => ({
    status,
    body: { error: { code, message, errors: [] } },
  });

  // biome-ignore lint/suspicious/noExplicitAny: whatever the client sends
  function act(method: string, path: string, body: any): { status: number; body: unknown; raw?: string } {
    const [, resource, id, action] = path.split('/').map(decodeURIComponent);
    if (resource === 'label') return { status: 200, body: null, raw: `%PDF-1.4\n% label ${id}` };
    if (resource === 'trackers' && method === 'POST') {
      const tracker = trackers.get(body.tracker.tracking_code);
      return tracker
        ? { status: 200, body: tracker }
        : error(422, 'TRACKER.CREATE.ERROR', 'unknown tracking code');
    }
    if (resource !== 'shipments')
      return error(404, 'NOT_FOUND', 'The requested resource could not be found.');
    if (method === 'POST' && id === undefined) {
      if (body.shipment.to_address.zip === '00000')
        return error(422, 'ADDRESS.VERIFY.FAILURE', 'Unable to verify address.');
      const shipment: Shipment = {
        id: `shp_${++serial}`,
        reference: body.shipment.reference ?? null,
        rates: ratesFor(body.shipment.parcel),
        selected_rate: null,
        postage_label: null,
        tracking_code: null,
        tracker: null,
        refund_status: null,
        messages: [],
      };
      shipments.set(shipment.id, shipment);
      return { status: 201, body: shipment };
    }
    const shipment = id === undefined ? undefined : find(id);
    if (shipment === undefined) return error(404, 'NOT_FOUND', 'The requested resource could not be found.');
    if (method === 'GET') return { status: 200, body: shipment };
    if (action === 'buy') {
      if (shipment.postage_label)
        return error(422, 'SHIPMENT.POSTAGE.EXISTS', 'Postage already exists for this shipment.');
      const code = `9400100${String(++serial).padStart(15, '0')}`;
      shipment.selected_rate =
        shipment.rates.find((rate) => (rate as { id: string }).id === body.rate.id) ?? null;
      shipment.postage_label = { label_url: `${url}/label/${shipment.id}.pdf` };
      shipment.tracking_code = code;
      shipment.tracker = { public_url: `https://track.easypost.example/${code}` };
      trackers.set(code, {
        object: 'Tracker',
        tracking_code: code,
        carrier: 'USPS',
        est_delivery_date: '2026-02-03T00:00:00Z',
        tracking_details: [
          {
            status: 'pre_transit',
            message: 'Shipping label created',
            datetime: '2026-02-01T08:00:00Z',
            tracking_location: { city: null, state: null, country: null },
          },
        ],
      });
      return { status: 200, body: shipment };
    }
    if (action === 'refund') {
      shipment.refund_status = 'submitted';
      return { status: 200, body: shipment };
    }
    return error(404, 'NOT_FOUND', 'The requested resource could not be found.');
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = new URL(request.url!, 'http://x').pathname.replace(/^\/v2/, '');
    const call = path.startsWith('/label')
      ? 'label'
      : `${request.method} ${path.split('/')[3] ?? path.split('/')[1]}`;
    const kind =
      path.match(/\/(buy|refund)$/)?.[1] ??
      (call === 'label'
        ? 'label'
        : path.startsWith('/trackers')
          ? 'track'
          : request.method === 'GET'
            ? 'retrieve'
            : 'create');
    const text = Buffer.concat(chunks).toString('utf8');
    const body = text === '' ? undefined : JSON.parse(text);
    const fault = faults.get(kind)?.shift();
    if (fault === 'time-out') return;
    if (fault === '500') {
      response
        .writeHead(500, { 'content-type': 'application/json' })
        .end('{"error":{"code":"INTERNAL_SERVER_ERROR","message":"try later","errors":[]}}');
      return;
    }
    if (fault === 'refuse') {
      response.writeHead(422, { 'content-type': 'application/json' }).end(
        JSON.stringify({
          error: {
            code: 'SHIPMENT.POSTAGE.FAILURE',
            message: 'The carrier refused.',
            errors: [{ field: 'to_address.zip', message: 'is not served' }],
          },
        }),
      );
      return;
    }
    const result = act(request.method!, path, body);
    if (fault === 'act-then-break') {
      response.destroy();
      return;
    }
    if (fault === 'garbled') {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"object":"Shipment","id":');
      return;
    }
    if (result.raw !== undefined)
      response.writeHead(result.status, { 'content-type': 'application/pdf' }).end(result.raw);
    else
      response
        .writeHead(result.status, { 'content-type': 'application/json' })
        .end(JSON.stringify(result.body));
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => response.destroy(error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url: `${url}/v2/`,
    /** The next calls of a kind (`retrieve`, `create`, `buy`, `refund`, `label`, `track`) go wrong. */
    fail: (kind: string, ...list: Fault[]) => faults.set(kind, list),
    /** Labels paid for and not refunded. */
    live: () =>
      [...shipments.values()].filter((shipment) => shipment.postage_label && !shipment.refund_status).length,
    move: (code: string, status: string, datetime: string) => {
      (trackers.get(code) as { tracking_details: object[] }).tracking_details.push({
        status,
        message: `now ${status}`,
        datetime,
        tracking_location: { city: 'CHICAGO', state: 'IL', country: 'US' },
      });
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
