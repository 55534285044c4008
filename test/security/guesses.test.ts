import { randomBytes } from 'node:crypto';
import pino from 'pino';
import request from 'supertest';
import { createApp } from '../../api/app';
import { callerNetwork } from '../../api/http/caller-address';
import { FAILURE_LIMITS } from '../../api/http/request-limits';
import { allRoutes } from '../../api/routes';
import type { Config } from '../../src/platform/config';
import type { Sql } from '../../src/platform/postgres';
import { type TestAccount, testAccount, testApiDeps } from '../support/api-deps';
import { testDatabase } from '../support/database';

/** Floods of keys and session cookies that nobody has. */

let sql: Sql;
let client: TestAccount;
let operator: TestAccount;

beforeAll(async () => {
  ({ sql } = await testDatabase());
  client = await testAccount(sql, 'client');
  operator = await testAccount(sql, 'operator');
});

async function appWith(config: Partial<Config>, log = pino({ level: 'silent' })) {
  const deps = await testApiDeps(sql, { config: { RATE_LIMIT: 100, RATE_LIMIT_STORE: 'postgres', ...config }, log });
  return createApp(deps, allRoutes(deps));
}

/** Rows that statements of this database have inserted and updated so far. */
async function written(): Promise<number> {
  await sql`SELECT pg_stat_force_next_flush()`;
  const [row] = await sql<{ rows: number }[]>`
    SELECT sum(n_tup_ins + n_tup_upd)::int AS rows FROM pg_stat_user_tables`;
  return row!.rows;
}

const RANDOM = {
  'well-formed keys': () => ({ 'X-API-KEY': `plk_${randomBytes(24).toString('base64url')}` }),
  'malformed keys': () => ({ 'X-API-KEY': randomBytes(20).toString('hex') }),
  'session cookies': () => ({ Cookie: `__Host-pressline_session=pso_${randomBytes(32).toString('base64url')}` }),
};

test.each(Object.entries(RANDOM))('a flood of random %s gets 429 and writes nothing to Postgres', async (_, header) => {
  const app = await appWith({});
  const before = await written();
  const statuses = new Map<number, number>();
  for (let batch = 0; batch < 90; batch += 1) {
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => request(app).get('/v1/operators').set(header())),
    );
    for (const { status } of responses) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  const { limit } = FAILURE_LIMITS.credential;
  // Requests at the same time are looked up before the first of them is counted.
  expect(statuses.get(401)).toBeGreaterThanOrEqual(limit);
  expect(statuses.get(401)).toBeLessThan(limit + 20);
  expect(statuses.get(429)).toBeGreaterThan(200);
  expect(await written()).toBe(before);
  expect(await sql`SELECT FROM request_rates`).toHaveLength(0);
});

test('keys that were used lately keep working from an address that guesses, and count against their rate', async () => {
  const app = await appWith({});
  const list = (key: Record<string, string>) => request(app).get('/v1/operators').set(key);
  await list(operator.key).expect(200);
  for (let at = 0; at < 700; at += 1) {
    const { status } = await list({ 'X-API-KEY': 'guess' });
    if (status === 429) break;
  }
  await list({ 'X-API-KEY': 'guess' }).expect(429);
  const { headers } = await list(operator.key).expect(200);
  expect(headers['ratelimit-policy']).toMatch(/q=100; w=1/);
  await request(app).get('/v1/orders/none').set(client.keyAndSecret).expect(429);
});

test('IPv4 addresses are counted alone, IPv6 addresses by their /64', () => {
  expect(callerNetwork('203.0.113.7')).toBe('203.0.113.7');
  expect(callerNetwork('2001:db8:1:2:3:4:5:6')).toBe(callerNetwork('2001:db8:1:2::1'));
  expect(callerNetwork('2001:db8:1:3::1')).not.toBe(callerNetwork('2001:db8:1:2::1'));
});

test.each([
  ['nobody is trusted', undefined, 1],
  ['another proxy is trusted', ['192.0.2.0/24'], 1],
  ['the proxy is trusted', ['127.0.0.0/8', '::1/128'], 0],
])('X-Forwarded-For is warned of once when %s', async (_, TRUSTED_PROXIES, warnings) => {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
  const app = await appWith({ ...(TRUSTED_PROXIES === undefined ? {} : { TRUSTED_PROXIES }) }, log);
  for (let at = 0; at < 3; at += 1) await request(app).get('/health').set('X-Forwarded-For', '203.0.113.9');
  expect(lines.filter((line) => line.includes('TRUSTED_PROXIES'))).toHaveLength(warnings);
});
