import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../api/app';
import { allRoutes } from '../../../api/routes';
import { orderStages } from '../../../src/orders/reading/order-stages';
import { type OrdersApi, ordersApi } from '../orders/orders-api';
import { order } from '../orders/sample-orders';

let api: OrdersApi;
let app: Express;

const read = async (key = api.operator.key) =>
  (await request(app).get('/v1/operator/summary').set(key).expect(200)).body;

beforeAll(async () => {
  api = await ordersApi();
  // Each call creates the routes with their own running totals.
  app = createApp(api.deps, allRoutes(api.deps));
});

beforeEach(() => {
  app = createApp(api.deps, allRoutes(api.deps));
});

async function submitted(): Promise<string> {
  return (await api.submit(order()).expect(200)).body.id;
}
const countOf = (body: { orders: { status: string; count: number }[] }, status: string) =>
  body.orders.find((each) => each.status === status)!.count;

test('the summary counts orders by status, ended ones too, and attention by reason with the oldest age', async () => {
  const ids = [await submitted(), await submitted(), await submitted()];
  await api.sql`UPDATE orders SET fulfillment_status = 'delivered' WHERE id = ${ids[0]!}`;
  await api.sql`UPDATE orders SET attention = '{not_printed,partner_error}' WHERE id = ${ids[1]!}`;
  await api.sql`UPDATE orders SET attention = '{not_printed}' WHERE id = ${ids[2]!}`;
  await api.sql`
    UPDATE orders SET attention_since = jsonb_build_object('not_printed', now() - interval '2 hours') WHERE id = ${ids[2]!}`;
  const body = await read();
  expect(countOf(body, 'created')).toBe(2);
  expect(countOf(body, 'delivered')).toBe(1);
  expect(countOf(body, 'canceled')).toBe(0);
  expect(body.ordersNeedingAttention).toBe(2);
  expect(body.attention).toEqual([
    { reason: 'not_printed', count: 2, oldestSeconds: expect.any(Number) },
    { reason: 'partner_error', count: 1, oldestSeconds: expect.any(Number) },
  ]);
  expect(body.attention[0].oldestSeconds).toBeGreaterThanOrEqual(7_200);
  expect(body.attention[1].oldestSeconds).toBeLessThan(600);
});

test('the summary counts the outbox by kind, with the ages of pending and dead rows', async () => {
  await api.sql`DELETE FROM outbox`;
  await submitted();
  await api.sql`
    INSERT INTO outbox (kind, target, payload, created_at, available_at, dead_at, attempts, last_error)
    VALUES ('notification', 'x', '{}', now() - interval '2 days', now(), now() - interval '1 hour', 3, 'gone')`;
  await api.sql`UPDATE outbox SET created_at = now() - interval '10 minutes' WHERE kind = 'start_workflow'`;
  const { outbox } = await read();
  const of = (kind: string) => outbox.find((row: { kind: string }) => row.kind === kind);
  expect(of('start_workflow')).toMatchObject({ pending: 1, dead: 0, oldestDeadSeconds: null });
  expect(of('start_workflow').oldestPendingSeconds).toBeGreaterThanOrEqual(600);
  expect(of('notification')).toMatchObject({ pending: 0, dead: 1, oldestPendingSeconds: null });
  expect(of('notification').oldestDeadSeconds).toBeGreaterThanOrEqual(3_600);
  expect(of('signal_workflow')).toMatchObject({ pending: 0, dead: 0 });
});

test('the summary has the orders that reached each status in the current hour and day, and how long that took', async () => {
  const before = await orderStages(api.sql);
  const ordersOf = (periods: readonly { stages: readonly { status: string; orders: number }[] }[], status: string) =>
    periods.at(-1)?.stages.find((stage) => stage.status === status)?.orders ?? 0;
  const id = await submitted();
  await api.sql`UPDATE orders SET ordered_at = now() - interval '1 hour' WHERE id = ${id}`;
  for (const status of ['uploading', 'on_hold', 'passed', 'printed', 'printed', 'shipped']) {
    await api.sql`UPDATE orders SET fulfillment_status = ${status} WHERE id = ${id}`;
  }
  const body = await read();
  for (const [name, periods] of [
    ['hours', body.hours],
    ['days', body.days],
  ] as const) {
    const added = (status: string) => ordersOf(periods, status) - ordersOf(before[name], status);
    expect(['created', 'printed', 'shipped', 'passed'].map(added)).toEqual([1, 1, 1, 0]);
    const shipped = periods.at(-1).stages.find((stage: { status: string }) => stage.status === 'shipped');
    expect(shipped.averageSeconds).toBeGreaterThanOrEqual(3_600 / shipped.orders);
  }
  expect(Date.parse(body.days.at(-1).from) % 86_400_000).toBe(0);
});

test('the summary lists the jobs with their last runs', async () => {
  await api.sql`
    INSERT INTO job_runs (job, last_ended_at, last_seconds, last_error, last_success_at)
    VALUES ('reconcile', '2026-01-05T10:00:00Z', 1.5, 'Postgres is unavailable', '2026-01-05T09:00:00Z')`;
  const { jobs } = await read();
  expect(jobs).toContainEqual({
    name: 'reconcile',
    everySeconds: 300,
    lastRun: { endedAt: '2026-01-05T10:00:00.000Z', seconds: 1.5, error: 'Postgres is unavailable' },
    lastSuccessAt: '2026-01-05T09:00:00.000Z',
  });
  expect(jobs).toContainEqual(expect.objectContaining({ name: 'tracking-sweep', lastRun: null }));
});
