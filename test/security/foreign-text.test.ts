import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { signatureHeaders } from '../../src/platform/http/webhook-signature';
import { eventually, type TestStack, testStack } from '../support/stack';
import { addressIn } from '../workflows/order/client-orders';
import { operatorHelpers } from '../workflows/order/operator-fixture';
import { handedOver, is, type OrderNow, orderBody, orderLog, orderUntil } from '../workflows/order/order-fixture';

/**
 * Text of other systems reaches the engine by many ways. Whatever it is, the engine goes on, stores clean and bounded text, and
 * responds to nobody with 500.
 */

/** JSON of a value as bytes: some of it is not valid UTF-8. */
const ODD: readonly (readonly [what: string, json: Buffer])[] = [
  [
    'U+0000, half of a surrogate pair, right-to-left and control characters',
    Buffer.from(
      JSON.stringify('Wartung \u202e\u0007\u001b[31m\u0085\u2028 \u05d0').replace('Wartung', 'Wartung \\u0000 \\ud83d'),
    ),
  ],
  ['1 MB', Buffer.from(JSON.stringify(`Wartung ${'x'.repeat(1_000_000)}`))],
  ['invalid UTF-8', Buffer.concat([Buffer.from('"Wartung '), Buffer.from([0xff, 0xfe, 0xc3, 0x28]), Buffer.from('"')])],
  ['deep nesting', Buffer.from(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)],
];
/** The same as a header: control characters other than the tab would end the response at our server. */
const headerOf = (json: Buffer) =>
  [...json.toString('latin1')]
    .filter((char) => char === '\t' || (char >= ' ' && char !== '\x7f'))
    .slice(0, 4_000)
    .join('');

const LONGEST_STORED = 3_000;

let stack: TestStack;
const { repair, say, now } = operatorHelpers(() => stack);

/** What the server of all other systems responds with, by path. */
const responses = new Map<string, (response: ServerResponse) => void>();
const seen: string[] = [];
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    const path = request.url!.split('/')[1]!;
    seen.push(path);
    const respond = responses.get(path) ?? ((other: ServerResponse) => other.end('{}'));
    respond(response);
  });
});
let origin: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  stack = await testStack({
    mode: 'manual',
    config: { EASYPOST_API_KEY: 'EZTK-test', EASYPOST_API_URL: `${origin}/easypost/` },
  });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const respondWith = (status: number, body: Buffer | string, headers: Record<string, string> = {}) => {
  const send = (response: ServerResponse) => response.writeHead(status, headers).end(body);
  return send;
};
const around = (before: string, json: Buffer, after: string) =>
  Buffer.concat([Buffer.from(before), json, Buffer.from(after)]);

/** Asserts that every text in a stored value is clean and bounded. */
function expectClean(value: unknown): void {
  const text = JSON.stringify(value);
  expect(text.length).toBeLessThan(LONGEST_STORED);
  expect(text.isWellFormed()).toBe(true);
  expect(text).not.toMatch(/\\u0000|\\ud[89a-f]/i);
}

async function expectCleanLog(orderId: string): Promise<void> {
  for (const { data } of await orderLog(stack, orderId)) expectClean(data);
}

/** Runs work while an address of prints-berlin is this server's. */
async function atPartner<T>(column: string, path: string, work: () => Promise<T>): Promise<T> {
  const { sql } = stack.services;
  const [before] = await sql<{ url: string }[]>`
    SELECT ${sql(column)} AS url FROM partners WHERE uid = 'prints-berlin'`;
  const set = (url: string) => sql`UPDATE partners SET ${sql({ [column]: url })} WHERE uid = 'prints-berlin'`;
  await set(`${origin}/${path}`);
  try {
    return await work();
  } finally {
    await set(before!.url);
  }
}

const submit = async (reference: string, change: object = {}) =>
  (await stack.client.submitOrder({ body: { ...orderBody(stack, reference), ...change } })).id;

const has =
  (reason: string) =>
  ({ attention }: OrderNow): boolean =>
    attention?.split(' ').includes(reason) === true;

/** Posts raw bytes. Returns the status. */
async function post(path: string, apiKey: string, body: Buffer): Promise<number> {
  const response = await fetch(`${stack.baseUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: new Uint8Array(body),
  });
  return response.status;
}

const berlinKey = () => stack.credentials.partners.find(({ name }) => name === 'prints-berlin')!.apiKey;

/** Every way by which text of another system comes in. The work gets the text as JSON, and a number for references. */
const WAYS: Readonly<Record<string, (json: Buffer, n: number) => Promise<void>>> = {
  async 'a partner’s refusal of a print order'(json, n) {
    responses.set('submit', respondWith(422, around('{"error":', json, '}'), { 'x-odd': headerOf(json) }));
    await atPartner('order_submit_url', 'submit', async () => {
      const id = await submit(`refusal-${n}`);
      await orderUntil(stack, id, has('partner_refused'));
      await expectCleanLog(id);
      await repair(id, { action: 'cancel' });
      await orderUntil(stack, id, is('canceled'));
    });
    const requests = await stack.services.sql`SELECT response FROM partner_requests ORDER BY id DESC LIMIT 5`;
    expectClean(requests);
  },

  async 'a partner’s acceptance, and its response to a cancel request'(json, n) {
    responses.set('accept', respondWith(200, json));
    responses.set('cancel', respondWith(409, around('{"message":', json, '}')));
    await atPartner('order_submit_url', 'accept', () =>
      atPartner('order_cancel_url', 'cancel', async () => {
        const { orderId } = await handedOver(stack, `acceptance-${n}`);
        await stack.client.cancelOrder({ params: { orderId }, body: {} });
        await orderUntil(stack, orderId, has('cancel_refused'));
        await expectCleanLog(orderId);
      }),
    );
  },

  async 'a postback'(json, n) {
    const order = await handedOver(stack, `postback-${n}`);
    const head = `{"timestamp":"${now()}","orderId":"${order.printOrderId}","status":"error","message":`;
    expect(await post('/v2/order/status', berlinKey(), around(head, json, '}'))).toBeLessThan(500);
    await say(order, 'received');
    await orderUntil(stack, order.orderId, ({ items }) => items[0]!.status === 'in_production');
    await expectCleanLog(order.orderId);
  },

  async 'a partner’s stock, polled and pushed'(json) {
    responses.set(
      'stock',
      respondWith(200, around('{"items":[{"SKU":', json, `,"status":"in-stock"},${json.toString('latin1')}]}`)),
    );
    await atPartner('inventory_url', 'stock', async () => {
      const polls = () => seen.filter((path) => path === 'stock').length;
      const before = polls();
      const { temporal, config } = stack.services;
      await temporal.workflow.execute('partnerStockPoll', {
        workflowId: `stock-${json.length}-${before}-${Math.random()}`,
        taskQueue: config.TEMPORAL_TASK_QUEUE,
      });
      expect(polls()).toBeGreaterThanOrEqual(before);
    });
    const body = around('{"items":[{"SKU":', json, ',"status":"in-stock"}]}');
    expect(await post('/v3/stock/status', berlinKey(), body)).toBeLessThan(500);
    const levels = await stack.services
      .sql`SELECT partner_sku FROM partner_stock_levels ORDER BY reported_at DESC LIMIT 3`;
    expectClean(levels);
  },

  async 'a carrier’s refusal of a quote and of a label'(json, n) {
    const refusal = around('{"error":{"code":"REFUSED","message":', json, ',"errors":[');
    responses.set(
      'easypost',
      respondWith(422, Buffer.concat([refusal, json, Buffer.from(']}}')]), { 'content-type': 'application/json' }),
    );
    const body = { ...orderBody(stack, `carrier-${n}`), shipmentMethodUid: 'standard' };
    const { quotes } = await stack.client.quoteOrder({
      body: { currency: 'EUR', shippingAddress: addressIn.DE, items: body.items },
    });
    expect(quotes[0]!.shipmentMethods.length).toBeGreaterThan(0);
    const order = await handedOver(stack, `carrier-${n}`);
    await say(order, 'received');
    await say(order, 'printed');
    await orderUntil(stack, order.orderId, is('printed'));
    const { sql } = stack.services;
    await sql`UPDATE planned_shipments SET shipment_method_uid = 'easypost_usps_express' WHERE print_order_id = ${order.printOrderId}`;
    const dispatched = await post(
      '/v2/order/dispatch',
      berlinKey(),
      Buffer.from(JSON.stringify({ orderId: order.printOrderId })),
    );
    expect(dispatched).not.toBe(500);
    await orderUntil(stack, order.orderId, has('dispatch_failed'));
    await expectCleanLog(order.orderId);
    expectClean(await sql`SELECT refusal -> 'message' AS message FROM shipments WHERE order_id = ${order.orderId}`);
    responses.delete('easypost');
  },

  async 'a carrier’s event'(json, n) {
    const [carrierUid, [secret]] = [...stack.services.config.CARRIER_WEBHOOK_SECRETS!][0]!;
    const event = `"id":"event-${n}","trackingNumber":"X1","statusUid":"delivered","createdAt":"${new Date().toISOString()}"`;
    // A signature covers text. The bytes that are no text are in the postbacks.
    const body = `{"events":[{${event},"location":"Berlin","message":${json.toString('utf8')}}]}`;
    const id = `msg_${n}`;
    const response = await fetch(`${stack.baseUrl}/v1/carriers/${carrierUid}/events`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...signatureHeaders({ id, body, at: new Date(), secrets: [secret!] }),
      },
      body,
    });
    expect([200, 400, 413]).toContain(response.status);
  },

  async 'the name, the headers and the error of a file host'(json, n) {
    const odd = headerOf(json);
    responses.set(
      'files',
      respondWith(404, json, {
        'content-type': odd,
        'content-disposition': `attachment; filename=${odd}`,
        'x-odd': odd,
      }),
    );
    const name = encodeURIComponent(json.toString('utf8').slice(0, 200));
    const body = orderBody(stack, `file-${n}`);
    const items = body.items.map((item) => ({
      ...item,
      files: [{ type: 'default', url: `${origin}/files/${name}.pdf` }],
    }));
    const id = await submit(`file-${n}`, { items });
    await orderUntil(stack, id, is('failed'));
    await expectCleanLog(id);
    const { refusalReason, refusalReasonCode } = await stack.client.getOrder({ params: { orderId: id } });
    expect(refusalReasonCode).toBe('file_not_found');
    expectClean(refusalReason);
  },

  async 'the response of a webhook receiver'(json, n) {
    const path = `receiver-${n}`;
    responses.set(path, respondWith(500, json, { 'x-odd': headerOf(json) }));
    const { id: webhookId } = await stack.client.createWebhook({ body: { url: `${origin}/${path}` } });
    await handedOver(stack, path);
    const { sql } = stack.services;
    const attempts = await eventually(async () => {
      const rows = await sql<{ attempts: object[] }[]>`
        SELECT attempts FROM webhook_deliveries WHERE endpoint_id = ${webhookId} AND jsonb_array_length(attempts) > 0`;
      return rows.length > 0 ? rows : undefined;
    });
    for (const row of attempts) expectClean(row);
    await stack.client.deleteWebhook({ params: { webhookId } });
  },
};

let number = 0;

describe.each(Object.keys(WAYS))('%s', (way) => {
  test.each(ODD)('may have %s', async (_what, json) => {
    number += 1;
    await WAYS[way]!(json, number);
    expect((await fetch(`${stack.baseUrl}/readyz`)).status).toBe(200);
  });
});
