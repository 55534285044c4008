import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../api/app';
import { allRoutes } from '../../../api/routes';
import { QUOTA_NAMES } from '../../../src/platform/domain/quotas';
import { type TestAccount, testAccount } from '../../support/api-deps';
import { eventually } from '../../support/eventually';
import { type OrdersApi, ordersApi } from '../orders/orders-api';
import { order, pack } from '../orders/sample-orders';

/** Quotas refuse what one client uses beyond its limits. */

let api: OrdersApi;
let app: Express;
let admin: TestAccount;
let references = 0;

beforeAll(async () => {
  api = await ordersApi({ CLIENT_QUOTAS: { drafts: 3 } });
  app = createApp(api.deps, allRoutes(api.deps));
  admin = await testAccount(api.sql, 'operator', 'admin', 'admin');
});

const change = (clientId: string, quotas: object | null) =>
  request(app).patch(`/v1/connectors/${clientId}`).set(admin.key).send({ quotas });

/** Returns a new client with limits of its own. */
async function clientWith(quotas: object): Promise<TestAccount> {
  const client = await testAccount(api.sql, 'client');
  await change(client.id, quotas).expect(200);
  return client;
}

function submit(by: TestAccount, fields: object = {}, key?: string) {
  references += 1;
  const sent = request(app).post('/v1/orders').set(by.keyAndSecret);
  return (key === undefined ? sent : sent.set('Idempotency-Key', key)).send(
    order({ orderReferenceId: `quota-${references}`, ...fields }),
  );
}

/** Waits until an order is accepted. The use of a client is read once a second. */
const accepted = (by: TestAccount, fields?: object) =>
  eventually(async () => ((await submit(by, fields)).status === 200 ? true : undefined));

async function usedBy(clientId: string): Promise<Record<string, number>> {
  const { body } = await request(app).get(`/v1/connectors/${clientId}/quotas`).set(admin.key).expect(200);
  return Object.fromEntries(body.quotas.map(({ name, used }: { name: string; used: number }) => [name, used]));
}

describe.each([
  {
    quota: 'ordersPerMinute',
    fields: {},
    makeRoom: (id: string) =>
      api.sql`UPDATE orders SET created_at = created_at - interval '2 minutes' WHERE client_id = ${id}`,
  },
  {
    quota: 'ordersUnderWay',
    fields: {},
    makeRoom: (id: string) => api.sql`UPDATE orders SET fulfillment_status = 'shipped' WHERE client_id = ${id}`,
  },
  {
    quota: 'drafts',
    fields: { orderType: 'draft' },
    makeRoom: (id: string) => api.sql`DELETE FROM orders WHERE client_id = ${id}`,
  },
])('the quota $quota', ({ quota, fields, makeRoom }) => {
  test('refuses what is beyond it with its name, stores nothing, and repeats stored responses', async () => {
    const client = await clientWith({ [quota]: 2 });
    const body = { ...fields, orderReferenceId: `first-${quota}` };
    const first = await submit(client, body, `first-${quota}`).expect(200);
    await submit(client, fields).expect(200);
    const before = await api.rows();

    const refused = await submit(client, fields, `refused-${quota}`).expect(429);
    expect(refused.body).toMatchObject({ code: 'QUOTA_EXCEEDED', detail: { quota, limit: 2 } });
    expect(refused.body.message).toContain(quota);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(await api.rows()).toEqual(before);
    expect(await usedBy(client.id)).toMatchObject({ [quota]: 2 });

    const repeated = await submit(client, body, `first-${quota}`).expect(200);
    expect(repeated.headers['idempotency-replayed']).toBe('true');
    expect(repeated.body).toEqual(first.body);
    // Another client has its own.
    await submit(await clientWith({ [quota]: 1 }), fields).expect(200);
  });

  test('has room again when what it counts is gone, and after its limit is raised', async () => {
    const client = await clientWith({ [quota]: 1 });
    await submit(client, fields).expect(200);
    await submit(client, fields).expect(429);
    await makeRoom(client.id);
    await accepted(client, fields);

    await submit(client, fields).expect(429);
    await change(client.id, { [quota]: 2 }).expect(200);
    await accepted(client, fields);
    await change(client.id, { [quota]: 0 }).expect(200);
    for (let n = 0; n < 3; n += 1) await accepted(client, fields);
  });

  test('is not exceeded by concurrent requests', async () => {
    const client = await clientWith({ [quota]: 5 });
    const submitted = () => api.sql`SELECT FROM orders WHERE client_id = ${client.id}`.then((rows) => rows.length);
    const responses = await Promise.all(Array.from({ length: 20 }, () => submit(client, fields)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200, 429]));
    expect(await submitted()).toBeLessThanOrEqual(5);
    await eventually(async () => {
      await submit(client, fields);
      return (await submitted()) >= 5 || undefined;
    });
    await submit(client, fields).expect(429);
    expect(await submitted()).toBe(5);
  });
});

test('a refused submission uses no quota', async () => {
  const client = await clientWith({ ordersPerMinute: 2 });
  const body = { orderReferenceId: 'only-once', preventDuplicate: true };
  await submit(client, body).expect(200);
  for (let n = 0; n < 3; n += 1) await submit(client, body).expect(409);
  await submit(client).expect(200);
  await submit(client).expect(429);
});

test('a draft becomes an order only while the client has room for one', async () => {
  const client = await clientWith({ ordersUnderWay: 1 });
  const draft = await submit(client, { orderType: 'draft' }).expect(200);
  const become = () =>
    request(app).patch(`/v1/orders/${draft.body.id}`).set(client.keyAndSecret).send({ orderType: 'order' });
  const { body: other } = await submit(client).expect(200);
  const refused = await become().expect(429);
  expect(refused.body.detail).toEqual({ quota: 'ordersUnderWay', limit: 1 });
  await api.sql`UPDATE orders SET fulfillment_status = 'canceled' WHERE id = ${other.id}`;
  await eventually(async () => ((await become()).status === 200 ? true : undefined));
});

test('bytes of files count while the files are stored', async () => {
  const client = await clientWith({ fileBytes: 1_000 });
  const slip = [{ ...pack('item-1', 1), packingSlip: { fileUrl: 'https://files.example/slip.pdf' } }];
  const { body } = await submit(client, { packagingInstructions: slip }).expect(200);
  const files = api.sql`SELECT f.id FROM order_files f JOIN order_items i ON i.id = f.order_item_id WHERE i.order_id = ${body.id}`;
  await api.sql`UPDATE order_files SET object_key = 'a', size_bytes = 600 WHERE id IN (${files})`;
  await api.sql`UPDATE packing_slips SET object_key = 'b', size_bytes = 400 WHERE order_id = ${body.id}`;
  const [{ count } = { count: 0 }] = await api.sql<{ count: number }[]>`SELECT count(*)::int FROM (${files}) f`;
  expect(await usedBy(client.id)).toMatchObject({ fileBytes: 600 * count + 400 });
  const refused = await eventually(async () => {
    const response = await submit(client);
    return response.status === 429 ? response : undefined;
  });
  expect(refused.body.detail).toEqual({ quota: 'fileBytes', limit: 1_000 });
  // Files that are only tried out are refused as well.
  const preflight = {
    url: 'https://files.example/poster.pdf',
    type: 'default',
    productUid: order().items[0]!.productUid,
  };
  const tried = await request(app).post('/v1/files/preflight').set(client.keyAndSecret).send(preflight).expect(429);
  expect(tried.body).toMatchObject({ code: 'QUOTA_EXCEEDED', detail: { quota: 'fileBytes', limit: 1_000 } });
  expect(await api.sql`SELECT FROM preflights WHERE account_id = ${client.id}`).toEqual([]);

  await api.sql`UPDATE order_files SET object_key = NULL WHERE id IN (${files})`;
  expect(await usedBy(client.id)).toMatchObject({ fileBytes: 400 });
  await accepted(client);
});

// test/api/catalog/customer-product-owner.test.ts has the limit of customer products.
test('endpoints have a limit of the client', async () => {
  const client = await clientWith({ endpoints: 1 });
  const endpoint = () =>
    request(app).post('/v1/webhooks').set(client.keyAndSecret).send({ url: 'https://shop.example/hooks' });
  const { body } = await endpoint().expect(200);
  expect((await endpoint().expect(429)).body.detail).toEqual({ quota: 'endpoints', limit: 1 });
  expect(await usedBy(client.id)).toMatchObject({ endpoints: 1, customerProducts: 0 });
  await request(app).delete(`/v1/webhooks/${body.id}`).set(client.keyAndSecret).expect(200);
  await endpoint().expect(200);
});

test('operators read the quotas of a client; an admin sets and removes its own limits', async () => {
  const client = await clientWith({ exports: 4 });
  const path = `/v1/connectors/${client.id}/quotas`;
  const viewer = await testAccount(api.sql, 'operator', 'viewer', 'viewer');
  const { body } = await request(app).get(path).set(viewer.key).expect(200);
  expect(body.quotas.map(({ name }: { name: string }) => name)).toEqual(QUOTA_NAMES);
  expect(body.quotas).toContainEqual(expect.objectContaining({ name: 'exports', limit: 4, isOwn: true, used: 0 }));
  expect(body.quotas).toContainEqual(expect.objectContaining({ name: 'drafts', limit: 3, isOwn: false, used: 0 }));
  expect(body.quotas).toContainEqual(expect.objectContaining({ name: 'endpoints', limit: 20, isOwn: false }));

  for (const quotas of [{ drafts: -1 }, { drafts: 1.5 }, { drafts: 'many' }])
    await change(client.id, quotas).expect(400);
  expect((await change(client.id, null).expect(200)).body.quotas).toBeNull();
  const after = await request(app).get(path).set(viewer.key).expect(200);
  expect(after.body.quotas).toContainEqual(expect.objectContaining({ name: 'exports', limit: 2, isOwn: false }));
});
