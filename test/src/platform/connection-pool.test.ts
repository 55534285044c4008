import { groupCommit } from '../../../src/platform/group-commit';
import {
  connectPostgres,
  inTransaction,
  onCommit,
  onWaited,
  poolStates,
  type Sql,
} from '../../../src/platform/postgres';
import { isUnavailable } from '../../../src/platform/unavailable';
import { testDatabase } from '../../support/database';

const WAIT_MS = 200;
const SECOND_CONNECTION = 'A second connection was requested inside a transaction.';

let sql: Sql;
let one: Sql;
let url: string;

beforeAll(async () => {
  const database = await testDatabase();
  ({ sql, url } = database);
  one = connectPostgres(database.url, { max: 1, waitTimeoutMs: WAIT_MS });
});

afterAll(() => one.end());

test('a statement or transaction that finds no free connection in time fails as unavailable, and the pool continues', async () => {
  const waits: number[] = [];
  onWaited(one, (seconds) => waits.push(seconds));
  const held = await heldTransaction(one);
  const refused = [one`SELECT 1`, one.begin((tx) => tx`SELECT 1`)];
  for (const outcome of await Promise.allSettled(refused)) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'POOL_TIMEOUT' } });
    expect(isUnavailable((outcome as PromiseRejectedResult).reason)).toBe(true);
  }
  // A timer can end a millisecond before its time.
  expect(waits.map((seconds) => seconds >= (WAIT_MS - 2) / 1_000)).toEqual([true, true]);

  const late = one`SELECT 1 AS n`.execute();
  await held.end();
  expect([...(await late)]).toEqual([{ n: 1 }]);
  expect(waits).toHaveLength(3);
});

test('the states of a pool are the statements and transactions that use and await a connection', async () => {
  const pool = connectPostgres(url, { max: 2 });
  const held = await Promise.all([heldTransaction(pool), heldTransaction(pool)]);
  const late = pool`SELECT 1`.execute();
  expect(poolStates(pool)).toEqual({ used: 2, idle: 0, waiting: 1 });
  for (const transaction of held) await transaction.end();
  await late;
  expect(poolStates(pool)).toEqual({ used: 0, idle: 2, waiting: 0 });
  await pool.end();
});

test('a transaction that Postgres ends to resolve a deadlock is repeated once', async () => {
  let holding = 0;
  const both = Promise.withResolvers<void>();
  let attempts = 0;
  const crossing = (first: number, second: number) =>
    inTransaction(sql, async (tx) => {
      attempts += 1;
      await tx`SELECT pg_advisory_xact_lock(${first})`;
      holding += 1;
      if (holding === 2) both.resolve();
      await both.promise;
      await tx`SELECT pg_advisory_xact_lock(${second})`;
      return first;
    });
  expect(await Promise.all([crossing(1, 2), crossing(2, 1)])).toEqual([1, 2]);
  expect(attempts).toBe(3);
});

test('Postgres ends a transaction that sends no statement for a minute', async () => {
  expect([...(await sql`SHOW idle_in_transaction_session_timeout`)]).toEqual([
    { idleInTransactionSessionTimeout: '1min' },
  ]);
});

test('code in a transaction cannot use another connection, of any pool', async () => {
  for (const pool of [sql, one]) {
    await expect(inTransaction(sql, () => pool`SELECT 1`)).rejects.toThrow(SECOND_CONNECTION);
    const nested = () => inTransaction(pool, (tx) => tx`SELECT 1`);
    await expect(inTransaction(sql, nested)).rejects.toThrow(SECOND_CONNECTION);
  }
});

test('code in a transaction cannot wait for a group commit, and the commits of others succeed', async () => {
  const write = groupCommit(async (rows: readonly number[]) => {
    await one`SELECT 1`;
    return rows;
  }, 10);
  const inside = inTransaction(sql, () => write(1));
  const outside = write(2);
  await expect(inside).rejects.toThrow(SECOND_CONNECTION);
  expect(await outside).toBe(2);
});

test('other code, hooks after the commit and what the work has started use the pool', async () => {
  const held = await heldTransaction(one);
  expect(await sql`SELECT 1`).toHaveLength(1);
  await held.end();

  let hooked: PromiseLike<unknown> | undefined;
  const ended = Promise.withResolvers<void>();
  const started = await inTransaction(sql, async (tx) => {
    await tx`SELECT 1`;
    onCommit(tx, (pool) => {
      hooked = pool`SELECT 1`.execute();
    });
    return [ended.promise.then(() => sql`SELECT 1`)];
  });
  ended.resolve();
  expect(await hooked).toHaveLength(1);
  expect(await started[0]).toHaveLength(1);
});

/** Opens a transaction in the pool. It holds its connection until `end` is called. */
async function heldTransaction(pool: Sql): Promise<{ end(): Promise<void> }> {
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const transaction = inTransaction(pool, async (tx) => {
    await tx`SELECT 1`;
    begun.resolve();
    await released.promise;
  });
  transaction.catch(begun.reject);
  await begun.promise;
  return {
    async end() {
      released.resolve();
      await transaction;
    },
  };
}
