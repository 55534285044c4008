import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../api/app';
import { clientRoutes } from '../../../api/clients/routes';
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

test('only operators read the figures, and only of clients that exist', async () => {
  await health(api.client.id, api.client).expect(403);
  await health('none').expect(404);
});
