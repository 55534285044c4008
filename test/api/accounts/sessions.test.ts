import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../api/app';
import type { Route } from '../../../api/http/route';
import { allRoutes } from '../../../api/routes';
import { issueKey, revokeKey } from '../../../src/accounts/store';
import type { Sql } from '../../../src/platform/postgres';
import { type TestAccount, testAccount, testApiDeps } from '../../support/api-deps';
import { testDatabase } from '../../support/database';

let sql: Sql;
let app: Express;
let routes: Route[];
let admin: TestAccount;

beforeAll(async () => {
  ({ sql } = await testDatabase());
  const deps = await testApiDeps(sql);
  routes = allRoutes(deps);
  app = createApp(deps, routes);
  admin = await testAccount(sql, 'operator');
});

interface Session {
  readonly cookie: string;
  readonly token: string;
  readonly csrfToken: string;
}

const signIn = (apiKey: string) => request(app).post('/v1/operator/session').send({ apiKey });

async function session(apiKey = admin.apiKey): Promise<Session> {
  const { body, headers } = await signIn(apiKey).expect(200);
  const cookie = headers['set-cookie']![0]!.split(';')[0]!;
  return { cookie, token: cookie.split('=')[1]!, csrfToken: body.csrfToken };
}

const read = ({ cookie }: Session) => request(app).get('/v1/operator/session').set('Cookie', cookie);

test('an operator signs in with a key, and the cookie is kept from scripts and other sites', async () => {
  const { body, headers } = await signIn(admin.apiKey).expect(200);
  expect(body).toEqual({
    operator: { id: admin.id, name: admin.name, role: 'admin' },
    csrfToken: expect.any(String),
  });
  const [value, ...attributes] = headers['set-cookie']![0]!.split('; ');
  expect(value).toMatch(/^pressline_session=pso_[\w-]{43}$/);
  expect(attributes).toEqual(['Path=/', 'HttpOnly', 'SameSite=Strict', 'Max-Age=43200', 'Secure']);
  expect((await request(app).get('/v1/operator/session').set('Cookie', value!).expect(200)).body).toEqual(
    body,
  );

  const deps = { ...(await testApiDeps(sql)), publicUrl: 'http://127.0.0.1:3000' };
  const plain = await request(createApp(deps, allRoutes(deps)))
    .post('/v1/operator/session')
    .send({ apiKey: admin.apiKey });
  expect(plain.headers['set-cookie']![0]).not.toContain('Secure');
});

test('other keys do not sign in', async () => {
  const client = await testAccount(sql, 'client');
  const partner = await testAccount(sql, 'partner');
  for (const key of [client.apiKey, `${client.apiKey}:${client.apiSecret}`, partner.apiKey, 'nonsense', '']) {
    const { status, headers } = await signIn(key);
    expect([status, headers['set-cookie']]).toEqual([401, undefined]);
  }
});

test('the database stores a hash, and the token is no API key', async () => {
  const { token, csrfToken } = await session();
  const rows = await sql`SELECT operator_sessions::text AS row FROM operator_sessions`;
  for (const { row } of rows) {
    expect(row).not.toContain(token);
    expect(row).not.toContain(csrfToken);
  }
  await request(app).get('/v1/operators').set('X-API-KEY', token).expect(401);
  await signIn(token).expect(401);
});

/** `signInToCodec` makes the browser ask for a password when no key is sent. */
const NOT_TRIED = ['endOperatorSession', 'signInToCodec'];

test('the cookie opens the routes for operators and no others; changes need the CSRF token of this session', async () => {
  const mine = await session();
  const other = await session();
  for (const route of routes) {
    const { access, operationId, method } = route;
    if (access.credentials === 'none' || NOT_TRIED.includes(operationId)) continue;
    const path = route.path.replace(/\{\w+\}/g, '00000000-0000-0000-0000-000000000000');
    const knock = async (csrfToken?: string) => {
      const knocking = request(app)[method](path).set('Cookie', mine.cookie);
      if (csrfToken !== undefined) knocking.set('X-CSRF-Token', csrfToken);
      if (route.body !== undefined) knocking.set('Content-Type', 'application/json').send('[0]');
      return (await knocking).status;
    };
    const status = await knock(mine.csrfToken);
    if (!access.roles.includes('operator')) {
      expect([operationId, status]).toEqual([
        operationId,
        route.path.startsWith('/procurement/') ? 403 : 401,
      ]);
      continue;
    }
    expect([operationId, [401, 403].includes(status)]).toEqual([operationId, false]);
    if (method === 'get') continue;
    for (const wrong of [undefined, '', other.csrfToken, mine.token])
      expect([operationId, wrong, await knock(wrong)]).toEqual([operationId, wrong, 403]);
  }
});

test('the role of the operator limits the session', async () => {
  const viewer = await testAccount(sql, 'operator', 'session-viewer', 'viewer');
  const { cookie, csrfToken } = await session(viewer.apiKey);
  const create = request(app)
    .post('/v1/operators')
    .set({ Cookie: cookie, 'X-CSRF-Token': csrfToken })
    .send({ name: 'x', role: 'admin' });
  await create.expect(403);
  await request(app).get('/v1/operators').set('Cookie', cookie).expect(200);
});

test('signing out ends the session and deletes the cookie', async () => {
  const mine = await session();
  await request(app).delete('/v1/operator/session').set('Cookie', mine.cookie).expect(403);
  const { headers } = await request(app)
    .delete('/v1/operator/session')
    .set({ Cookie: mine.cookie, 'X-CSRF-Token': mine.csrfToken })
    .expect(200);
  expect(headers['set-cookie']![0]).toMatch(/^pressline_session=; .*Max-Age=0/);
  await read(mine).expect(401);
});

test.each(['the key is revoked', 'the key expires', 'the operator is revoked', 'twelve hours pass'])(
  'the session ends at once when %s',
  async (end) => {
    const operator = await testAccount(sql, 'operator');
    const { keyId, apiKey } = await issueKey(sql, operator.id);
    const mine = await session(apiKey);
    const other = await session(operator.apiKey);
    await read(mine).expect(200);
    if (end === 'the key is revoked') await revokeKey(sql, operator.id, keyId);
    if (end === 'the key expires') await sql`UPDATE api_keys SET expires_at = now() WHERE id = ${keyId}`;
    if (end === 'the operator is revoked')
      await request(app).post(`/v1/operators/${operator.id}/revoke`).set(admin.key).expect(200);
    if (end === 'twelve hours pass') {
      await sql`UPDATE operator_sessions SET expires_at = expires_at - interval '12 hours'`;
    }
    await read(mine).expect(401);
    await read(other).expect(end.startsWith('the key') ? 200 : 401);
  },
);

test('an API key takes precedence over the cookie', async () => {
  const { cookie } = await session();
  const client = await testAccount(sql, 'client');
  await request(app)
    .get('/v1/operators')
    .set({ Cookie: cookie, ...client.key })
    .expect(403);
  await request(app)
    .get('/v1/operator/session')
    .set({ Cookie: cookie, ...admin.key })
    .expect(404);
});

test('the stored answer of a creation in a session is sealed with the session', async () => {
  const mine = await session();
  const create = ({ cookie, csrfToken }: Session) =>
    request(app)
      .post('/v1/operators')
      .set({ Cookie: cookie, 'X-CSRF-Token': csrfToken, 'Idempotency-Key': 'in-session' })
      .send({ name: 'by-session', role: 'viewer' });
  const { body } = await create(mine).expect(200);
  expect((await create(mine).expect(200)).body).toEqual(body);
  const [row] = await sql`SELECT body::text AS body FROM idempotency_keys WHERE key = 'in-session'`;
  expect(row!.body).not.toContain(body.apiKey);
  await create(await session()).expect(409);
});

test('requests of a session are limited like those of a key', async () => {
  const deps = await testApiDeps(sql, { config: { RATE_LIMIT: 2 } });
  const limited = createApp(deps, allRoutes(deps));
  const mine = await session();
  const statuses = await Promise.all(
    Array.from({ length: 12 }, async () => {
      const { status } = await request(limited).get('/v1/operator/session').set('Cookie', mine.cookie);
      return status;
    }),
  );
  expect(statuses).toContain(429);
});
