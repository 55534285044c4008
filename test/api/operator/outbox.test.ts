import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../api/app';
import { outboxRoutes } from '../../../api/operator/outbox';
import type { Sql } from '../../../src/platform/postgres';
import { type TestAccount, testAccount, testApiDeps } from '../../support/api-deps';
import { testDatabase } from '../../support/database';
import { everyPage } from '../../support/every-page';

/** Operators read the outbox by state, and replay dead letters. */

const ORDER = '01a1fc21-0000-7000-8000-000000000001';
let sql: Sql;
let app: Express;
let viewer: TestAccount;
let operator: TestAccount;

beforeAll(async () => {
  ({ sql } = await testDatabase());
  const deps = await testApiDeps(sql);
  app = createApp(deps, outboxRoutes(deps));
  viewer = await testAccount(sql, 'operator', 'viewer', 'viewer');
  operator = await testAccount(sql, 'operator', 'operator', 'operator');
});
beforeEach(async () => {
  await sql`DELETE FROM outbox`;
});

/** Inserts a message that is due, or died, the given seconds from now. Returns its id. */
async function message(
  kind: string,
  target: string,
  seconds: number,
  { dead = false, attempts = 0, error = null as string | null, payload = {} as object } = {},
): Promise<string> {
  const [row] = await sql<{ id: string }[]>`
    INSERT INTO outbox (kind, target, payload, attempts, last_error, available_at, dead_at)
    VALUES (${kind}, ${target}, ${sql.json(payload as never)}, ${attempts}, ${error},
      now() + make_interval(secs => ${seconds}), ${dead ? sql`now() + make_interval(secs => ${seconds})` : null})
    RETURNING id`;
  return row!.id;
}
const get = (query: string) => request(app).get(`/v1/operator/outbox${query}`).set(viewer.key);
const replay = (body: object) => request(app).post('/v1/operator/outbox/dead/replay').set(operator.key).send(body);
const idsOf = (messages: { id: string }[]) => messages.map(({ id }) => id);

test('pending messages are listed by their next attempt, over all kinds', async () => {
  const later = await message('notification', 'endpoint-1', 300, {
    attempts: 2,
    error: 'the endpoint responded with 503',
    payload: { deliveryId: 'd-1' },
  });
  const first = await message('signal_workflow', `order-${ORDER}`, 10);
  const second = await message('start_workflow', 'procurement-order-7', 60);
  await message('notification', 'endpoint-1', -5, { dead: true });
  const { messages, nextCursor } = (await get('').expect(200)).body;
  expect(idsOf(messages)).toEqual([first, second, later]);
  expect(nextCursor).toBeNull();
  expect(messages[0]).toMatchObject({
    kind: 'signal_workflow',
    state: 'pending',
    target: `order-${ORDER}`,
    orderId: ORDER,
    deliveryId: null,
    deadAt: null,
  });
  expect(messages[1]).toMatchObject({ orderId: null, procurementOrderId: '7', clientId: null });
  expect(messages[2]).toMatchObject({
    attempts: 2,
    lastError: 'the endpoint responded with 503',
    deliveryId: 'd-1',
    nextAttemptAt: expect.any(String),
  });
  expect(JSON.stringify(messages)).not.toContain('payload');
});

test('dead letters are listed newest first, by kind and target', async () => {
  const dead = { dead: true, attempts: 10, error: 'gave up' };
  const old = await message('notification', 'endpoint-1', -500, dead);
  const recent = await message('notification', 'endpoint-2', -10, dead);
  const signal = await message('signal_workflow', `order-${ORDER}`, -100, dead);
  await message('notification', 'endpoint-1', 10);
  const list = async (query: string) => (await get(`?state=dead${query}`).expect(200)).body.messages;
  expect(idsOf(await list(''))).toEqual([recent, signal, old]);
  expect(idsOf(await list('&kind=notification'))).toEqual([recent, old]);
  expect(idsOf(await list('&target=endpoint-1'))).toEqual([old]);
  expect((await list('&kind=signal_workflow'))[0]).toMatchObject({
    state: 'dead',
    nextAttemptAt: null,
    deadAt: expect.any(String),
    lastError: 'gave up',
  });
});

test.each(['pending', 'dead'])('%s messages are paged without gaps, also within one instant', async (state) => {
  await sql`
    INSERT INTO outbox (kind, target, payload, available_at, dead_at)
    SELECT (ARRAY['notification', 'signal_workflow', 'start_workflow'])[n % 3 + 1], 't' || n, '{}', at,
      CASE WHEN ${state === 'dead'} THEN at END
    FROM generate_series(1, 20) n, LATERAL (SELECT now() + make_interval(secs => (n / 5)::int) AS at) t`;
  const all = (await get(`?state=${state}`).expect(200)).body.messages;
  expect(all).toHaveLength(20);
  const page = async (cursor: object) =>
    (
      await get('')
        .query({ state, limit: 3, ...cursor })
        .expect(200)
    ).body;
  expect(await everyPage(page, 'messages')).toEqual(all);
});

test('a selection of dead letters is replayed, and becomes pending', async () => {
  const [one, two] = [
    await message('notification', 'endpoint-1', -10, { dead: true }),
    await message('notification', 'endpoint-1', -10, { dead: true }),
  ];
  await replay({ ids: [one], reason: 'endpoint repaired' }).expect(200, { replayed: 1 });
  const [logged] = await sql`SELECT after FROM audit_log WHERE action = 'outbox.replay' ORDER BY at DESC LIMIT 1`;
  expect(logged).toMatchObject({ after: { ids: [one], replayed: 1, reason: 'endpoint repaired' } });
  expect(idsOf((await get('').expect(200)).body.messages)).toEqual([one]);
  expect(idsOf((await get('?state=dead').expect(200)).body.messages)).toEqual([two]);
});

test('all dead letters of one target are replayed, and no other', async () => {
  const other = await message('signal_workflow', 'order-b', -10, { dead: true });
  const wanted = await message('signal_workflow', 'order-a', -10, { dead: true });
  await replay({ target: 'order-a', reason: 'repaired' }).expect(200, { replayed: 1 });
  expect(idsOf((await get('?state=pending&target=order-a').expect(200)).body.messages)).toEqual([wanted]);
  expect(idsOf((await get('?state=dead&target=order-b').expect(200)).body.messages)).toEqual([other]);
});

test('bad input gets 400', async () => {
  for (const query of ['?state=lost', '?kind=letter', '?cursor=x', '?limit=0', '?format=xml'])
    await get(query).expect(400);
});
