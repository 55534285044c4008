import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../api/app';
import { ADDRESS_LIMITS } from '../../../api/http/rate-limit';
import type { Route } from '../../../api/http/route';
import { allRoutes } from '../../../api/routes';
import { issueKey, revokeKey } from '../../../src/accounts/accounts-and-keys';
import { listAuditEntries } from '../../../src/accounts/audit-log';
import { issueOneTimeToken } from '../../../src/accounts/sessions';
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
  expect((await request(app).get('/v1/operator/session').set('Cookie', value!).expect(200)).body).toEqual(body);

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

describe('a one-time sign-in link', () => {
  const useLink = (oneTimeToken: string) => request(app).post('/v1/operator/session').send({ oneTimeToken });

  test('starts one session, also when it is used twice at once', async () => {
    const token = await issueOneTimeToken(sql, admin.id);
    const responses = await Promise.all([useLink(token), useLink(token), useLink(token)]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    const { body, headers } = responses.find(({ status }) => status === 200)!;
    expect(body.operator).toEqual({ id: admin.id, name: admin.name, role: 'admin' });
    const cookie = headers['set-cookie']![0]!.split(';')[0]!;
    expect((await request(app).get('/v1/operator/session').set('Cookie', cookie).expect(200)).body).toEqual(body);
    const { body: refused, headers: unset } = await useLink(token).expect(401);
    expect(refused.message).toBe('This sign-in link was used before, or it is older than ten minutes.');
    expect(unset['set-cookie']).toBeUndefined();
  });

  test('is valid for ten minutes after it was issued', async () => {
    const [early, late] = [await issueOneTimeToken(sql, admin.id), await issueOneTimeToken(sql, admin.id)];
    await sql`UPDATE one_time_sign_ins SET expires_at = expires_at - interval '595 seconds'`;
    await useLink(early).expect(200);
    await sql`UPDATE one_time_sign_ins SET expires_at = expires_at - interval '5 seconds'`;
    await useLink(late).expect(401);
  });

  test('of a revoked operator does not work, and its session ends with the operator', async () => {
    const operator = await testAccount(sql, 'operator');
    const { headers } = await useLink(await issueOneTimeToken(sql, operator.id)).expect(200);
    const cookie = headers['set-cookie']![0]!.split(';')[0]!;
    const unused = await issueOneTimeToken(sql, operator.id);
    await request(app).post(`/v1/operators/${operator.id}/revoke`).set(admin.key).expect(200);
    await request(app).get('/v1/operator/session').set('Cookie', cookie).expect(401);
    await useLink(unused).expect(401);
  });

  test('is stored as a hash, and its token is neither an API key nor a session', async () => {
    const token = await issueOneTimeToken(sql, admin.id);
    const rows = await sql`SELECT one_time_sign_ins::text AS row FROM one_time_sign_ins`;
    expect(rows.length).toBeGreaterThan(0);
    for (const { row } of rows) expect(row).not.toContain(token);
    await request(app).get('/v1/operators').set('X-API-KEY', token).expect(401);
    await request(app).get('/v1/operators').set('Cookie', `pressline_session=${token}`).expect(401);
    await signIn(token).expect(401);
    await useLink(admin.apiKey).expect(401);
  });

  test('a sign-in names one credential', async () => {
    const send = (body: object) => request(app).post('/v1/operator/session').send(body).expect(400);
    const { body } = await send({});
    expect(body.errors).toEqual([
      { code: 'MISSING_FIELD_ERROR', message: 'Send apiKey or oneTimeToken.', reference: 'apiKey' },
    ]);
    const oneTimeToken = await issueOneTimeToken(sql, admin.id);
    await send({ apiKey: admin.apiKey, oneTimeToken });
    await useLink(oneTimeToken).expect(200);
  });
});

test('the audit log has every sign-in with its method', async () => {
  const operator = await testAccount(sql, 'operator', 'session-audited', 'viewer');
  await session(operator.apiKey);
  const oneTimeToken = await issueOneTimeToken(sql, operator.id);
  await request(app).post('/v1/operator/session').send({ oneTimeToken }).expect(200);
  await signIn(`${operator.apiKey}x`).expect(401);
  const entries = await listAuditEntries(sql, { object: operator.id }, { limit: 10, after: null });
  expect(entries.map(({ action, actor, after }) => ({ action, actorId: actor.id, after }))).toEqual(
    ['one_time_link', 'api_key'].map((method) => ({
      action: 'operator.sign_in',
      actorId: operator.id,
      after: { method, role: 'viewer' },
    })),
  );
});

test.each(['memory', 'postgres'] as const)(
  'the attempts of an address to sign in are limited, right or wrong (%s)',
  async (store) => {
    const deps = await testApiDeps(sql, {
      config: { RATE_LIMIT: 1_000, RATE_LIMIT_STORE: store, TRUSTED_PROXIES: ['127.0.0.0/8', '::1/128'] },
    });
    const limited = createApp(deps, allRoutes(deps));
    const attempt = (address: string, apiKey = admin.apiKey) =>
      request(limited).post('/v1/operator/session').set('X-Forwarded-For', address).send({ apiKey });
    const { limit } = ADDRESS_LIMITS.sign_in;
    await sql`DELETE FROM request_rates`;
    // All at once, within the minute.
    const responses = await Promise.all(Array.from({ length: limit }, () => attempt('203.0.113.7', 'wrong')));
    expect(responses.map(({ status }) => status)).toEqual(Array(limit).fill(401));
    const { body, headers } = await attempt('203.0.113.7').expect(429);
    expect(body).toMatchObject({
      code: 'RATE_LIMITED',
      message: 'Too many attempts to sign in from this address.',
    });
    expect(headers['ratelimit-policy']).toBe('"60-in-60sec"; q=60; w=60');
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
    for (const path of ['/v1/operator/session/oidc', '/v1/operator/session/oidc/callback'])
      await request(limited).get(path).set('X-Forwarded-For', '203.0.113.7').expect(429);
    await attempt('203.0.113.8').expect(200);
    await request(limited)
      .get('/v1/operators')
      .set({ ...admin.key, 'X-Forwarded-For': '203.0.113.7' })
      .expect(200);
  },
);

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

/** `signInToCodec` makes the browser ask for a password when no key is sent. `streamChanges` has no end; its own test opens it by cookie. */
const NOT_TRIED = ['endOperatorSession', 'signInToCodec', 'streamChanges'];

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
      expect([operationId, status]).toEqual([operationId, route.path.startsWith('/procurement/') ? 403 : 401]);
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

test('the stored response of a creation in a session is sealed with the session', async () => {
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
