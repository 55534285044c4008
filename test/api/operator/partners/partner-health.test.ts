import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../../api/app';
import { operatorPartnerRoutes } from '../../../../api/operator/partners/partners';
import { subscribe } from '../../../../src/partners/partner-rows';
import { recordStockReports } from '../../../../src/partners/stock-levels';
import { type TestAccount, testAccount } from '../../../support/api-deps';
import { type PartnerServer, partnerServer } from '../../../support/other-systems/partner-server';
import { plannedPrintOrder } from '../../../support/rows/planned-print-order';
import { testSecretBox } from '../../../support/secret-box';
import { type OrdersApi, ordersApi, subscribedPartners } from '../../orders/orders-api';
import { order } from '../../orders/sample-orders';

/** Operators see how a print partner does, and send it a test message. */

let api: OrdersApi;
let app: Express;
let partner: PartnerServer;
let partnerId: string;
let otherId: string;
let operator: TestAccount;
let viewer: TestAccount;

beforeAll(async () => {
  api = await ordersApi();
  app = createApp(api.deps, operatorPartnerRoutes(api.deps));
  partner = await partnerServer();
  ({ berlin: partnerId, ohio: otherId } = await subscribedPartners(api));
  await subscribe({ sql: api.sql, secretBox: testSecretBox }, partnerId, {
    orderSubmitUrl: `${partner.url}/orders`,
    apparelOrderSubmitUrl: null,
    orderCancelUrl: null,
    orderUpdateUrl: null,
    inventoryUrl: null,
    printOrderVersion: null,
  });
  operator = await testAccount(api.sql, 'operator', 'grace', 'operator');
  viewer = await testAccount(api.sql, 'operator', 'viewer', 'viewer');
});

const get = (path: string, by = viewer) => request(app).get(`/v1/partners/${path}`).set(by.key);
const ping = (id: string, by = operator) => request(app).post(`/v1/partners/${id}/ping`).set(by.key);

/** Inserts a sent print order that was accepted after some seconds, and its postbacks. */
async function sent(acceptSeconds: number | null, dispatchDate: string, postbacks: [string, string][]) {
  const { id: orderId } = (await api.submit(order()).expect(200)).body;
  const id = await plannedPrintOrder(api.sql, { orderId, partnerId: otherId, body: {} });
  await api.sql`
    UPDATE print_orders SET dispatch_date = ${dispatchDate}, created_at = '2026-01-05T10:00:00Z',
      accepted_at = '2026-01-05T10:00:00Z'::timestamptz + make_interval(secs => ${acceptSeconds}) WHERE id = ${id}`;
  await api.sql`
    INSERT INTO print_jobs (print_order_id, order_item_id, quantity)
    SELECT ${id}, id, quantity FROM order_items WHERE order_id = ${orderId}`;
  for (const [status, at] of postbacks)
    await api.sql`
      INSERT INTO postbacks (partner_id, order_id, print_order_id, fingerprint, body, received_at)
      VALUES (${otherId}, ${orderId}, ${id}, ${Buffer.from(status + at)}, ${api.sql.json({ status })}, ${at})`;
}

test('the figures show acceptance, lateness, errors and the age of stock reports', async () => {
  const empty = (await get(`${otherId}/health`).expect(200)).body;
  expect(empty).toMatchObject({
    printOrders: 0,
    acceptSecondsMedian: null,
    lateShare: null,
    lastPostbackAt: null,
  });
  expect(empty.stock).toEqual({ skus: 0, oldest: null, newest: null });

  await sent(10, '2026-01-09', [['shipped', '2026-01-09T12:00:00Z']]);
  await sent(30, '2026-01-09', [
    ['error', '2026-01-08T12:00:00Z'],
    ['shipped', '2026-01-12T12:00:00Z'],
  ]);
  await sent(20, '2026-01-09', []);
  await sent(null, '9999-01-01', []);
  const report = (SKU: string) => ({ SKU, status: 'in-stock' as const, amount: 5, replenishmentDate: '' });
  await recordStockReports(api.sql, otherId, [report('a')], new Date('2026-01-05T10:00:00Z'));
  await recordStockReports(api.sql, otherId, [report('b')], new Date('2026-01-06T10:00:00Z'));

  const { stock, ...figures } = (await get(`${otherId}/health`).expect(200)).body;
  expect(figures).toMatchObject({
    printOrders: 4,
    accepted: 3,
    acceptSecondsMedian: 20,
    acceptSecondsP95: 29,
    due: 3,
    late: 2,
    lateShare: 2 / 3,
    errors: 1,
    requests: { accepted: 0, retry: 0, refused: 0 },
    lastRequestAt: null,
    lastPostbackAt: '2026-01-12T12:00:00.000Z',
  });
  expect(stock.skus).toBe(2);
  expect(new Date(stock.oldest).toISOString()).toBe('2026-01-05T10:00:00.000Z');
  expect(new Date(stock.newest).toISOString()).toBe('2026-01-06T10:00:00.000Z');
});

test('postbacks of a partner are listed, newest first, in pages', async () => {
  const { postbacks, nextCursor } = (await get(`${otherId}/postbacks`).expect(200)).body;
  expect(nextCursor).toBeNull();
  expect(postbacks.map(({ status }: { status: string }) => status)).toEqual(['shipped', 'error', 'shipped']);
  expect(postbacks[0]).toEqual({
    id: expect.stringMatching(/^\d+$/),
    orderId: expect.any(String),
    printOrderId: expect.stringMatching(/^\d+$/),
    status: 'shipped',
    message: null,
    trackingCode: null,
    receivedAt: '2026-01-12T12:00:00.000Z',
    handledAt: null,
  });
  const first = (await get(`${otherId}/postbacks?limit=2`).expect(200)).body;
  const rest = (await get(`${otherId}/postbacks?limit=2&cursor=${first.nextCursor}`).expect(200)).body;
  expect([...first.postbacks, ...rest.postbacks]).toEqual(postbacks);
  expect((await get(`${partnerId}/postbacks`).expect(200)).body.postbacks).toEqual([]);
});

test('a ping is signed and sent once, returns the response of the partner, and is logged', async () => {
  partner.respondWith(200, '{"pong": true}');
  const { body } = await ping(partnerId).expect(200);
  expect(body).toMatchObject({
    kind: 'ping',
    printOrderId: null,
    status: 200,
    outcome: 'accepted',
    response: '{"pong": true}',
  });
  expect(partner.received).toHaveLength(1);
  expect(partner.received[0]).toMatchObject({
    path: '/orders',
    headers: {
      'webhook-id': expect.stringMatching(/^ping_/),
      'webhook-signature': expect.stringMatching(/^v1,/),
    },
  });
  expect(JSON.parse(partner.received[0]!.body)).toEqual({ type: 'ping', sentAt: expect.any(String) });

  partner.respondWith(500, 'down');
  expect((await ping(partnerId).expect(200)).body).toMatchObject({ status: 500, outcome: 'retry' });
  expect(partner.received).toHaveLength(2);
  const { requests, nextCursor } = (await get(`${partnerId}/requests`).expect(200)).body;
  expect(requests.map(({ status }: { status: number }) => status)).toEqual([500, 200]);
  expect(nextCursor).toBeNull();
  const first = (await get(`${partnerId}/requests?limit=1`).expect(200)).body;
  const rest = (await get(`${partnerId}/requests?limit=1&cursor=${first.nextCursor}`).expect(200)).body;
  expect([...first.requests, ...rest.requests]).toEqual(requests);
  const entries = await api.sql`SELECT actor_name, after FROM audit_log WHERE action = 'partner.ping' ORDER BY id`;
  expect(entries).toEqual([
    { actorName: 'grace', after: { status: 200, outcome: 'accepted' } },
    { actorName: 'grace', after: { status: 500, outcome: 'retry' } },
  ]);
});

test('a partner without an address cannot be pinged, and an unknown one is 404', async () => {
  await api.sql`UPDATE partners SET order_submit_url = NULL WHERE account_id = ${otherId}`;
  await ping(otherId).expect(409);
  for (const path of ['none/health', 'none/requests', 'none/postbacks']) await get(path).expect(404);
  await ping('none').expect(404);
  await get(`${partnerId}/requests?cursor=x`).expect(400);
});
