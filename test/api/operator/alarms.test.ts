import request from 'supertest';
import { createApp } from '../../../api/app';
import { alarmRoute } from '../../../api/operator/alarms';
import { ensureDemoPartners } from '../../../sandbox/demo/partners';
import { issueKey, rotateKeys } from '../../../src/accounts/accounts-and-keys';
import { testAccount } from '../../support/api-deps';
import { type OrdersApi, ordersApi } from '../orders/orders-api';

/** Alarms about endpoints, channels, keys and stock. test/workflows/bulk-repair has those about promises. */

let api: OrdersApi;

beforeAll(async () => {
  api = await ordersApi();
});

/** Reads the alarms without those of an earlier call, by kind. */
async function alarms(by = api.operator) {
  const app = createApp(api.deps, [alarmRoute(api.deps)]);
  const { body } = await request(app).get('/v1/operator/alarms').set(by.key).expect(200);
  return Object.fromEntries(
    body.alarms.map(({ kind, ...alarm }: { kind: string; count: number; rows: object[] }) => [kind, alarm]),
  );
}

test('an endpoint that is gone or fails is an alarm until it works, and one that its client disabled is none', async () => {
  const { sql, client } = api;
  const [endpoint] = await sql<{ id: string }[]>`
    INSERT INTO webhook_endpoints (id, client_id, url, events, secret)
    SELECT gen_random_uuid(), ${client.id}, 'https://shop.example/' || n || '?token=0123456789abcdef0123456789abcdef', '{}', 'x'
    FROM generate_series(1, 12) n RETURNING id`;
  expect(await alarms()).not.toHaveProperty('endpoints');
  await sql`UPDATE webhook_endpoints SET is_failing = true`;
  await sql`UPDATE webhook_endpoints SET enabled = false, disabled_reason = 'gone' WHERE id = ${endpoint!.id}`;
  const { endpoints } = await alarms();
  expect(endpoints).toMatchObject({ count: 12 });
  expect(endpoints.rows).toHaveLength(10);
  expect(endpoints.rows[0]).toMatchObject({
    account: { id: client.id, role: 'client' },
    reason: 'gone',
    subject: { id: endpoint!.id, name: expect.stringContaining('token=0123456789') },
  });
  expect(endpoints.rows[1]).toMatchObject({ reason: 'failing' });
  const viewer = await testAccount(sql, 'operator', 'viewer', 'viewer');
  const seen = (await alarms(viewer)).endpoints.rows[0].subject.name;
  expect(seen).not.toContain('0123456789');
  await sql`UPDATE webhook_endpoints SET is_failing = false, enabled = id <> ${endpoint!.id}, disabled_reason = NULL`;
  expect(await alarms()).not.toHaveProperty('endpoints');
});

test('a channel is an alarm while its latest run has failed, unless it is paused', async () => {
  const { sql, client } = api;
  await sql`
    INSERT INTO channels (id, client_id, kind, name, state, last_error, failures, last_run_at)
    SELECT gen_random_uuid(), ${client.id}, 'csv', s, s, 'The server refuses the key.', 3, now()
    FROM unnest('{active,paused}'::text[]) s`;
  expect((await alarms()).channels).toEqual({
    count: 1,
    rows: [
      expect.objectContaining({
        reason: 'run_failed',
        subject: { id: expect.any(String), name: 'active' },
        detail: 'The server refuses the key.',
        at: expect.any(String),
      }),
    ],
  });
});

test('the last key of an account is an alarm before and after its end, and a key that a rotation ends is none', async () => {
  const { sql } = api;
  const ends = async (name: string, days: number) => {
    const account = await testAccount(sql, 'client', name);
    await sql`UPDATE api_keys SET expires_at = now() + make_interval(days => ${days}) WHERE account_id = ${account.id}`;
    return account;
  };
  const soon = await ends('soon', 13);
  const over = await ends('over', -2);
  await ends('later', 20);
  await ends('long-over', -10);
  const rotated = await testAccount(sql, 'client', 'rotated');
  await sql.begin((tx) => rotateKeys(tx, rotated.id, 60));
  const { keys } = await alarms();
  expect(keys).toMatchObject({
    count: 2,
    rows: [
      { account: { id: over.id, name: 'over', role: 'client' }, reason: 'expired', at: expect.any(String) },
      { account: { id: soon.id, name: 'soon', role: 'client' }, reason: 'expires', at: expect.any(String) },
    ],
  });
  await issueKey(sql, soon.id);
  await sql`UPDATE accounts SET revoked_at = now() WHERE id = ${over.id}`;
  expect(await alarms()).not.toHaveProperty('keys');
});

test('stock is an alarm by partner and reason when it is out, or differs from the report of the partner', async () => {
  const { sql } = api;
  const berlin = await testAccount(sql, 'partner', 'prints-berlin');
  await ensureDemoPartners(sql, [{ id: berlin.id, name: 'prints-berlin' }]);
  await sql`DELETE FROM partner_stock_levels`;
  await sql`DELETE FROM stock_items`;
  await sql`
    INSERT INTO stock_items (partner_id, position, partner_sku, product_uid, quantity, backorder)
    VALUES (${berlin.id}, 1, 'A-OUT', 'a', 0, 0), (${berlin.id}, 2, 'B-OUT', 'b', 0, 0), (${berlin.id}, 3, 'C-BACK', 'c', 0, 5),
      (${berlin.id}, 4, 'D-LESS', 'd', 7, 0), (${berlin.id}, 5, 'E-SAME', 'e', 7, 0)`;
  await sql`
    INSERT INTO partner_stock_levels (partner_id, partner_sku, status, amount, reported_at)
    VALUES (${berlin.id}, 'D-LESS', 'in-stock', 3, now()), (${berlin.id}, 'E-SAME', 'in-stock', 7, now()),
      (${berlin.id}, 'A-OUT', 'out-of-stock', NULL, now()), (${berlin.id}, 'F-UNKNOWN', 'in-stock', 0, now())`;
  const { stock } = await alarms();
  const account = { id: berlin.id, name: 'prints-berlin', role: 'partner' };
  const row = (reason: string, count: number, sku: string) =>
    expect.objectContaining({ account, reason, count, subject: { id: sku, name: sku } });
  expect(stock.rows).toEqual([
    row('back_order', 1, 'C-BACK'),
    row('out_of_stock', 2, 'A-OUT'),
    row('report_differs', 1, 'D-LESS'),
    row('reported_out', 1, 'F-UNKNOWN'),
  ]);
  await sql`UPDATE partners SET enabled = false WHERE account_id = ${berlin.id}`;
  expect(await alarms()).not.toHaveProperty('stock');
});

test('nobody but operators reads the alarms', async () => {
  const app = createApp(api.deps, [alarmRoute(api.deps)]);
  await request(app).get('/v1/operator/alarms').set(api.client.keyAndSecret).expect(403);
  await request(app).get('/v1/operator/alarms').set(api.partner.key).expect(403);
});
