import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../api/app';
import { FAILURE_LIMITS } from '../../../api/http/request-limits';
import type { Route } from '../../../api/http/route';
import { allRoutes } from '../../../api/routes';
import { issueKey, revokeKey } from '../../../src/accounts/accounts-and-keys';
import { listAuditEntries } from '../../../src/accounts/audit-log';
import { issueOneTimeToken, MOST_SESSIONS } from '../../../src/accounts/sessions';
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
const useLink = (oneTimeToken: string) => request(app).post('/v1/operator/session').send({ oneTimeToken });

/** Returns the session that a sign-in has started. */
function started({ body, headers }: request.Response): Session {
  const cookie = headers['set-cookie']![0]!.split(';')[0]!;
  return { cookie, token: cookie.split('=')[1]!, csrfToken: body.csrfToken };
}
const session = async (apiKey = admin.apiKey) => started(await signIn(apiKey).expect(200));
const sessionByLink = async (operatorId: string) =>
  started(await useLink(await issueOneTimeToken(sql, operatorId)).expect(200));

const read = ({ cookie }: Session) => request(app).get('/v1/operator/session').set('Cookie', cookie);

test('an operator signs in with a key, and the cookie is kept from scripts and other sites', async () => {
  const { body, headers } = await signIn(admin.apiKey).expect(200);
  expect(body).toEqual({
    operator: { id: admin.id, name: admin.name, role: 'admin' },
    csrfToken: expect.any(String),
  });
  const [value, ...attributes] = headers['set-cookie']![0]!.split('; ');
  expect(value).toMatch(/^__Host-pressline_session=pso_[\w-]{43}$/);
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
  test('starts one session, also when it is used twice at once', async () => {
    const token = await issueOneTimeToken(sql, admin.id);
    const responses = await Promise.all([useLink(token), useLink(token), useLink(token)]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    const response = responses.find(({ status }) => status === 200)!;
    expect(response.body.operator).toEqual({ id: admin.id, name: admin.name, role: 'admin' });
    expect((await read(started(response)).expect(200)).body).toEqual(response.body);
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
    const mine = await sessionByLink(operator.id);
    const unused = await issueOneTimeToken(sql, operator.id);
    await request(app).post(`/v1/operators/${operator.id}/revoke`).set(admin.key).expect(200);
    await read(mine).expect(401);
    await useLink(unused).expect(401);
  });

  test('is stored as a hash, and its token is neither an API key nor a session', async () => {
    const token = await issueOneTimeToken(sql, admin.id);
    const rows = await sql`SELECT one_time_sign_ins::text AS row FROM one_time_sign_ins`;
    expect(rows.length).toBeGreaterThan(0);
    for (const { row } of rows) expect(row).not.toContain(token);
    await request(app).get('/v1/operators').set('X-API-KEY', token).expect(401);
    await request(app).get('/v1/operators').set('Cookie', `__Host-pressline_session=${token}`).expect(401);
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
  await sessionByLink(operator.id);
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

/** An app behind a proxy, with `postgres` as the store of its rates. */
async function limitedApp(RATE_LIMIT: number) {
  const deps = await testApiDeps(sql, {
    config: { RATE_LIMIT, RATE_LIMIT_STORE: 'postgres', TRUSTED_PROXIES: ['127.0.0.0/8', '::1/128'] },
  });
  return createApp(deps, allRoutes(deps));
}
const { limit } = FAILURE_LIMITS.sign_in;

test.each([0, 1_000])('failed sign-ins of an address are limited, good ones are not (RATE_LIMIT=%d)', async (rate) => {
  const limited = await limitedApp(rate);
  const attempt = (address: string, apiKey = admin.apiKey) =>
    request(limited).post('/v1/operator/session').set('X-Forwarded-For', address).send({ apiKey });
  // One more than the limit of failures.
  for (let count = 0; count <= limit; count += 1) await attempt('203.0.113.6').expect(200);
  await sql`DELETE FROM request_rates`;
  const wrong = await Promise.all(Array.from({ length: limit }, () => attempt('203.0.113.7', 'wrong')));
  expect(wrong.map(({ status }) => status)).toEqual(Array(limit).fill(401));
  await attempt('203.0.113.7').expect(200);
  const { body, headers } = await attempt('203.0.113.7', 'wrong').expect(429);
  expect(body).toMatchObject({ code: 'RATE_LIMITED', message: 'Too many failed attempts to sign in.' });
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
  await request(limited).get('/v1/operator/session/oidc/callback').set('X-Forwarded-For', '203.0.113.7').expect(429);
  await attempt('203.0.113.8').expect(200);
  // Of the failures that name nobody, the audit log has the first one.
  const entries = await listAuditEntries(sql, { action: 'operator.sign_in_failed' }, { limit: 100, after: null });
  expect(entries.filter(({ address }) => address === '203.0.113.7')).toMatchObject([
    { actor: { name: 'unknown', role: 'unknown' }, object: { id: 'unknown' }, after: { method: 'api_key' } },
    ...(rate === 0 ? [] : [{}]),
  ]);
  expect(await sql`SELECT FROM request_rates`).toHaveLength(0);
});

test('failed sign-ins with a key of an account are limited by account, from whichever address, and audited', async () => {
  const limited = await limitedApp(0);
  const operator = await testAccount(sql, 'operator');
  const { apiKey, keyId } = await issueKey(sql, operator.id);
  await revokeKey(sql, operator.id, keyId);
  const statuses = [];
  for (let at = 0; at < limit + 2; at += 1) {
    const address = `203.0.113.${at % 50}`;
    const { status } = await request(limited)
      .post('/v1/operator/session')
      .set('X-Forwarded-For', address)
      .send({ apiKey });
    statuses.push(status);
  }
  expect(statuses).toEqual([...Array(limit).fill(401), 429, 429]);
  const entries = await listAuditEntries(sql, { object: operator.id }, { limit: 100, after: null });
  expect(entries.filter(({ action }) => action === 'operator.sign_in_failed')).toHaveLength(limit);
  expect(entries[0]).toMatchObject({ actor: { id: operator.id }, after: { method: 'api_key' } });
  expect(entries[0]!.address).toMatch(/^203\.0\.113\./);
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

/**
 * `signInToCodec` makes the browser ask for a password when no key is sent. `streamChanges` has no end; its own test
 * opens it by cookie.
 */
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
    for (const wrong of operationId === 'createOperator' ? [undefined, '', other.csrfToken, mine.token] : [undefined])
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
  expect(headers['set-cookie']![0]).toMatch(/^__Host-pressline_session=; .*Max-Age=0/);
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

describe('the sessions of an operator', () => {
  const sessionsOf = async ({ cookie }: Session, operatorId?: string) =>
    (await request(app).get('/v1/operator/sessions').query({ operatorId }).set('Cookie', cookie)).body.sessions as {
      id: string;
      isCurrent: boolean;
    }[];
  const end = ({ cookie, csrfToken }: Session, id: string) =>
    request(app)
      .delete(`/v1/operator/sessions/${id}`)
      .set({ Cookie: cookie, 'X-CSRF-Token': csrfToken })
      .then(({ status }) => status);

  test('are listed and ended by their owner and by admins, and by nobody else', async () => {
    const [ada, bob] = [await testAccount(sql, 'operator', 'ada', 'viewer'), await testAccount(sql, 'operator')];
    const [first, second] = [await session(ada.apiKey), await session(ada.apiKey)];
    const boss = await session();
    await sql`UPDATE accounts SET operator_role = 'operator' WHERE id = ${bob.id}`;
    const other = await session(bob.apiKey);
    const listed = await sessionsOf(second);
    expect(listed).toMatchObject([
      { isCurrent: true, method: 'api_key', operator: { id: ada.id, name: ada.name }, address: expect.any(String) },
      { isCurrent: false },
    ]);
    expect(await sessionsOf(boss, ada.id)).toHaveLength(2);
    await request(app)
      .get('/v1/operator/sessions')
      .query({ operatorId: ada.id })
      .set('Cookie', other.cookie)
      .expect(403);
    expect(await end(other, listed[1]!.id)).toBe(404);
    expect(await end(second, listed[1]!.id)).toBe(200);
    await read(first).expect(401);
    expect(await end(boss, listed[0]!.id)).toBe(200);
    await read(second).expect(401);
    const entries = await listAuditEntries(
      sql,
      { object: ada.id, action: 'operator.end_session' },
      { limit: 9, after: null },
    );
    expect(entries.map(({ actor, before }) => [actor.id, before])).toEqual([
      [admin.id, { sessionId: listed[0]!.id, method: 'api_key' }],
      [ada.id, { sessionId: listed[1]!.id, method: 'api_key' }],
    ]);
  });

  test('end after an hour without a request; a request keeps them', async () => {
    const operator = await testAccount(sql, 'operator');
    const [used, idle] = [await session(operator.apiKey), await session(operator.apiKey)];
    const later = (minutes: number) => sql`
      UPDATE operator_sessions SET last_used_at = last_used_at - make_interval(mins => ${minutes})
      WHERE account_id = ${operator.id}`;
    await later(59);
    await read(used).expect(200);
    await later(2);
    await read(used).expect(200);
    await read(idle).expect(401);
  });

  test.each(['a key rotation without an overlap', 'a change of role'])('all end with %s', async (change) => {
    const operator = await testAccount(sql, 'operator');
    const sessions = [await session(operator.apiKey), await sessionByLink(operator.id)];
    const unused = await issueOneTimeToken(sql, operator.id);
    const path = `/v1/operators/${operator.id}`;
    if (change === 'a change of role')
      await request(app).patch(path).set(admin.key).send({ role: 'viewer' }).expect(200);
    else await request(app).post(`${path}/keys`).set(admin.key).send({ overlapSeconds: 0 }).expect(200);
    for (const each of sessions) await read(each).expect(401);
    await useLink(unused).expect(401);
  });

  test('are a hundred at most: the oldest ends', async () => {
    const operator = await testAccount(sql, 'operator');
    const oldest = await session(operator.apiKey);
    await sql`
      INSERT INTO operator_sessions (token_hash, id, account_id, key_id, method, expires_at)
      SELECT decode(md5(n::text), 'hex'), ('ffffffff-ffff-4fff-bfff-' || lpad(n::text, 12, '0'))::uuid, account_id, key_id,
        method, expires_at
      FROM operator_sessions, generate_series(2, ${MOST_SESSIONS}::int) n WHERE account_id = ${operator.id}`;
    await read(oldest).expect(200);
    await session(operator.apiKey);
    await read(oldest).expect(401);
    expect(await sql`SELECT FROM operator_sessions WHERE account_id = ${operator.id}`).toHaveLength(MOST_SESSIONS);
  });
});

test('a new key of any account can have an end', async () => {
  const ends = new Date(Date.now() + 3_600_000).toISOString();
  const post = (path: string, body: object) => request(app).post(path).set(admin.key).send(body);
  const { body: operator } = await post('/v1/operators', { name: 'for an hour', role: 'viewer', keyExpiresAt: ends });
  const { body: client } = await post('/v1/connectors', { name: 'for an hour', keyExpiresAt: ends });
  const { body: rotated } = await post(`/v1/connectors/${client.id}/keys`, { expiresAt: ends });
  for (const keyId of [operator.keyId, client.keyId, rotated.keyId]) {
    const [key] = await sql`SELECT expires_at FROM api_keys WHERE id = ${keyId}`;
    expect(key!.expiresAt.toISOString()).toBe(ends);
  }
  await sql`UPDATE api_keys SET expires_at = now() WHERE id = ${operator.keyId}`;
  await request(app).get('/v1/operators').set('X-API-KEY', operator.apiKey).expect(401);
  // The second is in the year 10000 by UTC.
  for (const keyExpiresAt of ['2026-01-01T00:00:00Z', '9999-12-31T23:59:59-23:59'])
    await post('/v1/operators', { name: 'for no time', role: 'viewer', keyExpiresAt }).expect(400);
});
