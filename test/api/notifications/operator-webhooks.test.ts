import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../api/app';
import { notificationRoutes } from '../../../api/notifications/webhook-routes';
import { allRoutes } from '../../../api/routes';
import { type DigestSource, JOB_DIGEST, OUTBOX_DIGEST, sendDigests } from '../../../src/notifications/operator-digest';
import { ATTENTION_DIGEST } from '../../../src/orders/reading/attention-counts';
import type { Sql } from '../../../src/platform/postgres';
import { type TestAccount, testAccount, testApiDeps } from '../../support/api-deps';
import { testDatabase } from '../../support/database';
import { insertOrder } from '../../support/rows/order-rows';

/** Operators' endpoints, and what they are sent. The relay delivers it as it delivers clients' notifications. */

const SOURCES = [ATTENTION_DIGEST, OUTBOX_DIGEST, JOB_DIGEST];
const url = 'https://alerts.example/hooks';
let sql: Sql;
let app: Express;
let admin: TestAccount;
let digest: (sources?: readonly DigestSource[]) => Promise<number>;

beforeAll(async () => {
  ({ sql } = await testDatabase());
  const deps = await testApiDeps(sql, {
    config: { OUTBOUND_ALLOW_PRIVATE: false, TEMPORAL_UI_URL: 'https://ui.test' },
  });
  app = createApp(deps, notificationRoutes(deps));
  digest = (sources = SOURCES) => sendDigests(deps, sources);
});
beforeEach(async () => {
  await sql`DELETE FROM webhook_endpoints`;
  await sql`DELETE FROM operator_digests`;
  await sql`DELETE FROM outbox`;
  await sql`DELETE FROM job_runs`;
  await sql`UPDATE orders SET attention = NULL`;
  admin = await testAccount(sql, 'operator');
});

const create = (body: object = { url }, account = admin) =>
  request(app).post('/v1/operator/webhooks').set(account.key).send(body);

/** Stores an order that has needed attention for some time. */
async function needsAttention(reason: string, secondsAgo: number): Promise<string> {
  const id = await insertOrder(sql);
  await sql`UPDATE orders SET attention = ${[reason]} WHERE id = ${id}`;
  await sql`
    UPDATE orders SET attention_since = jsonb_build_object(${reason}::text, now() - make_interval(secs => ${secondsAgo}))
    WHERE id = ${id}`;
  return id;
}

async function sent(): Promise<Record<string, unknown>[]> {
  const rows = await sql<{ body: string }[]>`SELECT body FROM webhook_deliveries ORDER BY id`;
  return rows.map(({ body }) => JSON.parse(body));
}

describe('/v1/operator/webhooks', () => {
  it('creates an endpoint for all operator events, and returns its secret once', async () => {
    const created = await create();
    expect(created.status).toBe(200);
    expect(created.body).toMatchObject({
      url,
      events: ['attention_raised', 'outbox_dead', 'job_failed'],
      enabled: true,
      secret: expect.stringMatching(/^whsec_/),
    });
    const listed = await request(app).get('/v1/operator/webhooks').set(admin.key);
    const { secret: _, ...shown } = created.body;
    const { id, name } = admin;
    expect(listed.body).toEqual({ webhooks: [{ ...shown, operator: { id, name } }] });
  });

  it('admins list, read and delete the endpoints of every operator, and change only their own', async () => {
    const other = await testAccount(sql, 'operator');
    const { body: endpoint } = await create({ url }, other);
    const { secret: _, ...shown } = endpoint;
    await sql`UPDATE accounts SET operator_role = 'viewer' WHERE id = ${other.id}`;
    await create();
    const path = `/v1/operator/webhooks/${endpoint.id}`;
    const listed = async (account: TestAccount) =>
      (await request(app).get('/v1/operator/webhooks').set(account.key).expect(200)).body.webhooks;
    expect((await listed(admin)).map(({ operator }: { operator: object }) => operator)).toEqual(
      [other, admin].map(({ id, name }) => ({ id, name })),
    );
    expect(await listed(other)).toMatchObject([{ id: endpoint.id }]);
    expect((await request(app).get(path).set(admin.key).expect(200)).body).toEqual(shown);
    await request(app).patch(path).set(admin.key).send({ enabled: false }).expect(404);
    await request(app).delete(path).set(admin.key).expect(200);
    expect(await listed(other)).toEqual([]);

    const client = await testAccount(sql, 'client');
    const ofClient = await request(app).post('/v1/webhooks').set(client.keyAndSecret).send({ url });
    await request(app).delete(`/v1/operator/webhooks/${ofClient.body.id}`).set(admin.key).expect(404);
    expect(await listed(admin)).toHaveLength(1);
  });

  it('refuses events of clients', async () => {
    const response = await create({ url, events: ['order_status_updated'] });
    expect(response.status).toBe(400);
    expect(response.body.errors[0].reference).toBe('events[0]');
  });

  it('sends a test event', async () => {
    const { body: endpoint } = await create();
    const test = await request(app).post(`/v1/operator/webhooks/${endpoint.id}/test`).set(admin.key);
    expect(test.body).toMatchObject({ event: 'endpoint_test', state: 'pending' });
  });
});

describe('a digest', () => {
  it('names the orders that need attention, with the reason, the count and a link', async () => {
    await create();
    const first = await needsAttention('partner_refused', 60);
    const second = await needsAttention('partner_refused', 30);
    expect(await digest()).toBe(1);
    expect(await sent()).toEqual([
      {
        id: expect.any(String),
        event: 'attention_raised',
        created: expect.any(String),
        reason: 'partner_refused',
        count: 2,
        since: expect.any(String),
        orders: [
          { id: first, orderReferenceId: 'ref' },
          { id: second, orderReferenceId: 'ref' },
        ],
        link: 'https://pressline.test/console/attention?reason=partner_refused',
      },
    ]);
  });

  it('is sent at most once in five minutes for a reason, and then has what was raised meanwhile', async () => {
    await create();
    await needsAttention('partner_refused', 60);
    expect(await digest()).toBe(1);
    await sql`UPDATE operator_digests SET covered_until = covered_until - interval '20 s'`;
    await needsAttention('partner_refused', 10);
    expect(await digest()).toBe(0);
    await needsAttention('no_partner', 10);
    expect(await digest()).toBe(1);
    await sql`UPDATE operator_digests SET sent_at = sent_at - interval '5 min' WHERE reason = 'partner_refused'`;
    expect(await digest()).toBe(1);
    expect((await sent()).map(({ reason, count }) => [reason, count])).toEqual([
      ['partner_refused', 1],
      ['no_partner', 1],
      ['partner_refused', 1],
    ]);
    await sql`UPDATE operator_digests SET sent_at = sent_at - interval '5 min'`;
    expect(await digest()).toBe(0);
  });

  it('reports dead letters by kind, and failed jobs with their error', async () => {
    await create();
    await sql`
      INSERT INTO outbox (kind, target, payload, dead_at, last_error)
      SELECT 'signal_workflow', 'order-1', '{}', now() - interval '20 s', 'gone' FROM generate_series(1, 12)`;
    await sql`
      INSERT INTO job_runs (job, last_ended_at, last_seconds, last_error)
      VALUES ('reconcile', now() - interval '20 s', 3, 'no such table')`;
    expect(await digest()).toBe(2);
    const [dead, failed] = await sent();
    expect(dead).toMatchObject({ event: 'outbox_dead', reason: 'signal_workflow', count: 12 });
    expect(dead!.messages).toHaveLength(10);
    expect(dead!.link).toBe('https://pressline.test/console/outbox?state=dead&kind=signal_workflow');
    expect(failed).toMatchObject({
      event: 'job_failed',
      reason: 'reconcile',
      count: 1,
      error: 'no such table',
      link: 'https://pressline.test/console/system',
    });
  });

  it('goes to every enabled endpoint that has the event, of admins that are not revoked', async () => {
    const { body: all } = await create();
    await create({ url, events: ['job_failed'] });
    await create({ url, enabled: false });
    const gone = await testAccount(sql, 'operator');
    await create({ url }, gone);
    await sql`UPDATE accounts SET revoked_at = now() WHERE id = ${gone.id}`;
    const demoted = await testAccount(sql, 'operator');
    await create({ url }, demoted);
    await sql`UPDATE accounts SET operator_role = 'operator' WHERE id = ${demoted.id}`;
    await needsAttention('no_partner', 10);
    expect(await digest()).toBe(1);
    const rows = await sql<{ endpointId: string }[]>`SELECT endpoint_id FROM webhook_deliveries`;
    expect(rows).toEqual([{ endpointId: all.id }]);
  });

  it('is made by one process at a time', async () => {
    await create();
    await needsAttention('no_partner', 10);
    const counts = await Promise.all([digest(), digest(), digest()]);
    expect(counts.reduce((sum, count) => sum + count)).toBe(1);
    expect(await sent()).toHaveLength(1);
  });
});

test('viewers do not see the tokens in the addresses of endpoints, neither in lists nor in the audit log', async () => {
  const deps = await testApiDeps(sql);
  const all = createApp(deps, allRoutes(deps));
  const client = await testAccount(sql, 'client');
  const secret = 'https://hooks.example/services/T0/very-secret?token=also-secret';
  await request(all).post('/v1/webhooks').set(client.keyAndSecret).send({ url: secret }).expect(200);
  const viewer = await testAccount(sql, 'operator', 'sees-no-token', 'viewer');
  await create({ url: secret }, admin).expect(200);
  await sql`UPDATE webhook_endpoints SET client_id = ${viewer.id} WHERE client_id = ${admin.id}`;
  for (const path of [
    `/v1/connectors/${client.id}/webhooks`,
    '/v1/operator/webhooks',
    '/v1/operator/audit?object=endpoint',
  ]) {
    const seen = await request(all).get(path).set(viewer.key).expect(200);
    expect([path, seen.text]).toEqual([path, expect.stringContaining('https://hooks.example/…')]);
    expect([path, seen.text]).toEqual([path, expect.not.stringContaining('secret')]);
  }
  const { text } = await request(all).get(`/v1/connectors/${client.id}/webhooks`).set(admin.key).expect(200);
  expect(text).toContain(secret);
});
