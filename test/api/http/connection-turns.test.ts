import { createApp } from '../../../api/app';
import { type HttpServer, startHttpServer } from '../../../api/http/server';
import { allRoutes } from '../../../api/routes';
import { connectPostgres, poolStates, type Sql } from '../../../src/platform/postgres';
import { type TestAccount, testAccount, testApiDeps } from '../../support/api-deps';
import { testDatabase } from '../../support/database';

/** A client with as many requests in progress as it may have, many times the connections of the process, and another client. */

const CONNECTIONS = 2;
/** As CONCURRENT_REQUESTS. */
const IN_PROGRESS = 50;
const REQUESTS = 8;

let pool: Sql;
let server: HttpServer;
let noisy: TestAccount;
let quiet: TestAccount;

beforeAll(async () => {
  const { sql, url } = await testDatabase();
  [noisy, quiet] = [await testAccount(sql, 'client'), await testAccount(sql, 'client')];
  pool = connectPostgres(url, { max: CONNECTIONS });
  const deps = await testApiDeps(pool, { config: { RATE_LIMIT: 0 } });
  server = await startHttpServer(createApp(deps, allRoutes(deps)), { host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await server.stop(0);
  await pool.end();
});

const list = async ({ keyAndSecret }: TestAccount) => {
  const response = await fetch(`${server.url}/product/v1/customer-products`, { headers: keyAndSecret });
  await response.arrayBuffer();
  return response.status;
};

test('a client that fills the pool is answered at most twice as often as it has requests in progress, before another is once', async () => {
  let answered = 0;
  let mostWaiting = 0;
  const ended = new AbortController();
  const statuses = new Set<number>();
  const flood = Array.from({ length: IN_PROGRESS }, async () => {
    while (!ended.signal.aborted) {
      statuses.add(await list(noisy));
      answered += 1;
      mostWaiting = Math.max(mostWaiting, poolStates(pool).waiting);
    }
  });
  const before: number[] = [];
  for (let count = 0; count < REQUESTS; count += 1) {
    const since = answered;
    expect(await list(quiet)).toBe(200);
    before.push(answered - since);
  }
  ended.abort();
  await Promise.all(flood);
  expect(statuses).toEqual(new Set([200]));
  expect(mostWaiting).toBeGreaterThan(CONNECTIONS);
  expect(Math.max(...before)).toBeLessThanOrEqual(2 * IN_PROGRESS);
});
