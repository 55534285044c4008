import { claim, claimFairly, enqueue } from '../../../../src/platform/outbox/outbox';
import { connectPostgres, inTransaction, type Sql } from '../../../../src/platform/postgres';
import { testDatabase } from '../../../support/database';

const KIND = 'notification' as const;
let sql: Sql;

beforeAll(async () => {
  const { url } = await testDatabase();
  // The worst plan that Postgres may come upon where it knows nothing of a table, as after a crash: the rows to claim
  // looked up anew for each row of the table.
  sql = connectPostgres(url, { max: 1 });
  for (const way of ['hashjoin', 'mergejoin', 'hashagg', 'sort', 'material', 'bitmapscan', 'indexscan']) {
    await sql.unsafe(`SET enable_${way} = off`);
  }
});
afterAll(() => sql.end());

beforeEach(async () => {
  await sql`DELETE FROM outbox`;
  await inTransaction(sql, async (tx) => {
    for (let n = 0; n < 60; n += 1) await enqueue(tx, { kind: KIND, target: `t${n % 20}`, payload: { n } });
  });
});

test('claims at most the limit, with any query plan', async () => {
  const sizes: number[] = [];
  for (let round = 0; round < 8; round += 1) {
    sizes.push((await claim(sql, KIND, { limit: 9, leaseSeconds: 30 })).length);
  }
  expect(sizes).toEqual([9, 9, 9, 9, 9, 9, 6, 0]);
});

test('claims at most the limit per target and in total', async () => {
  const rows = await claimFairly(sql, KIND, { limit: 30, leaseSeconds: 30, perTarget: 2, busy: ['t3'] });
  expect(rows).toHaveLength(30);
  const byTarget = new Map<string, number>();
  for (const { target } of rows) byTarget.set(target, (byTarget.get(target) ?? 0) + 1);
  expect([...byTarget.values()]).toEqual(Array.from({ length: 15 }, () => 2));
  expect(byTarget.has('t3')).toBe(false);
});
