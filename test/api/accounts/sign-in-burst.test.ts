import { createApp } from '../../../api/app';
import { type HttpServer, startHttpServer } from '../../../api/http/server';
import { allRoutes } from '../../../api/routes';
import { randomToken } from '../../../src/platform/ids';
import { connectPostgres, type Sql } from '../../../src/platform/postgres';
import { type TestAccount, testAccount, testApiDeps } from '../../support/api-deps';
import { testDatabase } from '../../support/database';

const WAIT_MS = 200;

let sql: Sql;
let impatient: Sql;
let admin: TestAccount;
const servers: HttpServer[] = [];

beforeAll(async () => {
  const database = await testDatabase();
  ({ sql } = database);
  impatient = connectPostgres(database.url, { max: 1, waitTimeoutMs: WAIT_MS });
  admin = await testAccount(sql, 'operator');
});

afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop(0)));
  await impatient.end();
});

async function serve(pool: Sql): Promise<string> {
  const deps = await testApiDeps(pool);
  const server = await startHttpServer(createApp(deps, allRoutes(deps)), { host: '127.0.0.1', port: 0 });
  servers.push(server);
  return server.url;
}

const signIn = (url: string, apiKey: string) =>
  fetch(`${url}/v1/operator/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ apiKey }),
  });

test('500 simultaneous sign-ins with random keys leave the process responsive', async () => {
  const url = await serve(sql);
  const burst = Array.from({ length: 500 }, () => signIn(url, randomToken(32)));
  expect((await signIn(url, admin.apiKey)).status).toBe(200);
  const statuses = await Promise.all(burst.map(async (response) => (await response).status));
  expect(new Set(statuses)).toEqual(new Set([401, 429]));
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  expect((await signIn(url, admin.apiKey)).status).toBe(200);
});

test('a request that gets no connection in time is 503 with Retry-After, and the next one succeeds', async () => {
  const url = await serve(impatient);
  await impatient.begin(async (tx) => {
    await tx`SELECT 1`;
    const refused = await signIn(url, admin.apiKey);
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ code: 'UNAVAILABLE' });
  });
  expect((await signIn(url, admin.apiKey)).status).toBe(200);
});
