import type { Express } from 'express';
import request from 'supertest';
import { operatorRoutes } from '../../../api/accounts/operator-routes';
import { createApp } from '../../../api/app';
import { clientRoutes } from '../../../api/clients';
import { operatorPartnerRoutes } from '../../../api/operator/partners/partners';
import { seedDemoCatalog } from '../../../sandbox/demo/catalog';
import { createAuthenticator } from '../../../src/accounts/authenticator';
import { type TestAccount, testAccount, testApiDeps } from '../../support/api-deps';
import { type TestDatabase, testDatabase } from '../../support/database';
import { leedsPartner } from '../../support/rows/partner-setup';

let database: TestDatabase;
let app: Express;
let admin: TestAccount;

beforeAll(async () => {
  database = await testDatabase();
  await seedDemoCatalog(database.sql);
  const deps = await testApiDeps(database.sql);
  app = createApp(deps, [...operatorRoutes(deps), ...clientRoutes(deps), ...operatorPartnerRoutes(deps)]);
});
beforeEach(async () => {
  await database.sql`DELETE FROM idempotency_keys`;
  await database.sql`UPDATE accounts SET revoked_at = now() WHERE role = 'operator'`;
  admin = await testAccount(database.sql, 'operator');
});

const as = (apiKey: string) => ({ 'X-API-KEY': apiKey });
const create = (name: string, role: string) => request(app).post('/v1/operators').set(admin.key).send({ name, role });
const list = (key: TestAccount['key']) => request(app).get('/v1/operators').set(key);
const revoke = (id: string) => request(app).post(`/v1/operators/${id}/revoke`).set(admin.key);

test('an admin creates an operator, whose key is shown once', async () => {
  const { body } = await create(' ada ', 'viewer').expect(200);
  expect(body).toMatchObject({ name: 'ada', role: 'viewer', apiKey: expect.stringMatching(/^plk_/) });
  const { operators } = (await list(as(body.apiKey)).expect(200)).body;
  expect(operators.find(({ id }: { id: string }) => id === body.id)).toMatchObject({
    name: 'ada',
    role: 'viewer',
    revokedAt: null,
    lastUsedAt: expect.any(String),
  });
  expect(JSON.stringify(operators)).not.toContain(body.apiKey);
  await create('ada', 'admin').expect(409);
  await create('eve', 'root').expect(400);
});

test('a revocation ends every key of the operator with the next request', async () => {
  const { id, apiKey } = (await create('leaver', 'admin').expect(200)).body;
  await list(as(apiKey)).expect(200);
  expect((await revoke(id).expect(200)).body.revokedAt).toEqual(expect.any(String));
  await list(as(apiKey)).expect(401);
  await revoke(id).expect(200);
  const { keys } = (await request(app).get(`/v1/operators/${id}/keys`).set(admin.key).expect(200)).body;
  expect(keys).toEqual([expect.objectContaining({ revokedAt: expect.any(String) })]);
  await request(app).post(`/v1/operators/${id}/keys`).set(admin.key).send({}).expect(409);
});

test('the last admin cannot be revoked, made less, or left without a key', async () => {
  const refusal = { code: 'CONFLICT', message: expect.stringContaining('last admin') };
  expect((await revoke(admin.id).expect(409)).body).toMatchObject(refusal);
  const change = (id: string, role: string) => request(app).patch(`/v1/operators/${id}`).set(admin.key).send({ role });
  expect((await change(admin.id, 'operator').expect(409)).body).toMatchObject(refusal);
  const { keys } = (await request(app).get(`/v1/operators/${admin.id}/keys`).set(admin.key)).body;
  await request(app).delete(`/v1/operators/${admin.id}/keys/${keys[0].id}`).set(admin.key).expect(409);
  await list(admin.key).expect(200);

  const other = (await create(`second-${admin.id}`, 'operator').expect(200)).body;
  await revoke(admin.id).expect(409);
  expect((await change(other.id, 'admin').expect(200)).body.role).toBe('admin');
  await revoke(admin.id).expect(200);
  await list(admin.key).expect(401);
  await list(as(other.apiKey)).expect(200);
});

test('two admins who revoke each other at the same time leave one admin', async () => {
  const { sql } = database;
  for (let round = 0; round < 5; round += 1) {
    await sql`UPDATE accounts SET revoked_at = now() WHERE role = 'operator'`;
    const [one, two] = [await testAccount(sql, 'operator'), await testAccount(sql, 'operator')];
    const responses = await Promise.all([
      request(app).post(`/v1/operators/${two.id}/revoke`).set(one.key),
      request(app).post(`/v1/operators/${one.id}/revoke`).set(two.key),
    ]);
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    const left = await sql`SELECT 1 FROM accounts WHERE operator_role = 'admin' AND revoked_at IS NULL`;
    expect(left).toHaveLength(1);
  }
});

test('a changed role applies from the next request', async () => {
  const { id, apiKey } = (await create(`changing-${admin.id}`, 'admin').expect(200)).body;
  const add = (name: string) => request(app).post('/v1/operators').set(as(apiKey)).send({ name, role: 'viewer' });
  await add(`by-changing-${admin.id}`).expect(200);
  await request(app).patch(`/v1/operators/${id}`).set(admin.key).send({ role: 'viewer' }).expect(200);
  await add('refused').expect(403);
});

describe('keys of operators, clients and partners', () => {
  const owners = [
    ['operators', () => create(`keys-${admin.id}`, 'viewer')],
    [
      'connectors',
      () =>
        request(app)
          .post('/v1/connectors')
          .set(admin.key)
          .send({ name: `k-${admin.id}` }),
    ],
    ['partners', () => request(app).post('/v1/partners').set(admin.key).send(leedsPartner('prints-leeds'))],
  ] as const;

  test.each(owners)('%s: listed with name and last use, rotated and revoked', async (kind, owner) => {
    const response = await owner();
    expect([response.status, response.body]).toEqual([200, expect.anything()]);
    const { id, apiKey } = response.body as { id: string; apiKey: string };
    const keys = `/v1/${kind}/${id}/keys`;
    const works = async (key: string) => (await createAuthenticator(database.sql).authenticate(key)) !== undefined;
    const fresh = (await request(app).post(keys).set(admin.key).send({ overlapSeconds: 0, name: 'laptop' }).expect(200))
      .body;
    expect([await works(apiKey), await works(fresh.apiKey)]).toEqual([false, true]);

    const listed = (await request(app).get(keys).set(admin.key).expect(200)).body.keys;
    expect(listed).toEqual([
      {
        id: fresh.keyId,
        name: 'laptop',
        hint: `${fresh.apiKey.slice(0, 8)}…${fresh.apiKey.slice(-4)}`,
        createdAt: fresh.createdAt,
        expiresAt: null,
        revokedAt: null,
        firstUsedAt: expect.any(String),
        lastUsedAt: expect.any(String),
      },
      expect.objectContaining({ name: null, expiresAt: expect.any(String), lastUsedAt: null }),
    ]);
    await request(app).delete(`${keys}/${fresh.keyId}`).set(admin.key).expect(200);
    expect(await works(fresh.apiKey)).toBe(false);
    await request(app).delete(`${keys}/${admin.id}`).set(admin.key).expect(404);
    await request(app)
      .get(`/v1/${kind}/${admin.id.replace(/^./, 'f')}/keys`)
      .set(admin.key)
      .expect(404);
  });
});
