import { createApp } from '../../../api/app';
import { type HttpServer, startHttpServer } from '../../../api/http/server';
import { allRoutes } from '../../../api/routes';
import { freePort } from '../../../packages/embedded-servers/ports';
import { issueKey } from '../../../src/accounts/accounts-and-keys';
import { listAuditEntries } from '../../../src/accounts/audit-log';
import { type Config, loadConfig } from '../../../src/platform/config';
import type { Sql } from '../../../src/platform/postgres';
import { type TestAccount, testAccount, testApiDeps } from '../../support/api-deps';
import { CookieBrowser, locationOf } from '../../support/cookie-browser';
import { testDatabase } from '../../support/database';
import { startIdentityProvider, type TestIdentityProvider } from '../../support/other-systems/identity-provider';

/** Sign-in by OpenID Connect against a provider of the library oidc-provider, over HTTP. */

const START = '/v1/operator/session/oidc';
const CALLBACK = `${START}/callback`;
const ROLES = 'print-viewers:viewer,print-ops:operator,/print/admins:admin';
const HTML = { Accept: 'text/html,application/xhtml+xml' };

let sql: Sql;
let admin: TestAccount;
let server: HttpServer;
let provider: TestIdentityProvider;
const running: { stop(graceMs: number): Promise<void> }[] = [];

beforeAll(async () => {
  ({ sql } = await testDatabase());
  admin = await testAccount(sql, 'operator');
  ({ server, provider } = await stack());
});
afterEach(() => jest.restoreAllMocks());
afterAll(async () => {
  for (const one of running) await one.stop(0);
});

/** Starts an API and the provider that it is configured for. */
async function stack(
  options: { readonly inIdToken?: boolean } = {},
  config: Partial<Config> = {},
): Promise<{ server: HttpServer; provider: TestIdentityProvider }> {
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const provider = await startIdentityProvider(`${publicUrl}${CALLBACK}`, options);
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_SCOPES, OIDC_ROLES } = loadConfig({
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: provider.clientId,
    OIDC_CLIENT_SECRET: provider.clientSecret,
    OIDC_SCOPES: 'openid profile groups',
    OIDC_ROLES: ROLES,
  });
  const oidc = { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_SCOPES, OIDC_ROLES };
  const deps = await testApiDeps(sql, { config: { OUTBOUND_ALLOW_PRIVATE: true, ...oidc, ...config } });
  const ready = { ...deps, publicUrl };
  const server = await startHttpServer(createApp(ready, allRoutes(ready)), { host: '127.0.0.1', port });
  running.push(server, { stop: () => provider.stop() });
  return { server, provider };
}

/**
 * Signs a user in at the provider.
 * @param change changes the address at the provider to which Pressline sent the browser
 * @returns the address to which the provider sends the browser back
 */
async function atProvider(
  browser: CookieBrowser,
  user: string,
  at: HttpServer = server,
  change: (address: URL) => void = () => undefined,
): Promise<URL> {
  let address = locationOf(await browser.request(`${at.url}${START}?returnTo=/console/orders?status=failed`));
  change(address);
  for (let hop = 0; hop < 12; hop += 1) {
    if (address.pathname === CALLBACK) return address;
    const response = await browser.request(address);
    if (response.status === 200) {
      const page = await response.text();
      const form = /action="([^"]+)"/.exec(page)![1]!;
      const prompt = /name="prompt" value="([^"]+)"/.exec(page)![1]!;
      const fields = prompt === 'login' ? { prompt, login: user, password: 'any' } : { prompt };
      address = locationOf(await browser.request(new URL(form, address), fields));
    } else address = locationOf(response);
  }
  throw new Error('the provider does not send the browser back');
}

async function signIn(user: string, at: HttpServer = server, browser = new CookieBrowser()): Promise<Response> {
  return await browser.request(await atProvider(browser, user, at));
}

/** Signs in and returns the session as the API shows it. */
async function session(user: string, at: HttpServer = server) {
  const browser = new CookieBrowser();
  const response = await signIn(user, at, browser);
  expect(response.status).toBe(200);
  const read = await browser.request(`${at.url}/v1/operator/session`);
  return { browser, status: read.status, body: (await read.json()) as { operator: { id: string } } };
}

/** Returns status and error of a response that starts no session. */
async function refusal(response: Response) {
  expect(response.headers.getSetCookie().filter((cookie) => cookie.startsWith('pressline_session'))).toEqual([]);
  const { code, message } = (await response.json()) as { code: string; message: string };
  return { status: response.status, code, message };
}

const sessionsOf = async (operator: string) =>
  (await sql`SELECT 1 FROM operator_sessions WHERE account_id = ${operator}`).length;

const actsOf = async (object: string) =>
  (await listAuditEntries(sql, { object }, { limit: 50, after: null })).map((entry) => ({
    action: entry.action,
    actor: entry.actor.id,
    before: entry.before,
    after: entry.after,
    address: entry.address,
  }));

test.each([
  ['viewer', ['staff', 'print-viewers']],
  ['operator', ['print-ops', 'print-viewers']],
  ['admin', ['/print/admins', 'print-ops']],
])('a user signs in with the role %s of the groups', async (role, groups) => {
  const user = `user-${role}`;
  provider.users.set(user, { username: `Ada ${role}`, groups });
  const browser = new CookieBrowser();
  const response = await signIn(user, server, browser);
  expect(response.status).toBe(200);
  expect(browser.cookie('pressline_session')).toMatch(/^pso_/);
  expect(browser.cookie('pressline_sign_in')).toBeUndefined();
  const set = response.headers.getSetCookie().find((cookie) => cookie.startsWith('pressline_session'));
  expect(set).toContain('HttpOnly; SameSite=Strict');

  const read = await browser.request(`${server.url}/v1/operator/session`);
  const { operator } = (await read.json()) as { operator: { id: string } };
  expect(operator).toEqual({ id: expect.any(String), name: `Ada ${role}`, role });
  const [created, signedIn] = (await actsOf(operator.id)).reverse();
  expect(created).toEqual({
    action: 'operator.create',
    actor: operator.id,
    before: null,
    after: { name: `Ada ${role}`, role, issuer: provider.issuer, subject: user },
    address: '127.0.0.1',
  });
  expect(signedIn).toMatchObject({ action: 'operator.sign_in', after: { method: 'openid_connect', role } });
});

test('the last step is a page of the same site, so that the browser sends its SameSite=Strict cookie to the console', async () => {
  provider.users.set('page', { username: 'page', groups: ['print-ops'] });
  const response = await signIn('page');
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const html = await response.text();
  expect(html).toContain(`<meta http-equiv="refresh" content="0; url=${server.url}/console/orders?status=failed">`);
  expect(html).not.toMatch(/<script|javascript:/i);
});

test('a second sign-in finds the same operator by issuer and subject, whatever the user is called', async () => {
  provider.users.set('sub-1', { username: 'grace', groups: ['print-ops'] });
  const first = await session('sub-1');
  provider.users.set('sub-1', { username: 'renamed', groups: ['print-ops'] });
  const second = await session('sub-1');
  expect(second.body.operator).toEqual(first.body.operator);
  expect((await actsOf(first.body.operator.id)).map(({ action }) => action)).toEqual([
    'operator.sign_in',
    'operator.sign_in',
    'operator.create',
  ]);
});

test.each([
  ['characters that cannot be stored or seen', '\u202eAda\u0007\u001b\0Love\ud83dlace\u0085', 'Ada Love lace'],
  ['1 MB', 'x'.repeat(1_000_000), 'x'.repeat(80)],
])('the name of a user may have %s', async (what, username, shown) => {
  provider.users.set(`odd ${what}`, { username, groups: ['print-ops', username] });
  const { body } = await session(`odd ${what}`);
  expect(body.operator).toMatchObject({ name: expect.stringMatching(new RegExp(`^${shown}`)), role: 'operator' });
  expect((body.operator as unknown as { name: string }).name.length).toBeLessThan(100);
});

test.each([
  ['U+0000', 'odd\0subject'],
  ['characters that are not ASCII', 'odd-\u05d0-\u202e'],
  ['more than 255 characters', 'x'.repeat(300)],
])('a subject with %s is refused', async (_what, subject) => {
  provider.users.set(subject, { username: 'odd', groups: ['print-ops'] });
  expect(await refusal(await signIn(subject))).toMatchObject({ status: 401, code: 'UNAUTHORIZED' });
});

test('a user cannot become an operator that exists by taking its name', async () => {
  provider.users.set('impostor', { username: admin.name, groups: ['print-viewers'] });
  const { body } = await session('impostor');
  expect(body.operator).toMatchObject({
    name: expect.stringMatching(new RegExp(`^${admin.name} [0-9a-f]{12}$`)),
    role: 'viewer',
  });
  expect(body.operator.id).not.toBe(admin.id);
});

test('two first sign-ins of one user at once make one operator', async () => {
  provider.users.set('twice', { username: 'twice', groups: ['print-ops'] });
  const browsers = [new CookieBrowser(), new CookieBrowser()];
  const callbacks = await Promise.all(browsers.map((browser) => atProvider(browser, 'twice')));
  const responses = await Promise.all(browsers.map((browser, index) => browser.request(callbacks[index]!)));
  expect(responses.map(({ status }) => status)).toEqual([200, 200]);
  expect(await sql`SELECT 1 FROM operator_identities WHERE subject = 'twice'`).toHaveLength(1);
});

test.each([
  ['no group with a role', ['staff']],
  ['no group', []],
  ['no claim with groups', undefined],
])('a user in %s gets 403, no session and no account', async (_name, groups) => {
  provider.users.set('stranger', { username: 'stranger', ...(groups && { groups }) });
  const { status, message } = await refusal(await signIn('stranger'));
  expect([status, message]).toEqual([403, expect.stringContaining('None of your groups has a role')]);
  expect(await sql`SELECT 1 FROM operator_identities WHERE subject = 'stranger'`).toHaveLength(0);
});

test('a user who leaves a group has the role of the remaining ones from the next sign-in on', async () => {
  provider.users.set('demoted', { username: 'demoted', groups: ['/print/admins', 'print-viewers'] });
  const before = await session('demoted');
  provider.users.set('demoted', { username: 'demoted', groups: ['print-viewers'] });
  const after = await session('demoted');
  expect(after.body.operator).toEqual({ ...before.body.operator, role: 'viewer' });
  const open = await before.browser.request(`${server.url}/v1/operator/session`);
  // A session of the earlier role ends.
  expect(open.status).toBe(401);
  expect((await actsOf(before.body.operator.id))[1]).toMatchObject({
    action: 'operator.change_role',
    before: { role: 'admin' },
    after: { role: 'viewer' },
  });
});

test('a user who leaves every group loses role, sessions and keys at the next sign-in', async () => {
  provider.users.set('left', { username: 'left', groups: ['/print/admins'] });
  const { browser, body } = await session('left');
  const { id } = body.operator;
  const { apiKey } = await issueKey(sql, id);
  provider.users.set('left', { username: 'left', groups: ['staff'] });
  expect(await refusal(await signIn('left'))).toMatchObject({ status: 403 });
  expect((await browser.request(`${server.url}/v1/operator/session`)).status).toBe(401);
  const byKey = await fetch(`${server.url}/v1/operators`, { headers: { 'X-API-KEY': apiKey } });
  expect(byKey.status).toBe(401);
  const [failed, withdrawn] = await actsOf(id);
  expect(failed).toMatchObject({ action: 'operator.sign_in_failed', after: { method: 'openid_connect' } });
  expect(withdrawn).toMatchObject({
    action: 'operator.withdraw',
    before: { role: 'admin' },
    after: { role: 'viewer', sessionsEnded: 1, keysRevoked: 1 },
  });
  expect(await refusal(await signIn('left'))).toMatchObject({ status: 403 });
  expect((await actsOf(id)).filter(({ action }) => action === 'operator.withdraw')).toHaveLength(1);

  provider.users.set('left', { username: 'left', groups: ['print-ops'] });
  expect((await session('left')).body.operator).toEqual({ id, name: 'left', role: 'operator' });
});

test('a revoked operator cannot sign in, and its session ends', async () => {
  provider.users.set('revoked', { username: 'revoked', groups: ['print-ops'] });
  const { browser, body } = await session('revoked');
  const revoked = await fetch(`${server.url}/v1/operators/${body.operator.id}/revoke`, {
    method: 'POST',
    headers: admin.key,
  });
  expect(revoked.status).toBe(200);
  expect((await browser.request(`${server.url}/v1/operator/session`)).status).toBe(401);
  expect(await refusal(await signIn('revoked'))).toEqual({
    status: 403,
    code: 'FORBIDDEN',
    message: 'This operator is revoked.',
  });
});

test('a response with a forged state, without the cookie or in another browser is refused', async () => {
  provider.users.set('victim', { username: 'victim', groups: ['print-ops'] });
  const browser = new CookieBrowser();
  const callback = await atProvider(browser, 'victim');
  const forged = new URL(callback);
  forged.searchParams.set('state', 'x'.repeat(43));
  const none = new URL(callback);
  none.searchParams.delete('state');
  const other = new CookieBrowser();
  await atProvider(other, 'victim');
  const altered = browser.cookie('pressline_sign_in')!;
  const wrong = [
    browser.request(forged),
    browser.request(none),
    new CookieBrowser().request(callback),
    other.request(callback),
    new CookieBrowser({ Cookie: `pressline_sign_in=${altered.slice(0, -2)}AA` }).request(callback),
    ...[
      '{}',
      JSON.stringify({ state: 's', nonce: 'n', codeVerifier: 'v', returnTo: '/', expiresAt: '2099-01-01' }),
    ].map((value) =>
      fetch(`${server.url}${CALLBACK}?code=c&state=s`, { headers: { Cookie: `pressline_sign_in=${value}` } }),
    ),
  ];
  for (const response of await Promise.all(wrong))
    expect(await refusal(response)).toMatchObject({ status: 401, code: 'UNAUTHORIZED' });
  expect((await browser.request(callback)).status).toBe(200);
});

test('a response starts one session, also when it arrives twice at once', async () => {
  provider.users.set('once', { username: 'once', groups: ['print-ops'] });
  const browser = new CookieBrowser();
  const callback = await atProvider(browser, 'once');
  const cookie = `pressline_sign_in=${browser.cookie('pressline_sign_in')}`;
  const responses = await Promise.all([1, 2].map(() => fetch(callback, { headers: { Cookie: cookie } })));
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 401]);
  const again = await fetch(callback, { headers: { Cookie: cookie } });
  expect(await refusal(again)).toMatchObject({
    status: 401,
    message: 'This sign-in was used before. Start again.',
  });
  const [{ accountId }] = (await sql`
    SELECT account_id FROM operator_identities WHERE subject = 'once'`) as unknown as [{ accountId: string }];
  expect(await sessionsOf(accountId)).toBe(1);
});

test('a code of another sign-in is refused by the provider', async () => {
  provider.users.set('replayed', { username: 'replayed', groups: ['print-ops'] });
  const first = new CookieBrowser();
  const used = await atProvider(first, 'replayed');
  const second = new CookieBrowser();
  const callback = await atProvider(second, 'replayed');
  callback.searchParams.set('code', used.searchParams.get('code')!);
  // PKCE: the code belongs to the verifier of the first sign-in.
  expect(await refusal(await second.request(callback))).toMatchObject({
    status: 401,
    message: expect.stringContaining('refused the code'),
  });
});

test('an ID token with another nonce is refused', async () => {
  provider.users.set('nonce', { username: 'nonce', groups: ['print-ops'] });
  const browser = new CookieBrowser();
  const callback = await atProvider(browser, 'nonce', server, (address) => {
    expect(address.searchParams.get('nonce')).toMatch(/^[\w-]{43}$/);
    address.searchParams.set('nonce', 'another');
  });
  expect(await refusal(await browser.request(callback))).toMatchObject({
    status: 401,
    message: expect.stringContaining('did not pass verification'),
  });
});

test('a user who cancels at the provider gets 401', async () => {
  const browser = new CookieBrowser();
  const { searchParams } = locationOf(await browser.request(`${server.url}${START}`));
  const query = new URLSearchParams({
    error: 'access_denied',
    state: searchParams.get('state')!,
    iss: provider.issuer,
  });
  expect(await refusal(await browser.request(`${server.url}${CALLBACK}?${query}`))).toMatchObject({
    status: 401,
    message: 'The identity provider refused the sign-in.',
  });
});

test('a sign-in takes ten minutes at most', async () => {
  const browser = new CookieBrowser();
  const response = await browser.request(`${server.url}${START}`);
  const cookie = response.headers.getSetCookie()[0]!;
  expect(cookie).toMatch(/^pressline_sign_in=sealed:.+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/);
  const state = locationOf(response).searchParams.get('state')!;
  const now = Date.now();
  jest.spyOn(Date, 'now').mockReturnValue(now + 600_001);
  const late = await browser.request(`${server.url}${CALLBACK}?code=c&state=${state}`);
  expect(await refusal(late)).toMatchObject({ status: 401, message: expect.stringContaining('ten minutes') });
});

test.each([
  'https://evil.example/console',
  '//evil.example/console',
  '/\\evil.example/console',
  'console',
  '/v1/operator/session',
  '/console/../v1/orders',
  '/consoles',
  'javascript:alert(1)',
  '',
])('the return address %j is refused', async (returnTo) => {
  const response = await fetch(`${server.url}${START}?${new URLSearchParams({ returnTo })}`, {
    redirect: 'manual',
  });
  expect(await refusal(response)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
});

test('the groups can be in the ID token', async () => {
  const other = await stack({ inIdToken: true });
  other.provider.users.set('token', { username: 'token', groups: ['print-ops'] });
  expect((await session('token', other.server)).body.operator).toMatchObject({
    name: 'token',
    role: 'operator',
  });
});

test('the same subject at another issuer is another operator', async () => {
  const other = await stack();
  for (const { users } of [provider, other.provider]) users.set('same', { username: 'same', groups: ['print-ops'] });
  const here = await session('same');
  const there = await session('same', other.server);
  expect(there.body.operator.id).not.toBe(here.body.operator.id);
});

test('503 while the provider is down, and the next sign-in finds it again', async () => {
  const { provider: down, server: api } = await stack();
  down.users.set('down', { username: 'down', groups: ['print-ops'] });
  const browser = new CookieBrowser();
  const callback = await atProvider(browser, 'down', api);
  await down.stop();
  const atCallback = await browser.request(callback);
  expect(atCallback.headers.get('retry-after')).toBe('5');
  expect(await refusal(atCallback)).toMatchObject({
    status: 503,
    message: 'The identity provider does not respond. Try again shortly, or sign in with an API key.',
  });

  const port = await freePort();
  const { server: early } = await stack({}, { OIDC_ISSUER: `http://127.0.0.1:${port}` });
  const start = () => fetch(`${early.url}${START}`, { redirect: 'manual' });
  expect(await refusal(await start())).toMatchObject({ status: 503, code: 'UNAVAILABLE' });
  const up = await startIdentityProvider(`${early.url}${CALLBACK}`, { port });
  running.push({ stop: () => up.stop() });
  expect(locationOf(await start()).href).toMatch(new RegExp(`^${up.issuer}/auth\\?`));
});

test('a wrong client secret is a mistake of the configuration: 503', async () => {
  const wrong = await stack({}, { OIDC_CLIENT_SECRET: 'another secret' });
  wrong.provider.users.set('user', { username: 'user', groups: ['print-ops'] });
  expect(await refusal(await signIn('user', wrong.server))).toMatchObject({ status: 503 });
});

test('404 with a code of its own when no provider is configured', async () => {
  const { server: plain } = await stack({}, { OIDC_ISSUER: undefined });
  for (const path of [START, CALLBACK]) {
    expect(await refusal(await fetch(`${plain.url}${path}`))).toEqual({
      status: 404,
      code: 'SIGN_IN_NOT_CONFIGURED',
      message: 'Sign-in by OpenID Connect is not configured.',
    });
  }
  const methods = async (api: HttpServer) => (await fetch(`${api.url}/v1/operator/session/methods`)).json();
  expect([await methods(plain), await methods(server)]).toEqual([{ openIdConnect: false }, { openIdConnect: true }]);
});

test('a browser gets errors as a page with the reason and the request id', async () => {
  const response = await new CookieBrowser(HTML).request(`${server.url}${CALLBACK}?code=c&state=<script>`);
  const html = await response.text();
  expect(response.status).toBe(401);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(html).toContain('has no such sign-in in progress');
  expect(html).toContain(response.headers.get('x-request-id')!);
  expect(html).toContain(`<a href="${server.url}/console/sign-in">`);
  expect(html).not.toContain('<script');
});
