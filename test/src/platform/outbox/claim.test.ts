import pino from 'pino';
import { claim } from '../../../../src/platform/outbox/claims';
import { claimFairly } from '../../../../src/platform/outbox/fair-claims';
import { enqueue } from '../../../../src/platform/outbox/outbox';
import { Settler } from '../../../../src/platform/outbox/settlement';
import { connectPostgres, inTransaction, type Sql } from '../../../../src/platform/postgres';
import { testDatabase } from '../../../support/database';

const KIND = 'notification' as const;
let sql: Sql;

beforeAll(async () => {
  const { url } = await testDatabase();
  // The worst plan that Postgres may choose for a table without statistics, as after a crash: it looks up the rows to
  // claim again for each row of the table.
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

const EVER = new Date(0);
const SOME = { limit: 5, leaseSeconds: 30, after: EVER };

test('a claim has at most the limit, with any query plan', async () => {
  const sizes: number[] = [];
  for (let round = 0; round < 8; round += 1) {
    const { rows } = await claim(sql, KIND, { limit: 9, leaseSeconds: 30, after: EVER, busy: [] });
    sizes.push(rows.length);
  }
  expect(sizes).toEqual([9, 9, 9, 9, 9, 9, 6, 0]);
});

test.each([
  ['an ordered', (delivered: string[]) => claim(sql, KIND, { ...SOME, delivered, busy: [] })],
  [
    'a fair',
    (delivered: string[]) => claimFairly(sql, KIND, { ...SOME, delivered, perKey: 1, waiting: [], inDelivery: {} }),
  ],
])('%s claim deletes the delivered rows', async (_which, claimAfter) => {
  const { rows: delivered } = await claim(sql, KIND, { ...SOME, limit: 9, busy: [] });
  const ids = delivered.map(({ id }) => id);
  const { rows } = await claimAfter(ids);
  expect(rows).toHaveLength(5);
  expect(rows.filter(({ id }) => ids.includes(id))).toEqual([]);
  const [left] = await sql<{ n: number; leased: number }[]>`
    SELECT count(*)::int AS n, (count(*) FILTER (WHERE attempts > 0))::int AS leased FROM outbox`;
  expect(left).toEqual({ n: 51, leased: 5 });
});

test('a claim that fails leaves the delivered rows to their DELETE', async () => {
  const { rows } = await claim(sql, KIND, { ...SOME, busy: [] });
  const settler = new Settler(sql, pino({ level: 'silent' }), () => undefined);
  for (const row of rows) settler.add(row, { type: 'delivered' });
  await expect(settler.along(() => Promise.reject(new Error('cut')))).rejects.toThrow('cut');
  await settler.finish();
  expect(await sql`SELECT id FROM outbox`).toHaveLength(55);
});

test('a claim has no row of a busy target, and reports that such rows are due', async () => {
  const options = { limit: 100, leaseSeconds: 30, after: EVER };
  const { rows, passedOver } = await claim(sql, KIND, { ...options, busy: ['t3', 't4'] });
  expect(rows).toHaveLength(54);
  expect(rows.filter(({ target }) => target === 't3' || target === 't4')).toEqual([]);
  expect(passedOver).toBe(true);
  expect((await claim(sql, KIND, { ...options, busy: ['t0'] })).rows).toHaveLength(6);
  expect(await claim(sql, KIND, { ...options, busy: ['t0'] })).toMatchObject({ rows: [], passedOver: false });
});

test('a claim has only rows that became due since the given time', async () => {
  await sql`UPDATE outbox SET available_at = now() - interval '1 hour' WHERE target = 't1'`;
  const after = new Date(Date.now() - 60_000);
  const { rows } = await claim(sql, KIND, { limit: 100, leaseSeconds: 30, after, busy: [] });
  expect(rows).toHaveLength(57);
  expect((await claim(sql, KIND, { limit: 100, leaseSeconds: 30, after: EVER, busy: [] })).rows).toHaveLength(3);
});

test('a claim has at most the limit per target and in total', async () => {
  const { rows } = await claimFairly(sql, KIND, {
    limit: 30,
    leaseSeconds: 30,
    perKey: 2,
    after: EVER,
    waiting: [],
    inDelivery: { t3: 2, t4: 1 },
  });
  expect(rows).toHaveLength(30);
  const byTarget = new Map<string, number>();
  for (const { target } of rows) byTarget.set(target, (byTarget.get(target) ?? 0) + 1);
  expect(byTarget.has('t3')).toBe(false);
  expect(byTarget.get('t4') ?? 1).toBe(1);
  expect([...byTarget.values()].every((count) => count <= 2)).toBe(true);
});

test('a claim has rows of the targets of new rows and of waiting targets, and of no others', async () => {
  await sql`UPDATE outbox SET available_at = now() - interval '1 hour' WHERE target <> 't1'`;
  const claimed = await claimFairly(sql, KIND, {
    limit: 30,
    leaseSeconds: 30,
    perKey: 2,
    after: new Date(Date.now() - 60_000),
    waiting: [{ key: 't2', since: EVER }],
    inDelivery: {},
  });
  expect(claimed.rows.map(({ target }) => target).sort()).toEqual(['t1', 't1', 't2', 't2']);
  expect(claimed.candidates.map(({ key }) => key).sort()).toEqual(['t1', 't2']);
});

test.each([
  ['every row', EVER],
  ['new rows', new Date(Date.now() - 60_000)],
])('a claim of starts from %s has rows of each client, however many one has', async (_, after) => {
  await enqueue(
    sql,
    ...Array.from({ length: 40 }, (_, index) => ({
      kind: 'start_workflow' as const,
      target: `order-${index}`,
      payload: { workflowType: 'order', args: [], fairnessKey: index < 39 ? 'busy' : 'single' },
    })),
    { kind: 'start_workflow', target: 'procurement-order-1', payload: { workflowType: 'procurementOrder', args: [] } },
  );
  const options = { limit: 30, leaseSeconds: 30, perKey: 16, after, waiting: [], inDelivery: { busy: 4 } };
  const { rows } = await claimFairly(sql, 'start_workflow', options);
  const targets = rows.map(({ target }) => target);
  expect(targets).toHaveLength(12 + 2);
  expect(targets).toEqual(expect.arrayContaining(['order-39', 'procurement-order-1']));
});
