import { setImmediate as nextTurn } from 'node:timers/promises';
import pino from 'pino';
import postgres from 'postgres';
import { type DeliveryOutcome, type Lane, MAX_ATTEMPTS } from '../../../../src/platform/outbox/lane';
import { replayDead } from '../../../../src/platform/outbox/messages';
import { enqueue, OUTBOX_CHANNEL, type OutboxRow, wakeRelays } from '../../../../src/platform/outbox/outbox';
import { type Relay, startRelay } from '../../../../src/platform/outbox/relay';
import { inTransaction, type Sql } from '../../../../src/platform/postgres';
import { testDatabase } from '../../../support/database';
import { eventually } from '../../../support/eventually';

let url: string;
let sql: Sql;
const pools: Sql[] = [];
const relays: Relay[] = [];

beforeAll(async () => {
  ({ url, sql } = await testDatabase());
});

beforeEach(async () => {
  await sql`DELETE FROM outbox`;
});

afterEach(async () => {
  for (const relay of relays.splice(0)) await relay.stop();
  for (const pool of pools.splice(0)) await pool.end();
});

const log = pino({ level: 'silent' });

async function relay(
  deliver: (row: OutboxRow) => Promise<DeliveryOutcome>,
  lane: Partial<Lane> = {},
  pool = sql,
): Promise<Relay> {
  const started = await startRelay({
    sql: pool,
    log,
    lanes: [{ kind: 'notification', concurrency: 16, leaseSeconds: 30, deliver, ...lane }],
  });
  relays.push(started);
  return started;
}

/** Returns a pool, and the first word of each statement that it sends. */
async function watchedPool(max = 4): Promise<{ pool: Sql; statements: string[] }> {
  const statements: string[] = [];
  const pool = postgres(url, {
    max,
    transform: { column: { from: postgres.toCamel } },
    debug: (_connection, query) => void statements.push(/\w+/.exec(query)![0]),
  }) as unknown as Sql;
  pools.push(pool);
  return { pool, statements };
}

const message = (target: string, n: number) => ({ kind: 'notification' as const, target, payload: { n } });
const numberOf = (row: OutboxRow) => (row.payload as { n: number }).n;
const left = async () => Number((await sql<{ count: string }[]>`SELECT count(*) FROM outbox`)[0]!.count);
/** Runs a relay that delivers every row, and returns the numbers of the rows that it delivers. */
async function delivering(lane?: Partial<Lane>): Promise<number[]> {
  const seen: number[] = [];
  await relay(async (row) => {
    seen.push(numberOf(row));
    return { outcome: 'done' };
  }, lane);
  return seen;
}
/** Waits for the only dead letter. */
const deadLetter = () =>
  eventually(async () => {
    const [row] = await sql<{ attempts: number; lastError: string }[]>`
      SELECT attempts, last_error FROM outbox WHERE dead_at IS NOT NULL`;
    return row;
  });
const numbers = (length: number) => Array.from({ length }, (_, n) => n);
const sorted = (seen: readonly number[]) => seen.toSorted((a, b) => a - b);
const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const none = async () => ((await left()) === 0 ? true : undefined);

test('three relays deliver each of 500 rows once', async () => {
  const seen = await Promise.all([delivering(), delivering(), delivering()]);
  await enqueue(sql, ...numbers(500).map((n) => message(`t${n % 7}`, n)));
  await eventually(none);
  expect(sorted(seen.flat())).toEqual(numbers(500));
});

test('a message of a transaction that rolls back is not delivered', async () => {
  const seen = await delivering();
  await expect(
    inTransaction(sql, async (tx) => {
      await enqueue(tx, message('t', 1));
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
  await enqueue(sql, message('t', 2));
  await eventually(none);
  expect(seen).toEqual([2]);
});

test('a row is retried after an error; an undeliverable row is a dead letter until it is replayed', async () => {
  let broken = true;
  const attempts: number[] = [];
  await relay(async (row) => {
    attempts.push(row.attempts);
    if (row.attempts === 1) throw new Error('connection reset');
    return broken ? { outcome: 'dead', error: 'gone for good' } : { outcome: 'done' };
  });
  await enqueue(sql, message('t', 1));
  const dead = await deadLetter();
  expect(dead.lastError).toBe('gone for good');
  expect(attempts).toEqual([1, 2]);

  broken = false;
  expect(await replayDead(sql, { kind: 'notification' })).toBe(1);
  await eventually(none);
  // The replay counts attempts from one, so that its first attempt fails again.
  expect(attempts).toEqual([1, 2, 1, 2]);
});

test('a row that always fails is a dead letter after the limit of attempts', async () => {
  await enqueue(sql, message('t', 1));
  await sql`UPDATE outbox SET attempts = ${MAX_ATTEMPTS - 3}`;
  const attempts: number[] = [];
  await relay(async (row) => {
    attempts.push(row.attempts);
    return { outcome: 'retry', afterMs: 0, error: 'cannot be encoded' };
  });
  expect(await deadLetter()).toEqual({
    attempts: MAX_ATTEMPTS,
    lastError: `gave up after ${MAX_ATTEMPTS} attempts: cannot be encoded`,
  });
  expect(attempts).toEqual([MAX_ATTEMPTS - 2, MAX_ATTEMPTS - 1, MAX_ATTEMPTS]);
});

test('a row whose relays all died is a dead letter without another attempt', async () => {
  await enqueue(sql, message('t', 1));
  await sql`UPDATE outbox SET attempts = ${MAX_ATTEMPTS}`;
  const seen = await delivering();
  const dead = await deadLetter();
  expect(dead.lastError).toBe(`no result after ${MAX_ATTEMPTS} attempts`);
  expect(seen).toEqual([]);
});

test('an unavailable server does not use up attempts', async () => {
  let unavailable = true;
  let asked = 0;
  const attempts: number[] = [];
  await relay(async (row) => {
    asked += 1;
    if (unavailable) return { outcome: 'unavailable', error: 'no server' };
    attempts.push(row.attempts);
    return { outcome: 'done' };
  });
  await enqueue(sql, message('t', 1));
  await eventually(async () => (asked >= 3 ? true : undefined));
  unavailable = false;
  await eventually(none);
  expect(attempts).toEqual([1]);
});

test('a row for which the server is unavailable while it accepts other rows uses up its attempts', async () => {
  let stopped = false;
  let accepted = 0;
  await relay(async (row) => {
    if (row.target !== 'too-large') {
      accepted += 1;
      return { outcome: 'done' };
    }
    const before = accepted;
    await eventually(async () => (accepted >= before + 2 ? true : undefined));
    return { outcome: 'unavailable', error: 'resource exhausted' };
  });
  await enqueue(sql, message('too-large', 1));
  const others = (async () => {
    for (let n = 0; !stopped; n += 1) {
      await enqueue(sql, message(`t${n}`, n));
      await after(20);
    }
  })();
  try {
    const row = await eventually(async () => {
      const [row] = await sql<{ attempts: number; lastError: string }[]>`
        SELECT attempts, last_error FROM outbox WHERE target = 'too-large' AND last_error IS NOT NULL`;
      return row;
    });
    expect(row).toEqual({ attempts: 1, lastError: 'resource exhausted' });
  } finally {
    // The tests after this one wait for an empty outbox.
    stopped = true;
    await others;
  }
});

test('a target with a long queue and a slow receiver does not delay other targets', async () => {
  const done: string[] = [];
  const slow = Promise.withResolvers<void>();
  await relay(
    async (row) => {
      if (row.target === 'slow') await slow.promise;
      done.push(row.target);
      return { outcome: 'done' };
    },
    { concurrency: 8, perKey: 2 },
  );
  await enqueue(sql, ...numbers(100).map((n) => message('slow', n)));
  await enqueue(sql, ...numbers(20).map((n) => message('quick', n)));
  await eventually(async () => (done.length === 20 ? true : undefined));
  expect(new Set(done)).toEqual(new Set(['quick']));
  slow.resolve();
  await eventually(none);
  expect(done.filter((target) => target === 'slow')).toHaveLength(100);
});

test('twenty targets of one client whose receivers are silent do not delay another client, nor its own other targets', async () => {
  const done: string[] = [];
  const waiting = new Set<string>();
  const silent = Promise.withResolvers<void>();
  await relay(
    async ({ id, target }) => {
      if (target.startsWith('silent')) {
        waiting.add(id);
        await silent.promise;
      }
      done.push(target);
      return { outcome: 'done' };
    },
    { concurrency: 64, perKey: 8 },
  );
  const ofClient = (clientId: string, target: string, n: number) => ({
    ...message(target, n),
    payload: { n, clientId },
  });
  await enqueue(sql, ...numbers(200).map((n) => ofClient('noisy', `silent-${n % 20}`, n)));
  await eventually(async () => (waiting.size >= 20 ? true : undefined));
  await enqueue(sql, ...numbers(50).map((n) => ofClient('quiet', 'quick', n)), ofClient('noisy', 'healthy', 0));
  await eventually(async () => (done.length === 51 ? true : undefined));
  expect(done.filter((target) => target === 'healthy')).toHaveLength(1);
  expect(waiting.size).toBeLessThanOrEqual(32);
  silent.resolve();
  await eventually(none);
});

test('rows wait while the receiving server is unavailable: one row at a time probes it, and all are delivered when it is back', async () => {
  const concurrency = 4;
  let isAvailable = false;
  let running = 0;
  /** For each attempt at the unavailable server, the number of attempts that were running. */
  const atOnce: number[] = [];
  const seen: number[] = [];
  await relay(
    async (row) => {
      if (!isAvailable) {
        running += 1;
        atOnce.push(running);
        await nextTurn();
        running -= 1;
        return { outcome: 'unavailable', error: 'no server' };
      }
      seen.push(numberOf(row));
      return { outcome: 'done' };
    },
    { concurrency },
  );
  await enqueue(sql, ...numbers(50).map((n) => message(`t${n}`, n)));
  await eventually(async () => (atOnce.length >= concurrency + 2 ? true : undefined));
  expect(atOnce.slice(concurrency)).toEqual(atOnce.slice(concurrency).map(() => 1));
  expect(await left()).toBe(50);
  isAvailable = true;
  await eventually(none);
  expect(sorted(seen)).toEqual(numbers(50));
});

test('a row of a dead relay is due again when its lease ends', async () => {
  await enqueue(sql, message('t', 1));
  // A relay that claimed the row and was killed.
  await sql`UPDATE outbox SET attempts = 1, available_at = now() + interval '1 second'`;
  const seen: number[] = [];
  await relay(async (row) => {
    seen.push(row.attempts);
    return { outcome: 'done' };
  });
  await eventually(none);
  expect(seen).toEqual([2]);
});

test('messages of one target arrive in order across batches', async () => {
  const seen: number[] = [];
  let together = 0;
  await relay(
    async (row) => {
      together += 1;
      expect(together).toBe(1);
      await after(60 - 3 * numberOf(row));
      together -= 1;
      seen.push(numberOf(row));
      return { outcome: 'done' };
    },
    { concurrency: 4 },
  );
  // Each message is written while earlier ones are delivered, and six exceed a batch of four.
  for (let n = 0; n < 12; n += 1) {
    await enqueue(sql, message('run', n));
    if (n > 5) await after(15);
  }
  await eventually(none);
  expect(seen).toEqual(numbers(12));
});

test('a slow delivery holds neither the slots of the rows claimed with it nor more than one slot', async () => {
  const done: string[] = [];
  const slow = Promise.withResolvers<void>();
  // One batch: five rows of the slow target, and one of another.
  await enqueue(sql, ...numbers(5).map((n) => message('slow', n)), message('quick', 5));
  await relay(
    async (row) => {
      if (row.target === 'slow') await slow.promise;
      done.push(row.target);
      return { outcome: 'done' };
    },
    { concurrency: 6 },
  );
  await eventually(async () => (done.length === 1 ? true : undefined));
  await enqueue(sql, ...numbers(60).map((n) => message(`quick ${n}`, n)));
  await eventually(async () => ((await left()) === 5 ? true : undefined));
  expect(done).toHaveLength(61);
  expect(done).not.toContain('slow');
  slow.resolve();
  await eventually(none);
  expect(done).toHaveLength(66);
});

test('rows that are delivered at about the same time share a DELETE', async () => {
  const { pool, statements } = await watchedPool();
  await enqueue(sql, ...numbers(320).map((n) => message(`t${n}`, n)));
  const deliver = async (row: OutboxRow): Promise<DeliveryOutcome> => {
    await after(numberOf(row) % 7);
    return { outcome: 'done' };
  };
  await relay(deliver, { concurrency: 32 }, pool);
  await eventually(none);
  const deletes = statements.filter((statement) => statement === 'DELETE').length;
  expect(deletes).toBeGreaterThan(0);
  expect(deletes).toBeLessThan(80);
});

test('the notifications of a process are throttled', async () => {
  const { pool } = await watchedPool();
  let notifications = 0;
  const { unlisten } = await sql.listen(OUTBOX_CHANNEL, () => {
    notifications += 1;
  });
  for (let times = 0; times < 10; times += 1) wakeRelays(pool, 'notification');
  // One for the first wake-up and one for the others.
  await eventually(async () => (notifications === 2 ? true : undefined));
  for (let times = 0; times < 10; times += 1) wakeRelays(pool, 'notification');
  await eventually(async () => (notifications > 2 ? true : undefined));
  expect(notifications).toBe(3);
  await unlisten();
});

test('a relay claims ever more rarely after wake-ups that find nothing', async () => {
  const { pool, statements } = await watchedPool();
  await relay(async () => ({ outcome: 'done' }), {}, pool);
  const claims = () => statements.filter((statement) => statement === 'WITH').length;
  await eventually(async () => (claims() > 0 ? true : undefined));
  const before = claims();
  const startedAt = performance.now();
  await eventually(async () => {
    wakeRelays(pool, 'notification');
    return claims() >= before + 4 ? true : undefined;
  });
  // At least half a second between the first two, then a second, then two.
  expect(performance.now() - startedAt).toBeGreaterThan(3_400);
});

test('a postponed row is claimed when it is due, before the next poll', async () => {
  let attempts = 0;
  await relay(async () => {
    attempts += 1;
    return attempts < 10 ? { outcome: 'wait', afterMs: 20, error: 'not yet' } : { outcome: 'done' };
  });
  const startedAt = performance.now();
  await enqueue(sql, message('t', 1));
  await eventually(none);
  expect(attempts).toBe(10);
  // Nine polls take 34 seconds or more.
  expect(performance.now() - startedAt).toBeLessThan(30_000);
});

test('relays are notified after the commit, not inside the transaction, and not after a rollback', async () => {
  const { pool, statements } = await watchedPool(1);
  await pool`SELECT 1`;
  statements.length = 0;
  await inTransaction(pool, (tx) => enqueue(tx, message('t', 1), message('t', 2)));
  await eventually(async () => (statements.length >= 4 ? true : undefined));
  expect(statements).toEqual(['begin', 'INSERT', 'commit', 'SELECT']);

  // A pool of its own, whose first wake-up does not wait. Its only connection sends the statements one after the other.
  const other = await watchedPool(1);
  await other.pool`SELECT 1`;
  other.statements.length = 0;
  const failed = inTransaction(other.pool, async (tx) => {
    await enqueue(tx, message('t', 3));
    throw new Error('no');
  });
  await expect(failed).rejects.toThrow('no');
  await other.pool`VALUES (1)`;
  expect(other.statements).toEqual(['begin', 'INSERT', 'rollback', 'VALUES']);
});

test('a stopping relay finishes its deliveries', async () => {
  let ended = false;
  const delivery = Promise.withResolvers<void>();
  const started = await relay(async () => {
    await delivery.promise;
    ended = true;
    return { outcome: 'done' };
  });
  await enqueue(sql, message('t', 1));
  await eventually(async () => {
    const [row] = await sql`SELECT 1 FROM outbox WHERE attempts = 1`;
    return row;
  });
  const stopped = started.stop();
  await nextTurn();
  delivery.resolve();
  await stopped;
  expect(ended).toBe(true);
  expect(await left()).toBe(0);
});
