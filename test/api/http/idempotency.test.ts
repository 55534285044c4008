import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../api/app';
import { randomToken } from '../../../src/platform/ids';
import { dropExpiredPartitions } from '../../../src/platform/schema/partitioned-tables';
import { type TestAccount, testAccount, testApiDeps } from '../../support/api-deps';
import { type TestDatabase, testDatabase } from '../../support/database';
import { goodParcel, sampleRoutes } from './sample-routes';

let database: TestDatabase;
let app: Express;
let client: TestAccount;
const hooks: { beforeStore?: () => Promise<void> } = {};

beforeAll(async () => {
  database = await testDatabase();
  await database.asOwner('CREATE TABLE parcels (id uuid PRIMARY KEY, owner text NOT NULL)');
  app = createApp(await testApiDeps(database.sql), sampleRoutes(database.sql, hooks));
  client = await testAccount(database.sql, 'client');
});

afterEach(() => {
  delete hooks.beforeStore;
});

const create = (key: string, body: object = goodParcel, account = client) =>
  request(app).post('/v1/parcels').set(account.keyAndSecret).set('Idempotency-Key', key).send(body);

const parcelsOf = async (owner: string) => (await database.sql`SELECT 1 FROM parcels WHERE owner = ${owner}`).length;
const keptKeys = async (key: string) =>
  await database.sql`SELECT status, locked_until FROM idempotency_keys WHERE key = ${key}`;

test('equal content returns the stored response, whatever the order of members', async () => {
  const first = await create('same', { ...goodParcel, parcelOwner: 'same' }).expect(200);
  const again = await create('same', { items: goodParcel.items, size: 'small', parcelOwner: 'same' }).expect(200);
  expect(again.body).toEqual(first.body);
  expect(first.headers['idempotency-replayed']).toBeUndefined();
  expect(again.headers['idempotency-replayed']).toBe('true');
  expect(await parcelsOf('same')).toBe(1);
});

test('other content under a used key is 422', async () => {
  await create('other', { ...goodParcel, parcelOwner: 'other' }).expect(200);
  const { body } = await create('other', { ...goodParcel, parcelOwner: 'another' }).expect(422);
  expect(body.code).toBe('IDEMPOTENCY_KEY_REUSED');
  expect(await parcelsOf('another')).toBe(0);
});

test('another account may use the same key', async () => {
  const neighbour = await testAccount(database.sql, 'client');
  const mine = await create('shared').expect(200);
  const theirs = await create('shared', goodParcel, neighbour).expect(200);
  expect(theirs.body.id).not.toBe(mine.body.id);
});

test('of 50 concurrent equal requests one is executed; the others get 409 or its response', async () => {
  const body = { ...goodParcel, parcelOwner: 'crowd' };
  // The one that is executed ends after another one has its response.
  const refused = Promise.withResolvers<void>();
  hooks.beforeStore = () => refused.promise;
  const sent = async () => {
    const response = await create('crowd', body);
    if (response.status !== 200) refused.resolve();
    return response;
  };
  const responses = await Promise.all(Array.from({ length: 50 }, sent));
  expect(await parcelsOf('crowd')).toBe(1);
  const done = responses.filter(({ status }) => status === 200);
  expect(new Set(done.map((response) => response.body.id)).size).toBe(1);
  const rest = responses.filter(({ status }) => status !== 200);
  expect(rest.length).toBeGreaterThan(0);
  for (const response of rest) expect(response.body.code).toBe('IDEMPOTENCY_IN_FLIGHT');
});

test.each([
  ['refused by its schema', { ...goodParcel, size: 'huge' }, 400],
  ['refused by the handler', { ...goodParcel, parcelOwner: 'refused' }, 409],
  ['failed', { ...goodParcel, parcelOwner: 'broken' }, 500],
])('a request that is %s keeps nothing, and the key serves the mended one', async (name, body, status) => {
  await create(name, body).expect(status);
  expect(await keptKeys(name)).toHaveLength(0);
  await create(name, goodParcel).expect(200);
});

test('a response completed in a transaction that fails is not stored, nor is the object', async () => {
  const owner = 'rolled-back';
  await database.owner`ALTER TABLE parcels ADD CONSTRAINT no_such_owner CHECK (owner <> 'rolled-back') NOT VALID`;
  await create(owner, { ...goodParcel, parcelOwner: owner }).expect(500);
  expect(await keptKeys(owner)).toHaveLength(0);
  await database.owner`ALTER TABLE parcels DROP CONSTRAINT no_such_owner`;
  await create(owner, { ...goodParcel, parcelOwner: owner }).expect(200);
});

test('the key of a dead attempt is free after its lease, for the same content only', async () => {
  const key = 'died';
  const [entered, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  hooks.beforeStore = async () => {
    delete hooks.beforeStore;
    entered.resolve();
    await left.promise;
  };
  const body = { ...goodParcel, parcelOwner: key };
  const slow = create(key, body).then((response) => response);
  await entered.promise;
  await create(key, body).expect(409);
  await database.sql`UPDATE idempotency_keys SET locked_until = now() - interval '1 second' WHERE key = ${key}`;
  await create(key, { ...body, parcelOwner: 'thief' }).expect(422);
  const retried = await create(key, body).expect(200);
  // The first attempt resumes. It has lost its lease, so its transaction rolls back.
  left.resolve();
  expect((await slow).status).toBe(409);
  expect(await parcelsOf(key)).toBe(1);
  expect((await create(key, body)).body).toEqual(retried.body);
});

test('a key is 1 to 255 visible characters', async () => {
  await create('k'.repeat(255)).expect(200);
  for (const key of ['k'.repeat(256), 'tab\tkey', '']) {
    const { body } = await create(key).expect(400);
    expect(body.errors[0].reference).toBe('Idempotency-Key');
  }
});

test('after seven days a key is free and its record is deleted', async () => {
  const key = `old-${randomToken(4)}`;
  const first = await create(key).expect(200);
  await database.sql`UPDATE idempotency_keys SET created_at = now() - interval '7 days 1 minute' WHERE key = ${key}`;
  const second = await create(key, { ...goodParcel, parcelOwner: 'week' }).expect(200);
  expect(second.body.id).not.toBe(first.body.id);
  expect(await dropExpiredPartitions(database.sql, 365 * 86_400_000)).toMatchObject({ lateRows: 1 });
  expect(await keptKeys(key)).toHaveLength(1);
});
