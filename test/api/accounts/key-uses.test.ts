import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../api/app';
import { allRoutes } from '../../../api/routes';
import { KEPT_ADDRESSES, pruneKeyUses } from '../../../src/accounts/key-uses';
import type { TestAccount } from '../../support/api-deps';
import { type OrdersApi, ordersApi } from '../orders/orders-api';
import { order } from '../orders/sample-orders';

/** What a key did: its calls by operation, its addresses, its changes, and the endpoints that it set up. */

let api: OrdersApi;
let app: Express;

beforeAll(async () => {
  // Addresses of callers come from a proxy.
  api = await ordersApi({ TRUSTED_PROXIES: true as never });
  app = createApp(api.deps, allRoutes(api.deps));
});

const pathOf = ({ id }: TestAccount) => `/v1/connectors/${id}/keys`;
const get = (path: string, by = api.operator) => request(app).get(path).set(by.key);
const post = (path: string, body: object, by: { readonly keyAndSecret: Record<string, string> } = api.client) =>
  request(app).post(path).set(by.keyAndSecret).send(body);
const keyIdOf = async (account: TestAccount): Promise<string> =>
  (await get(pathOf(account)).expect(200)).body.keys.at(-1).id;
const usesOf = async (account: TestAccount, keyId: string) =>
  (await get(`${pathOf(account)}/${keyId}/uses`).expect(200)).body;

test('calls with a key are counted by operation, refused ones too, with the addresses that they came from', async () => {
  const { client } = api;
  const keyId = await keyIdOf(client);
  expect(await usesOf(client, keyId)).toMatchObject({
    key: { id: keyId, firstUsedAt: null, lastUsedAt: null },
    operations: [],
    addresses: [],
    endpoints: [],
  });
  const from = (address: string, body: object) => post('/v1/orders', body).set('X-Forwarded-For', address);
  await from('203.0.113.7', order()).expect(200);
  await from('203.0.113.7', order()).expect(200);
  await from('203.0.113.8', {}).expect(400);
  await request(app).get('/v1/webhooks').set(client.keyAndSecret).set('X-Forwarded-For', '203.0.113.8').expect(200);
  // Without its secret, or at a path for operators, the key is not admitted.
  await request(app).get('/v1/webhooks').set(client.key).expect(401);
  await request(app).get('/v1/operator/summary').set(client.key).expect(403);

  const uses = await usesOf(client, keyId);
  const today = new Date().toISOString().slice(0, 10);
  expect(uses.key).toMatchObject({ firstUsedAt: expect.any(String), lastUsedAt: expect.any(String) });
  expect(uses.operations).toEqual([
    { operationId: 'submitOrder', calls: 3, firstDay: today, lastDay: today },
    { operationId: 'listWebhooks', calls: 1, firstDay: today, lastDay: today },
  ]);
  expect(uses.addresses.map(({ address, calls }: { address: string; calls: number }) => [address, calls])).toEqual(
    expect.arrayContaining([
      ['203.0.113.7', 2],
      ['203.0.113.8', 2],
    ]),
  );
  await from('203.0.113.7', order()).expect(200);
  expect((await usesOf(client, keyId)).operations[0]).toMatchObject({ calls: 4 });
  // A submission writes no row of the audit log.
  const { body } = await get(`/v1/operator/audit?key=${keyId}`).expect(200);
  expect(body.entries).toEqual([]);
});

test('a key keeps its latest addresses only, and counts and addresses end with their retention', async () => {
  const { sql, client } = api;
  const keyId = await keyIdOf(client);
  for (let each = 0; each <= KEPT_ADDRESSES; each += 1) api.deps.keyUses.count(keyId, 'getOrder', `198.51.100.${each}`);
  expect((await usesOf(client, keyId)).addresses).toHaveLength(KEPT_ADDRESSES);
  await sql`UPDATE key_addresses SET last_at = now() - interval '91 days'`;
  await sql`UPDATE key_uses SET day = current_date - 401 WHERE operation_id = 'getOrder'`;
  await pruneKeyUses(sql, 90);
  const { addresses, operations } = await usesOf(client, keyId);
  expect(addresses).toEqual([]);
  expect(operations.map(({ operationId }: { operationId: string }) => operationId)).not.toContain('getOrder');
  expect(operations).not.toEqual([]);
});

test('the endpoints that a key set up are listed and, when it is revoked, disabled by one act', async () => {
  const { other } = api;
  const leaked = await keyIdOf(other);
  const { body: second } = await post(`${pathOf(other)}`, { overlapSeconds: 3_600 }, api.operator).expect(200);
  const byOther = { keyAndSecret: { 'X-API-KEY': `${second.apiKey}:${second.apiSecret}` } };
  const made = async (url: string, by: Parameters<typeof post>[2]) =>
    (await post('/v1/webhooks', { url }, by).expect(200)).body.id as string;
  const own = await made('https://thief.example/a', other);
  const kept = await made('https://shop.example/b', byOther);
  const taken = await made('https://shop.example/c', byOther);
  const change = (id: string, body: object, by: { readonly keyAndSecret: Record<string, string> }) =>
    request(app).patch(`/v1/webhooks/${id}`).set(by.keyAndSecret).send(body).expect(200);
  await change(taken, { url: 'https://thief.example/c' }, other);
  // A change without another address does not make the endpoint that of the key.
  await change(kept, { description: 'orders', url: 'https://shop.example/b' }, other);

  const path = `${pathOf(other)}/${leaked}`;
  const endpointIds = async () => (await usesOf(other, leaked)).endpoints.map(({ id }: { id: string }) => id);
  expect(await endpointIds()).toEqual([own, taken]);
  const { body: log } = await get(`/v1/operator/audit?key=${leaked}`).expect(200);
  expect(log.entries.map(({ action, keyId }: { action: string; keyId: string }) => [action, keyId])).toEqual([
    ['endpoint.change', leaked],
    ['endpoint.change', leaked],
    ['endpoint.create', leaked],
  ]);

  await post(`${path}/disable-endpoints`, {}, api.operator).expect(409);
  await request(app).delete(path).set(api.operator.key).expect(200);
  await post(`${path}/disable-endpoints`, {}, byOther).expect(403);
  const { body } = await post(`${path}/disable-endpoints`, {}, api.operator).expect(200);
  expect(body.disabled).toEqual([own, taken].sort());
  expect((await usesOf(other, leaked)).endpoints).toMatchObject([
    { id: own, enabled: false, disabledReason: 'key_revoked' },
    { id: taken, enabled: false, disabledReason: 'key_revoked' },
  ]);
  const seen = await request(app).get(`/v1/webhooks/${kept}`).set(byOther.keyAndSecret).expect(200);
  expect(seen.body).toMatchObject({ enabled: true, disabledReason: null });
  expect((await post(`${path}/disable-endpoints`, {}, api.operator).expect(200)).body).toEqual({ disabled: [] });
  await change(own, { enabled: true, url: 'https://shop.example/a' }, byOther);
  expect(await endpointIds()).toEqual([taken]);
});

test('nobody reads the uses of a key of another account through a path of their own', async () => {
  const keyId = await keyIdOf(api.client);
  await get(`${pathOf(api.other)}/${keyId}/uses`).expect(404);
  await post(`${pathOf(api.other)}/${keyId}/disable-endpoints`, {}, api.operator).expect(404);
  await get(`${pathOf(api.client)}/${keyId}/uses`, api.client).expect(403);
});
