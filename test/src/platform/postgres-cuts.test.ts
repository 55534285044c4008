import { setTimeout as sleep } from 'node:timers/promises';
import { type CutProxy, startCutProxy } from '../../../bench/faults/cut-proxy';
import { connectPostgres, inTransaction, type Sql } from '../../../src/platform/postgres';
import { testDatabase } from '../../support/database';
import { eventually } from '../../support/eventually';

let proxy: CutProxy;
let sql: Sql;

beforeAll(async () => {
  const { url } = await testDatabase();
  proxy = await startCutProxy(0, () => [Number(new URL(url).port)]);
  sql = connectPostgres(Object.assign(new URL(url), { port: String(proxy.port) }).href, { max: 5 });
});

afterAll(async () => {
  await sql.end({ timeout: 1 });
  await proxy.close();
});

// Fails, or ends the process, when the driver is not patched (patches/README.md).
test('a cut connection fails only its own queries: no query hangs or gets the result of another', async () => {
  let cutting = true;
  const counts = { done: 0, broken: 0 };
  const wrong: string[] = [];
  const client = async (_: unknown, index: number) => {
    for (let turn = 0; cutting || turn < 20; turn += 1) {
      const asked = index * 100_000 + turn;
      try {
        const results = await inTransaction(sql, async (tx) => {
          const [first] = await tx<{ n: number }[]>`SELECT ${asked}::int AS n`;
          await tx`SELECT pg_sleep(0.002)`;
          const others = await Promise.all(
            [1, 2].map((plus) => tx<{ n: number }[]>`SELECT ${asked}::int + ${plus}::int AS n`),
          );
          return [first!.n, ...others.map(([row]) => row!.n - 1)];
        });
        if (results.join() !== [asked, asked, asked + 1].join()) wrong.push(`${asked}: ${results.join()}`);
        counts.done += 1;
      } catch {
        counts.broken += 1;
        await sleep(5);
      }
    }
  };
  const clients = Promise.all(Array.from({ length: 10 }, client));
  for (const end = Date.now() + 4_000; Date.now() < end; await sleep(50)) proxy.cut();
  cutting = false;
  const outcome = await Promise.race([clients.then(() => 'settled'), sleep(10_000, 'hanging', { ref: false })]);
  expect({ outcome, wrong }).toEqual({ outcome: 'settled', wrong: [] });
  expect(counts.broken).toBeGreaterThan(20);
  expect(counts.done).toBeGreaterThan(20);
});

// Fails when the driver is not patched: the rows that had arrived are counted for the next query.
test('a connection that is cut between two rows leaves nothing to the query after it', async () => {
  const { url } = await testDatabase();
  const one = connectPostgres(url, { max: 1 });
  try {
    const [{ pid }] = (await one`SELECT pg_backend_pid() AS pid`) as unknown as [{ pid: number }];
    // A row of this size pushes the row before it through the buffer of Postgres.
    const rows = one`
      SELECT repeat('x', 100000), pg_sleep(CASE n WHEN 2 THEN 60 ELSE 0 END) FROM generate_series(0, 2) AS n`;
    const cut = rows.then(
      () => 'succeeded',
      () => 'failed',
    );
    await eventually(async () => {
      const [waiting] = await sql`
        SELECT 1 FROM pg_stat_activity WHERE pid = ${pid} AND wait_event = 'PgSleep'`;
      return waiting;
    });
    await sql`SELECT pg_terminate_backend(${pid})`;
    expect(await cut).toBe('failed');
    expect([...(await one<{ n: number }[]>`SELECT 1 AS n`)]).toEqual([{ n: 1 }]);
  } finally {
    await one.end({ timeout: 1 });
  }
});
