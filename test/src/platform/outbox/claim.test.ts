import { claim } from '../../../../src/platform/outbox/claims';
import { claimFairly, FairClaims, type FairLane, roomsOf } from '../../../../src/platform/outbox/fair-claims';
import { enqueue } from '../../../../src/platform/outbox/outbox';
import { connectPostgres, inTransaction, type Sql } from '../../../../src/platform/postgres';
import { testDatabase } from '../../../support/database';

const KIND = 'notification' as const;
const NOTIFICATIONS: FairLane = { kind: KIND, concurrency: 1_000, perKey: 2, leaseSeconds: 30 };
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
    for (let n = 0; n < 60; n += 1)
      await enqueue(tx, { kind: KIND, target: `t${n % 20}`, payload: { n, clientId: 'a' } });
  });
});

const EVER = new Date(0);
const OPTIONS = { limit: 100, leaseSeconds: 30, after: EVER, busy: [], waiting: [], inDelivery: {} };

test('a claim has at most the limit, with any query plan', async () => {
  const sizes: number[] = [];
  for (let round = 0; round < 8; round += 1) {
    const { rows } = await claim(sql, KIND, { ...OPTIONS, limit: 9 });
    sizes.push(rows.length);
  }
  expect(sizes).toEqual([9, 9, 9, 9, 9, 9, 6, 0]);
});

test('a claim has no row of a busy target, and reports that such rows are due', async () => {
  const { rows, passedOver } = await claim(sql, KIND, { ...OPTIONS, busy: ['t3', 't4'] });
  expect(rows).toHaveLength(54);
  expect(rows.filter(({ target }) => target === 't3' || target === 't4')).toEqual([]);
  expect(passedOver).toBe(true);
  expect((await claim(sql, KIND, { ...OPTIONS, busy: ['t0'] })).rows).toHaveLength(6);
  expect(await claim(sql, KIND, { ...OPTIONS, busy: ['t0'] })).toMatchObject({ rows: [], passedOver: false });
});

test('a claim has only rows that became due since the given time', async () => {
  await sql`UPDATE outbox SET available_at = now() - interval '1 hour' WHERE target = 't1'`;
  const after = new Date(Date.now() - 60_000);
  const { rows } = await claim(sql, KIND, { ...OPTIONS, after });
  expect(rows).toHaveLength(57);
  expect((await claim(sql, KIND, OPTIONS)).rows).toHaveLength(3);
});

test('a claim has at most the limit per target and in total', async () => {
  const { rows } = await claimFairly(sql, NOTIFICATIONS, {
    ...OPTIONS,
    limit: 30,
    inDelivery: { 'a/t3': 2, 'a/t4': 1 },
  });
  expect(rows).toHaveLength(30);
  const byTarget = Map.groupBy(rows, ({ target }) => target);
  expect(byTarget.has('t3')).toBe(false);
  expect(byTarget.get('t4') ?? [1]).toHaveLength(1);
  expect([...byTarget.values()].every(({ length }) => length <= 2)).toBe(true);
});

test('a claim has rows of the targets of new rows and of waiting targets, and of no others', async () => {
  await sql`UPDATE outbox SET available_at = now() - interval '1 hour' WHERE target <> 't1'`;
  const claimed = await claimFairly(sql, NOTIFICATIONS, {
    ...OPTIONS,
    after: new Date(Date.now() - 60_000),
    waiting: [{ key: 'a/t2', since: EVER }],
  });
  expect(claimed.rows.map(({ target }) => target).sort()).toEqual(['t1', 't1', 't2', 't2']);
  expect(claimed.candidates.map(({ key }) => key).sort()).toEqual(['a/t1', 'a/t2']);
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
  const lane: FairLane = { kind: 'start_workflow', concurrency: 32, perKey: 16, leaseSeconds: 30 };
  const { rows } = await claimFairly(sql, lane, { ...OPTIONS, limit: 30, after, inDelivery: { busy: 4 } });
  const targets = rows.map(({ target }) => target);
  expect(targets).toHaveLength(12 + 2);
  expect(targets).toEqual(expect.arrayContaining(['order-39', 'procurement-order-1']));
});

const LANE: FairLane = { kind: 'notification', concurrency: 128, perKey: 8, leaseSeconds: 60 };
const endpoints = (client: string, count: number) => Array.from({ length: count }, (_, n) => `${client}/${n}`);
const sum = (rooms: ReadonlyMap<string, number>) => [...rooms.values()].reduce((a, b) => a + b, 0);

test('one endpoint has at most its limit, and all endpoints of one client at most half of the slots', () => {
  expect(roomsOf(['a/0'], LANE, {})).toEqual(new Map([['a/0', 8]]));
  expect(sum(roomsOf(endpoints('a', 20), LANE, {}))).toBe(60);
  expect(sum(roomsOf(endpoints('a', 100), LANE, {}))).toBe(64);
});

test('endpoints of clients that hold their shares leave room for one more client, and for one more endpoint of theirs', () => {
  const clients = ['a', 'b', 'c'];
  const held = roomsOf(
    clients.flatMap((client) => endpoints(client, 20)),
    LANE,
    {},
  );
  expect(sum(held)).toBe(3 * 20);
  const inDelivery = Object.fromEntries(held);
  expect(sum(roomsOf([...held.keys()], LANE, inDelivery))).toBe(0);
  expect(roomsOf(['d/0'], LANE, inDelivery).get('d/0')).toBe(8);
  expect(roomsOf(['a/20'], LANE, inDelivery).get('a/20')).toBe(1);
});

test('a delivery that ends makes room for its own client, and for all when its client has no more', async () => {
  await sql`DELETE FROM outbox`;
  const notifications = (clientId: string, count: number) =>
    Array.from({ length: count }, (_, n) => ({ kind: KIND, target: `${clientId}-shop`, payload: { clientId, n } }));
  await enqueue(sql, ...notifications('a', 1), ...notifications('b', 9));
  // Of twelve slots, the endpoint of each of two clients has two.
  const claims = new FairClaims(sql, { ...LANE, concurrency: 12 });
  const ofClient = (rows: readonly { readonly target: string }[], client: string) =>
    rows.filter(({ target }) => target === `${client}-shop`);
  const { rows, more } = await claims.next(32);
  expect([ofClient(rows, 'a').length, ofClient(rows, 'b').length, more]).toEqual([1, 2, false]);
  expect(claims.release(ofClient(rows, 'b')[0] as never)).toBe(true);
  expect(ofClient((await claims.next(32)).rows, 'b')).toHaveLength(1);
  // Alone, it has three.
  expect(claims.release(ofClient(rows, 'a')[0] as never)).toBe(true);
  expect(ofClient((await claims.next(32)).rows, 'b')).toHaveLength(1);
});
