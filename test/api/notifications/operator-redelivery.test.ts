import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../api/app';
import { notificationRoutes } from '../../../api/notifications/webhook-routes';
import { json, type Sql } from '../../../src/platform/postgres';
import { type TestAccount, testAccount, testApiDeps } from '../../support/api-deps';
import { testDatabase } from '../../support/database';
import { insertOrder } from '../../support/rows/order-rows';

/** Operators read the notifications of clients, by order and by endpoint, and send them again. */

let sql: Sql;
let app: Express;
let client: TestAccount;
let endpointId: string;
let orderId: string;
const operators = {} as Record<'viewer' | 'operator', TestAccount>;

const FAILED = {
  at: '2026-01-05T10:00:00.000Z',
  durationMs: 12,
  status: 503,
  error: 'the endpoint responded with 503',
  response: 'down',
};

beforeAll(async () => {
  ({ sql } = await testDatabase());
  const deps = await testApiDeps(sql);
  app = createApp(deps, notificationRoutes(deps));
  for (const role of ['viewer', 'operator'] as const) operators[role] = await testAccount(sql, 'operator', role, role);
});
beforeEach(async () => {
  client = await testAccount(sql, 'client');
  orderId = await insertOrder(sql, client.id);
  const created = await request(app)
    .post('/v1/webhooks')
    .set(client.keyAndSecret)
    .send({ url: 'https://shop.example/hooks' })
    .expect(200);
  endpointId = created.body.id;
});

async function delivery(state: 'pending' | 'delivered' | 'dead', order: string | null = orderId) {
  const attempts = state === 'dead' ? [FAILED] : [];
  const [row] = await sql<{ id: string }[]>`
    INSERT INTO webhook_deliveries (id, endpoint_id, message_id, event, order_id, body, state, attempts, settled_at)
    VALUES (gen_random_uuid(), ${endpointId}, gen_random_uuid(), 'order_status_updated', ${order}, '{}', ${state},
      ${json(sql, attempts)}, ${state === 'pending' ? null : sql`now()`}) RETURNING id`;
  return row!.id;
}
const get = (path: string, by = operators.viewer) => request(app).get(path).set(by.key);
const post = (path: string, by = operators.operator) => request(app).post(path).set(by.key);
const queued = async (deliveryId: string) =>
  (await sql`SELECT FROM outbox WHERE kind = 'notification' AND payload ->> 'deliveryId' = ${deliveryId}`).length;
const audited = () =>
  sql`SELECT actor_name, object_id, after FROM audit_log WHERE action = 'endpoint.redeliver' AND object_id = ${endpointId}`;

describe('the notifications about an order', () => {
  it('are listed with endpoint and attempts, filtered by state and paged', async () => {
    const ids = [await delivery('delivered'), await delivery('dead'), await delivery('pending')];
    await delivery('dead', await insertOrder(sql, client.id));
    const all = (await get(`/v1/operator/orders/${orderId}/deliveries`).expect(200)).body;
    expect(all.deliveries.map(({ id }: { id: string }) => id)).toEqual([...ids].sort().reverse());
    expect(all.nextCursor).toBeNull();
    const dead = (await get(`/v1/operator/orders/${orderId}/deliveries?state=dead`).expect(200)).body;
    expect(dead.deliveries).toEqual([
      expect.objectContaining({
        id: ids[1],
        state: 'dead',
        attempts: [FAILED],
        endpoint: { id: endpointId, url: 'https://shop.example/hooks', enabled: true },
      }),
    ]);
    const first = (await get(`/v1/operator/orders/${orderId}/deliveries?limit=2`).expect(200)).body;
    const next = `/v1/operator/orders/${orderId}/deliveries?limit=2&cursor=${first.nextCursor}`;
    expect([...first.deliveries, ...(await get(next).expect(200)).body.deliveries]).toEqual(all.deliveries);
  });

  it('are sent again, once, and the audit log has each request', async () => {
    const id = await delivery('dead');
    const path = `/v1/operator/orders/${orderId}/deliveries/${id}/redeliver`;
    expect((await post(path).expect(200)).body).toMatchObject({ id, state: 'pending', settledAt: null });
    expect(await queued(id)).toBe(1);
    // The message is due: a second request changes nothing.
    const [row] = await sql`SELECT id FROM outbox WHERE payload ->> 'deliveryId' = ${id}`;
    expect((await post(path).expect(200)).body).toMatchObject({ id, state: 'pending' });
    expect(await sql`SELECT id FROM outbox WHERE payload ->> 'deliveryId' = ${id}`).toEqual([row]);
    const entry = { actorName: 'operator', objectId: endpointId, after: { deliveryId: id, orderId } };
    expect(await audited()).toEqual([entry, entry]);
  });

  it('are refused while the endpoint is disabled', async () => {
    const id = await delivery('dead');
    await sql`UPDATE webhook_endpoints SET enabled = false WHERE id = ${endpointId}`;
    await post(`/v1/operator/orders/${orderId}/deliveries/${id}/redeliver`).expect(409);
    expect(await queued(id)).toBe(0);
    expect(await audited()).toEqual([]);
  });

  it('are not found for another or an unknown order', async () => {
    const id = await delivery('dead');
    const other = await insertOrder(sql, client.id);
    await post(`/v1/operator/orders/${other}/deliveries/${id}/redeliver`).expect(404);
    await post(`/v1/operator/orders/${orderId}/deliveries/none/redeliver`).expect(404);
    await get('/v1/operator/orders/no-such-order/deliveries').expect(404);
    await get(`/v1/operator/orders/${orderId}/deliveries?state=lost`).expect(400);
    await get(`/v1/operator/orders/${orderId}/deliveries?cursor=1`).expect(400);
  });
});

describe('the endpoints of a client', () => {
  it('are listed with their health and without secrets', async () => {
    await delivery('delivered');
    await delivery('dead');
    await delivery('dead');
    const { body, text } = await get(`/v1/connectors/${client.id}/webhooks`).expect(200);
    expect(body.webhooks).toEqual([
      expect.objectContaining({
        id: endpointId,
        enabled: true,
        health: {
          dead: 2,
          recent: { delivered: 1, pending: 0, dead: 2, failedAttempts: 2 },
          lastDeliveredAt: expect.any(String),
          lastFailure: FAILED,
        },
      }),
    ]);
    expect(text).not.toContain('whsec_');
    await get('/v1/connectors/00000000-0000-7000-8000-000000000000/webhooks').expect(404);
    await get('/v1/connectors/none/webhooks').expect(404);
  });

  it('an endpoint without deliveries has empty figures', async () => {
    const { body } = await get(`/v1/connectors/${client.id}/webhooks`).expect(200);
    expect(body.webhooks[0].health).toEqual({
      dead: 0,
      recent: { delivered: 0, pending: 0, dead: 0, failedAttempts: 0 },
      lastDeliveredAt: null,
      lastFailure: null,
    });
  });

  it('their dead letters are sent again', async () => {
    const ids = [await delivery('dead'), await delivery('dead')];
    const path = `/v1/connectors/${client.id}/webhooks/${endpointId}`;
    const listed = (await get(`${path}/deliveries?state=dead`).expect(200)).body.deliveries;
    expect(listed).toHaveLength(2);
    await get(`${path}/deliveries/${ids[0]}`).expect(200);
    await post(`${path}/deliveries/${ids[0]}/redeliver`).expect(200);
    expect((await post(`${path}/redeliver-dead`).expect(200)).body).toEqual({ redelivered: 1 });
    for (const id of ids) expect(await queued(id)).toBe(1);
    expect((await audited()).map(({ after }) => after)).toEqual([{ deliveryId: ids[0] }, { redelivered: 1 }]);
  });

  it('are found only under their own client', async () => {
    const id = await delivery('dead');
    const other = await testAccount(sql, 'client');
    await get(`/v1/connectors/${other.id}/webhooks/${endpointId}/deliveries`).expect(404);
    await post(`/v1/connectors/${other.id}/webhooks/${endpointId}/deliveries/${id}/redeliver`).expect(404);
    await post(`/v1/connectors/none/webhooks/${endpointId}/redeliver-dead`).expect(404);
    expect(await queued(id)).toBe(0);
  });
});
