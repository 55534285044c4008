import { createApp } from '../../../api/app';
import { type HttpServer, startHttpServer } from '../../../api/http/server';
import { allRoutes } from '../../../api/routes';
import { MOST_SESSIONS } from '../../../src/accounts/sessions';
import { randomToken } from '../../../src/platform/ids';
import { createLogger, type Logger } from '../../../src/platform/logging/logging';
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

async function serve(pool: Sql, log?: Logger): Promise<string> {
  const deps = await testApiDeps(pool, log && { log });
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

test('of 200 sign-ins of one operator, ten at a time, none fails, and exactly as many sessions stay as are allowed', async () => {
  const url = await serve(sql);
  const operator = await testAccount(sql, 'operator');
  // The sessions of others that end meanwhile: each sign-in deletes them.
  const other = await testAccount(sql, 'operator');
  await sql`
    INSERT INTO operator_sessions (token_hash, id, account_id, method, expires_at)
    SELECT sha256(n::text::bytea), gen_random_uuid(), ${other.id}, 'api_key', now() + n * interval '5 milliseconds'
    FROM generate_series(1, 500) n`;
  const statuses: number[] = [];
  const one = async () => {
    for (let count = 0; count < 20; count += 1) statuses.push((await signIn(url, operator.apiKey)).status);
  };
  await Promise.all(Array.from({ length: 10 }, one));
  expect(statuses).toEqual(Array(200).fill(200));
  const [kept] = await sql`SELECT count(*)::int AS sessions FROM operator_sessions WHERE account_id = ${operator.id}`;
  expect(kept).toEqual({ sessions: MOST_SESSIONS });
});

test('the log line of a failed sign-in has the address of the caller', async () => {
  const lines: string[] = [];
  const url = await serve(
    sql,
    createLogger({ LOG_LEVEL: 'warn', LOG_FORMAT: 'json' }, 'api', { write: (line) => void lines.push(line) }),
  );
  await signIn(url, 'wrong');
  const failed = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'a sign-in failed');
  expect(failed).toMatchObject([{ callerAddress: '127.0.0.1', method: 'api_key' }]);
});
