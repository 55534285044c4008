import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../api/app';
import { clientRoutes } from '../../../api/clients';
import { type TestAccount, testAccount } from '../../support/api-deps';
import { type OrdersApi, ordersApi } from '../orders/orders-api';
import { order } from '../orders/sample-orders';

/** Operators see how the orders of a client do. */

let api: OrdersApi;
let app: Express;
let viewer: TestAccount;

beforeAll(async () => {
  api = await ordersApi();
  app = createApp(api.deps, clientRoutes(api.deps));
  viewer = await testAccount(api.sql, 'operator', 'viewer', 'viewer');
});

const health = (id: string, by = viewer) => request(app).get(`/v1/connectors/${id}/health`).set(by.key);

test('the figures count the latest orders by status, without drafts', async () => {
  expect((await health(api.client.id).expect(200)).body).toEqual({
    orders: 0,
    needAttention: 0,
    byStatus: [],
    oldestAt: null,
    newestAt: null,
  });
  const ids: string[] = [];
  for (const orderReferenceId of ['a', 'b', 'c'])
    ids.push((await api.submit(order({ orderReferenceId })).expect(200)).body.id);
  await api.submit(order({ orderReferenceId: 'd', orderType: 'draft' })).expect(200);
  await api.sql`UPDATE orders SET attention = '{partner_error}' WHERE id = ${ids[0]!}`;
  await api.sql`UPDATE orders SET fulfillment_status = 'delivered' WHERE id = ${ids[1]!}`;

  const { oldestAt, newestAt, ...figures } = (await health(api.client.id).expect(200)).body;
  expect(figures).toEqual({
    orders: 3,
    needAttention: 1,
    byStatus: [
      { status: 'created', orders: 2 },
      { status: 'delivered', orders: 1 },
    ],
  });
  expect(Date.parse(oldestAt)).toBeLessThan(Date.parse(newestAt));
});

test('the faults of print files are counted by check, the most frequent first', async () => {
  const client = await testAccount(api.sql, 'client');
  const faults = async () => {
    const { body } = await request(app).get(`/v1/connectors/${client.id}/file-faults`).set(viewer.key).expect(200);
    return body;
  };
  expect(await faults()).toEqual({ files: 0, faults: [] });
  const finding = (code: string, severity: string, page: number) => ({ code, severity, message: `${code} on ${page}` });
  const checksOf = [
    [finding('bleed', 'warning', 1), finding('bleed', 'warning', 2), finding('orientation', 'ok', 1)],
    [finding('bleed', 'warning', 3), finding('page_size', 'error', 3)],
    [],
  ];
  for (const [index, checks] of checksOf.entries()) {
    const fields = order({ orderReferenceId: `faults-${index}`, items: [order().items[0]!] });
    const { id } = (await api.submit(fields, client).expect(200)).body;
    await api.sql`
      UPDATE order_files f SET facts = '{}', checks = ${api.sql.json(checks)} FROM order_items i
      WHERE i.id = f.order_item_id AND i.order_id = ${id}`;
  }
  const latest = { orderReferenceId: 'faults-1', orderId: expect.any(String), at: expect.any(String) };
  expect(await faults()).toEqual({
    files: 3,
    faults: [
      { code: 'bleed', severity: 'warning', files: 2, orders: 2, message: 'bleed on 3', ...latest },
      { code: 'page_size', severity: 'error', files: 1, orders: 1, message: 'page_size on 3', ...latest },
    ],
  });
});

test('an unknown client is 404', async () => {
  await health('none').expect(404);
});
