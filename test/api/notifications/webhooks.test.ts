import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../api/app';
import { notificationRoutes } from '../../../api/notifications/webhook-routes';
import { QUOTAS } from '../../../src/platform/domain/quotas';
import type { Sql } from '../../../src/platform/postgres';
import { type TestAccount, testAccount, testApiDeps } from '../../support/api-deps';
import { testDatabase } from '../../support/database';
import { everyPage } from '../../support/every-page';

let sql: Sql;
let app: Express;
let client: TestAccount;

beforeAll(async () => {
  ({ sql } = await testDatabase());
  const deps = await testApiDeps(sql, { config: { OUTBOUND_ALLOW_PRIVATE: false } });
  app = createApp(deps, notificationRoutes(deps));
});
beforeEach(async () => {
  client = await testAccount(sql, 'client');
});

const url = 'https://shop.example/hooks';
const call = (method: 'get' | 'post' | 'patch' | 'delete', path: string, body?: object) =>
  request(app)[method](`/v1/webhooks${path}`).set(client.keyAndSecret).send(body);
const create = (body: object = { url }) => call('post', '', body);

describe('/v1/webhooks', () => {
  it('creates an endpoint for all events and returns its secret once', async () => {
    const created = await create();
    expect(created.status).toBe(200);
    expect(created.body).toEqual({
      id: expect.any(String),
      url,
      description: '',
      events: [
        'order_status_updated',
        'order_item_status_updated',
        'order_item_tracking_code_updated',
        'order_delivery_estimate_updated',
        'order_cancel_refused',
        'order_item_units_cancelled',
        'order_file_requested',
        'order_files_delayed',
        'claim_status_updated',
      ],
      enabled: true,
      disabledReason: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    const { secret: _, ...shown } = created.body;
    const read = await call('get', `/${created.body.id}`);
    expect(read.body).toEqual(shown);
    const listed = await call('get', '');
    expect(listed.body).toEqual({ webhooks: [shown] });
  });

  it.each([
    ['http://shop.example/hooks', 'VALIDATION_ERROR'],
    ['https://127.0.0.1/', 'VALIDATION_ERROR'],
    ['shop.example', 'VALIDATION_ERROR'],
    ['', 'IS_BLANK_ERROR'],
    [undefined, 'MISSING_FIELD_ERROR'],
  ])('refuses %p as an address', async (wrong, code) => {
    const refused = await create({ url: wrong });
    expect(refused.status).toBe(400);
    expect(refused.body.errors).toEqual([{ code, message: expect.any(String), reference: 'url' }]);
  });

  it('refuses unknown events and an empty list, naming each', async () => {
    const refused = await create({ url, events: ['order_status_updated', 'order_eaten'] });
    expect(refused.body.errors).toEqual([
      expect.objectContaining({ code: 'NO_SUCH_CHOICE_ERROR', reference: 'events[1]' }),
    ]);
    expect((await create({ url, events: [] })).status).toBe(400);
  });

  it('changes only the given fields', async () => {
    const { id } = (await create({ url, description: 'till' })).body;
    const changed = await call('patch', `/${id}`, {
      events: ['order_status_updated', 'order_status_updated'],
      enabled: false,
    });
    expect(changed.body).toMatchObject({
      url,
      description: 'till',
      events: ['order_status_updated'],
      enabled: false,
    });
    const moved = await call('patch', `/${id}`, { url: 'https://10.0.0.1/' });
    expect(moved.status).toBe(400);
  });

  it('deletes an endpoint', async () => {
    const { id } = (await create()).body;
    expect((await call('delete', `/${id}`)).body).toEqual({ id });
    expect((await call('get', `/${id}`)).status).toBe(404);
    expect((await call('delete', `/${id}`)).status).toBe(404);
  });

  it('rotates the secret with an overlap', async () => {
    const created = (await create()).body;
    const rotated = await call('post', `/${created.id}/secret`, { overlapSeconds: 60 });
    expect(rotated.body.secret).toMatch(/^whsec_/);
    expect(rotated.body.secret).not.toBe(created.secret);
    expect(Date.parse(rotated.body.previousSecretValidUntil) - Date.now()).toBeLessThan(61_000);
    const tooLong = await call('post', `/${created.id}/secret`, { overlapSeconds: 1e9 });
    expect(tooLong.status).toBe(400);
  });

  it('limits the number of endpoints of a client under concurrency', async () => {
    const responses = await Promise.all(Array.from({ length: QUOTAS.endpoints.limit + 5 }, () => create()));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(QUOTAS.endpoints.limit);
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(5);
  });
});

describe('the delivery log', () => {
  it('lists test events in pages and returns one with its body', async () => {
    const { id } = (await create()).body;
    const sent: string[] = [];
    for (let i = 0; i < 5; i++) {
      const response = await call('post', `/${id}/test`);
      expect(response.body).toMatchObject({
        event: 'endpoint_test',
        state: 'pending',
        attempts: [],
        nextAttemptAt: expect.any(String),
      });
      sent.unshift(response.body.id);
    }
    const page = async (cursor: object) =>
      (
        await call('get', `/${id}/deliveries`)
          .query({ limit: 2, ...cursor })
          .expect(200)
      ).body;
    const seen = await everyPage<{ id: string }>(page, 'deliveries');
    expect(seen.map((delivery) => delivery.id)).toEqual(sent);
    const one = await call('get', `/${id}/deliveries/${sent[0]}`);
    expect(JSON.parse(one.body.body)).toMatchObject({ event: 'endpoint_test', id: one.body.messageId });
    const none = await call('get', `/${id}/deliveries?state=dead`);
    expect(none.body).toEqual({ deliveries: [], nextCursor: null });
    expect((await call('get', `/${id}/deliveries?state=lost&limit=0`)).body.errors).toHaveLength(2);
  });

  it('redelivers one waiting or dead message, or all dead letters, of an enabled endpoint', async () => {
    const { id } = (await create()).body;
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.push((await call('post', `/${id}/test`)).body.id);
    const redeliver = (delivery: string) => call('post', `/${id}/deliveries/${delivery}/redeliver`);
    const queued = () =>
      sql`SELECT id FROM outbox WHERE payload ->> 'deliveryId' = ${ids[0]!} AND dead_at IS NULL AND available_at <= now()`;
    const [due] = await queued();
    // Being sent already.
    expect((await redeliver(ids[0]!)).body).toMatchObject({ id: ids[0], state: 'pending' });
    expect(await queued()).toEqual([due]);
    await sql`UPDATE webhook_deliveries SET next_attempt_at = now() + interval '1 hour' WHERE id = ${ids[0]!}`;
    await sql`UPDATE outbox SET available_at = now() + interval '1 hour' WHERE id = ${due!.id}`;
    const { nextAttemptAt } = (await redeliver(ids[0]!)).body;
    expect(Date.parse(nextAttemptAt)).toBeLessThanOrEqual(Date.now());
    expect(await queued()).toHaveLength(1);
    expect(await sql`SELECT FROM outbox WHERE payload ->> 'deliveryId' = ${ids[0]!}`).toHaveLength(1);
    await sql`UPDATE webhook_deliveries SET state = 'dead', next_attempt_at = NULL, settled_at = now() WHERE endpoint_id = ${id}`;
    await call('patch', `/${id}`, { enabled: false });
    expect((await redeliver(ids[0]!)).status).toBe(409);
    await call('patch', `/${id}`, { enabled: true });
    expect((await redeliver(ids[0]!)).body).toMatchObject({
      id: ids[0],
      state: 'pending',
      nextAttemptAt: expect.any(String),
    });
    const all = await call('post', `/${id}/redeliver-dead`);
    expect(all.body).toEqual({ redelivered: 2 });
  });
});
