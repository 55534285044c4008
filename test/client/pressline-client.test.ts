import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from '../../api/app';
import { clientRoutes } from '../../api/clients';
import { type HttpServer, startHttpServer } from '../../api/http/server';
import { type ClientOptions, createPresslineClient, PresslineError } from '../../client/pressline-client';
import { type TestAccount, testAccount, testApiDeps } from '../support/api-deps';
import { testDatabase } from '../support/database';

let server: HttpServer;
let operator: TestAccount;
const stops: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  const { sql } = await testDatabase();
  const deps = await testApiDeps(sql);
  server = await startHttpServer(createApp(deps, clientRoutes(deps)), { host: '127.0.0.1', port: 0 });
  stops.push(() => server.stop(0));
  operator = await testAccount(sql, 'operator');
});

afterAll(async () => {
  for (const stop of stops) await stop();
});

/** Starts a server that sends the given responses in order and records the requests. */
async function scripted(responses: RequestListener[], options: Partial<ClientOptions> = {}) {
  const seen: IncomingMessage[] = [];
  const fake = createServer((req, res) => {
    seen.push(req);
    responses[Math.min(seen.length, responses.length) - 1]!(req, res);
  });
  await new Promise<void>((resolve) => fake.listen(0, '127.0.0.1', resolve));
  stops.push(() => {
    fake.closeAllConnections();
    return new Promise((resolve) => fake.close(resolve));
  });
  const baseUrl = `http://127.0.0.1:${(fake.address() as AddressInfo).port}`;
  return { client: createPresslineClient({ baseUrl, apiKey: 'k', apiSecret: 's', retries: 3, ...options }), seen };
}

const responding =
  (status: number, body: object, headers: Record<string, string> = {}): RequestListener =>
  (_req, res) =>
    void res.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
const hangingUp: RequestListener = (req) => void req.socket.destroy();

test('calls are typed by operation: body, parameters, query and response', async () => {
  const client = createPresslineClient({ baseUrl: server.url, apiKey: operator.apiKey });
  const created = await client.createClient({ body: { name: 'typed' } });
  const secret: string = created.apiSecret;
  expect(secret).toMatch(/^pls_/);
  const { name, keys } = await client.getClient({ params: { connectorId: created.id } });
  expect([name, keys.length]).toEqual(['typed', 1]);
  expect((await client.listClients({ query: { limit: 1 } })).connectors).toHaveLength(1);
  expect((await client.listClients()).nextCursor).toBeNull();
  // @ts-expect-error name must be a string
  await expect(client.createClient({ body: { name: 7 } })).rejects.toThrow(PresslineError);
  // @ts-expect-error the path parameter is required
  await expect(client.getClient()).rejects.toThrow(TypeError);
});

test('an error has status, code, request id and field errors', async () => {
  const client = createPresslineClient({ baseUrl: server.url, apiKey: operator.apiKey });
  const refused: PresslineError = await client.createClient({ body: { name: '' } }).then(
    () => Promise.reject(new Error('accepted')),
    (error) => error,
  );
  expect(refused).toMatchObject({ status: 400, code: 'VALIDATION_ERROR', operation: 'createClient' });
  expect(refused.errors[0]).toMatchObject({ code: 'IS_BLANK_ERROR', reference: 'name' });
  expect(refused.requestId).toMatch(/^[0-9a-f-]{36}$/);
  expect(refused.message).toContain('name: This field must not be blank.');
});

test('the same idempotency key returns the same response; path parameters are encoded', async () => {
  const client = createPresslineClient({ baseUrl: server.url, apiKey: operator.apiKey });
  const first = await client.createClient({ body: { name: 'keyed' } }, { idempotencyKey: 'client-test' });
  expect(await client.createClient({ body: { name: 'keyed' } }, { idempotencyKey: 'client-test' })).toEqual(first);
  await expect(client.getClient({ params: { connectorId: 'a/../b?c' } })).rejects.toMatchObject({
    status: 404,
  });
});

test('a base URL may end with a slash; one that is no http URL is refused at once', async () => {
  const client = createPresslineClient({ baseUrl: `${server.url}/`, apiKey: operator.apiKey });
  expect(await client.listClients({ query: { limit: 1 } })).toHaveProperty('connectors');
  for (const baseUrl of ['', 'localhost:3000', 'https://', undefined as unknown as string]) {
    expect(() => createPresslineClient({ baseUrl, apiKey: 'k' })).toThrow(/baseUrl must be a URL/);
  }
});

/** The error page of a proxy. */
const proxyPage =
  (status: number): RequestListener =>
  (_req, res) =>
    void res.writeHead(status, { 'Content-Type': 'text/html', 'Retry-After': '0' }).end('<h1>Bad gateway</h1>');

test('429, 502, 503, 504 and a broken connection are retried with the same idempotency key', async () => {
  const { client, seen } = await scripted(
    [
      proxyPage(502),
      proxyPage(504),
      responding(429, { code: 'RATE_LIMITED', message: '' }, { 'Retry-After': '0' }),
      responding(503, { code: 'UNAVAILABLE', message: '' }, { 'Retry-After': '0' }),
      hangingUp,
      responding(200, { id: '1' }),
    ],
    { retries: 5 },
  );
  expect(await client.createClient({ body: { name: 'x' } })).toEqual({ id: '1' });
  expect(seen).toHaveLength(6);
  expect(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  expect(seen[0]!.headers['x-api-key']).toBe('k:s');
});

test('a dispatch request that gets 202 with Retry-After is repeated until the documents exist, also without retries', async () => {
  const pending = responding(202, { message: 'Being made.' }, { 'Retry-After': '0' });
  const documents = { documents: [] };
  const { client, seen } = await scripted([pending, pending, responding(200, documents)], { retries: 0 });
  expect(await client.dispatchOrder({ body: { orderId: '1' } })).toEqual(documents);
  expect(seen).toHaveLength(3);
});

test('a call fails after the last retry, and a refusal is never retried', async () => {
  const unavailable = await scripted([responding(503, { code: 'UNAVAILABLE', message: '' }, { 'Retry-After': '0' })]);
  await expect(unavailable.client.listClients()).rejects.toMatchObject({ status: 503 });
  expect(unavailable.seen).toHaveLength(4);
  const refusing = await scripted([responding(409, { code: 'CONFLICT', message: '' })]);
  await expect(refusing.client.createClient({ body: { name: 'x' } })).rejects.toMatchObject({
    code: 'CONFLICT',
  });
  expect(refusing.seen).toHaveLength(1);
});

test('searches, quotes and the pages of each are retried like reads', async () => {
  const page = { orders: [{ id: '1' }], nextCursor: null };
  const { client, seen } = await scripted([hangingUp, proxyPage(504), responding(200, page)]);
  const found: unknown[] = [];
  for await (const order of client.each('searchOrders', { body: {} })) found.push(order);
  expect(found).toEqual(page.orders);
  expect(seen).toHaveLength(3);
  const quotes = await scripted([proxyPage(502), responding(200, { quotes: [] })]);
  expect(await quotes.client.quoteOrder({ body: {} as never })).toEqual({ quotes: [] });
});

test('fields that the API ignored are reported once, also when the call fails', async () => {
  const reported: unknown[] = [];
  const client = createPresslineClient({
    baseUrl: server.url,
    apiKey: operator.apiKey,
    onIgnoredFields: (fields, operation) => reported.push([operation, ...fields]),
  });
  await client.createClient({ body: { name: 'misspelled', nmae: 'x', sittings: { a: 1 } } as never });
  await client.listClients({ query: { limit: 1, offset: 3 } as never });
  await client.listClients({ query: { limit: 1 } });
  expect(reported.splice(0)).toEqual([
    ['createClient', 'nmae', 'sittings'],
    ['listClients', 'offset'],
  ]);
  const header = { 'X-Ignored-Fields': 'qty' };
  const { seen, client: retried } = await scripted(
    [responding(503, {}, header), responding(409, { code: 'CONFLICT' }, header)],
    { onIgnoredFields: (fields) => reported.push(fields) },
  );
  await expect(retried.createClient({ body: { name: 'x' } })).rejects.toMatchObject({ status: 409 });
  expect(seen).toHaveLength(2);
  expect(reported).toEqual([['qty']]);
});

test('an error of the report of ignored fields rejects the call, which is not repeated', async () => {
  const { seen, client } = await scripted([responding(200, {}, { 'X-Ignored-Fields': 'qty' })], {
    onIgnoredFields: (fields) => {
      throw new Error(`unknown fields: ${fields.join()}`);
    },
  });
  await expect(client.listClients()).rejects.toThrow('unknown fields: qty');
  expect(seen).toHaveLength(1);
});

test('the last response of a proxy is an error with its text', async () => {
  const { client } = await scripted([proxyPage(502)]);
  await expect(client.getOrder({ params: { orderId: '1' } })).rejects.toMatchObject({
    name: 'PresslineError',
    status: 502,
    body: '<h1>Bad gateway</h1>',
    code: undefined,
    errors: [],
  });
});

test('a call without an idempotency key is not retried after a fault that may follow processing', async () => {
  const { client, seen } = await scripted([hangingUp]);
  await expect(client.subscribePartner({ body: { orderSubmitUrl: 'https://x.test' } })).rejects.toThrow();
  expect(seen).toHaveLength(1);
  const timedOut = await scripted([proxyPage(504)]);
  const tested = timedOut.client.testWebhook({ params: { webhookId: '1' } });
  await expect(tested).rejects.toMatchObject({ status: 504 });
  expect(timedOut.seen).toHaveLength(1);
});

test('calls of partners and cancels of shipping orders are retried, because a repeated one changes nothing', async () => {
  const { client, seen } = await scripted([
    hangingUp,
    proxyPage(503),
    responding(200, { message: 'Status accepted.' }),
  ]);
  const body = { timestamp: new Date().toISOString(), orderId: '1', status: 'printed' } as const;
  expect(await client.postOrderStatus({ body })).toEqual({ message: 'Status accepted.' });
  expect(seen).toHaveLength(3);
  const dispatching = await scripted([proxyPage(502), responding(200, { documents: [] })]);
  expect(await dispatching.client.dispatchOrder({ body: { orderId: '1' } })).toEqual({ documents: [] });
  const reporting = await scripted([hangingUp, responding(200, { updated_skus: ['tee'] })]);
  const items = [{ SKU: 'tee', status: 'in-stock' as const, amount: 5 }];
  expect(await reporting.client.reportStockStatus({ body: { items } })).toEqual({ updated_skus: ['tee'] });
  const canceling = await scripted([proxyPage(504), responding(200, { status: 'canceled' })]);
  const canceled = await canceling.client.cancelShippingOrder({ params: { shippingOrderId: '1' }, body: {} });
  expect(canceled).toEqual({ status: 'canceled' });
});

test('each reads a list page by page, as far as it is needed', async () => {
  const client = createPresslineClient({ baseUrl: server.url, apiKey: operator.apiKey });
  for (const name of ['each 1', 'each 2', 'each 3']) await client.createClient({ body: { name } });
  const all = await client.listClients({ query: { limit: 100 } });
  const names: string[] = [];
  for await (const { name } of client.each('listClients', { query: { limit: 2 } })) names.push(name);
  expect(names).toEqual(all.connectors.map(({ name }) => name));
  expect(names.length).toBeGreaterThan(2);

  const page = { orders: [{ id: '1' }, { id: '2' }], nextCursor: 'next' };
  const { client: reader, seen } = await scripted([responding(200, page), responding(200, page)]);
  for await (const { id } of reader.each('searchOrders', { body: { limit: 2 } })) if (id === '2') break;
  expect(seen).toHaveLength(1);
  // @ts-expect-error the response has no cursor
  await expect(reader.each('getOrder', { params: { orderId: '1' } }).next()).rejects.toThrow();
});
