import type postgres from 'postgres';
import { sampleOrder } from '../../../bench/support/sample-order';
import { loadConfig } from '../../../src/platform/config';
import { connectPostgres, inTransaction } from '../../../src/platform/postgres';
import { grantApplicationRole } from '../../../src/platform/schema/application-role';
import { findPooler, POOLED_SESSIONS, type Pooler, startPooler } from '../../support/other-systems/pooler';
import { SERVER_VARIABLES } from '../../support/server-variables';
import { testApplicationUrl } from '../../support/servers';
import { type TestStack, testStack } from '../../support/stack';
import { handedOver, orderUntil } from '../../workflows/order/order-fixture';

/** All of Pressline behind PgBouncer in transaction mode, with more connections than sessions. */
const describeWithPooler = process.env.CI || findPooler() !== undefined ? describe : describe.skip;

let pooler: Pooler | undefined;
// After the stack has stopped.
afterAll(async () => await pooler?.stop());

describeWithPooler('behind a pooler in transaction mode', () => {
  let stack: TestStack;

  beforeAll(async () => {
    pooler = await startPooler(testApplicationUrl());
    process.env[SERVER_VARIABLES.pooler] = pooler.host;
    stack = await testStack({ config: { DATABASE_POOL_SIZE: 10 } });
    delete process.env[SERVER_VARIABLES.pooler];
  });

  test('orders run to their end with the sessions of the pooler, and one listening connection', async () => {
    const orders = await Promise.all(Array.from({ length: 6 }, (_, n) => handedOver(stack, `pooled-${n}`)));
    for (const { orderId } of orders) await orderUntil(stack, orderId, ({ status }) => status === 'delivered');

    const connections = await stack.database.owner<{ name: string; count: number }[]>`
      SELECT CASE WHEN query LIKE 'listen %' THEN 'listening' ELSE 'pooled' END AS name, count(*)::int
      FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND usename = ${
        new URL(stack.database.url).username
      } GROUP BY 1`;
    const of = (name: string) => connections.find((row) => row.name === name)?.count ?? 0;
    expect(of('listening')).toBe(1);
    expect(of('pooled')).toBeGreaterThan(0);
    expect(of('pooled')).toBeLessThanOrEqual(POOLED_SESSIONS);
  });

  test('equal submissions with one Idempotency-Key at the same time make one order', async () => {
    const { apiKey, apiSecret } = stack.credentials.client;
    const body = JSON.stringify(sampleOrder('pooled-once', 'https://files.example/poster.pdf'));
    const headers = {
      'x-api-key': `${apiKey}:${apiSecret}`,
      'content-type': 'application/json',
      'idempotency-key': 'pooled-once',
    };
    const responses = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const response = await fetch(`${stack.baseUrl}/v1/orders`, { method: 'POST', headers, body });
        return { status: response.status, text: await response.text() };
      }),
    );
    const accepted = responses.flatMap(({ status, text }) => (status === 200 ? [JSON.parse(text).id] : []));
    expect(new Set(accepted).size).toBe(1);
    expect(responses.filter(({ status }) => ![200, 409, 503].includes(status))).toEqual([]);
    const stored = await stack.services.sql`SELECT id FROM orders WHERE order_reference_id = 'pooled-once'`;
    expect(stored.map(({ id }) => id)).toEqual([accepted[0]]);
  });

  test('statements on fewer connections than there are statements each get their own result', async () => {
    const sql = connectPostgres(stack.database.url, { max: 4 });
    const results = Array.from({ length: 200 }, async (_, n) => {
      // Statements without parameters are sent at once, the others ask for their types first.
      const [row] =
        n % 3 === 0 ? await sql<{ n: number }[]>`SELECT ${n}::int AS n` : await sql.unsafe(`SELECT ${n} AS n`);
      return row!.n;
    });
    // Without a limit, a statement whose answer another client got would end the test without saying so.
    const hanging = setTimeout(() => void sql.end({ timeout: 0 }), 30_000);
    expect(await Promise.all(results)).toEqual(results.map((_, n) => n));
    clearTimeout(hanging);
    await sql.end();
  });

  test('a session has the settings of its role, which migrate sets', async () => {
    const { owner, url, directUrl } = stack.database;
    await grantApplicationRole(owner as unknown as postgres.Sql, directUrl);
    // New sessions have them.
    await owner`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND usename = ${new URL(url).username} AND query NOT LIKE 'listen %'`;
    const sql = connectPostgres(url, { max: 1 });
    const show = async (name: string) => {
      const [row] = await sql<{ value: string }[]>`SELECT current_setting(${name}) AS value`;
      return row!.value;
    };
    expect(await show('statement_timeout')).toBe('1min');
    expect(await show('idle_in_transaction_session_timeout')).toBe('1min');
    expect(await show('max_parallel_workers_per_gather')).toBe('0');
    await sql.end();
  });

  test('a pool with a statement timeout of its own sets it in each transaction', async () => {
    const sql = connectPostgres(stack.database.url, { max: 1, statementTimeoutMs: 200 });
    await expect(inTransaction(sql, (tx) => tx`SELECT pg_sleep(30)`)).rejects.toMatchObject({ code: '57014' });
    const [row] = await sql<{ value: string }[]>`SELECT current_setting('statement_timeout') AS value`;
    expect(row!.value).not.toBe('200ms');
    await sql.end();
  });
});

test('a pooler needs the direct address too', () => {
  const DATABASE_URL = 'postgres://app:secret@pooler:6432/pressline?pooler=transaction';
  expect(() => loadConfig({ DATABASE_URL })).toThrow('DATABASE_DIRECT_URL: needed with pooler=transaction');
  const DATABASE_DIRECT_URL = 'postgres://app:secret@database/pressline';
  expect(loadConfig({ DATABASE_URL, DATABASE_DIRECT_URL })).toMatchObject({ DATABASE_URL, DATABASE_DIRECT_URL });
});
