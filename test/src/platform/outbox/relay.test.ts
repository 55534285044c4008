import pino from 'pino';
import {
  createNotifyThrottle,
  enqueue,
  type OutboxRow,
  replayDead,
} from '../../../../src/platform/outbox/outbox';
import {
  type DeliveryOutcome,
  type Lane,
  type Relay,
  startRelay,
} from '../../../../src/platform/outbox/relay';
import { inTransaction, type Sql } from '../../../../src/platform/postgres';
import { testDatabase } from '../../../support/database';
import { eventually } from '../../../support/eventually';

let sql: Sql;
const relays: Relay[] = [];

beforeAll(async () => {
  ({ sql } = await testDatabase());
});

beforeEach(async () => {
  await sql`DELETE FROM outbox`;
});

afterEach(async () => {
  for (const relay of relays.splice(0)) await relay.stop();
});

const log = pino({ level: 'silent' });

async function relay(
  deliver: (row: OutboxRow) => Promise<DeliveryOutcome>,
  lane: Partial<Lane> = {},
): Promise<Relay> {
  const started = await startRelay({
    sql,
    log,
    lanes: [{ kind: 'notification', concurrency: 16, leaseSeconds: 30, deliver, ...lane }],
  });
  relays.push(started);
  return started;
}

const message = (target: string, n: number) => ({ kind: 'notification' as const, target, payload: { n } });
const numberOf = (row: OutboxRow) => (row.payload as { n: number }).n;
const left = async () => Number((await sql<{ count: string }[]>`SELECT count(*) FROM outbox`)[0]!.count);
const none = async () => ((await left()) === 0 ? true : undefined);

test('three relays deliver each of 500 rows once', async () => {
  const seen: number[] = [];
  const deliver = async (row: OutboxRow): Promise<DeliveryOutcome> => {
    seen.push(numberOf(row));
    return { outcome: 'done' };
  };
  await Promise.all([relay(deliver), relay(deliver), relay(deliver)]);
  await enqueue(sql, ...Array.from({ length: 500 }, (_, n) => message(`t${n % 7}`, n)));
  await eventually(none);
  expect(seen.sort((a, b) => a - b)).toEqual(Array.from({ length: 500 }, (_, n) => n));
});

test('does not deliver a message of a transaction that rolls back', async () => {
  const seen: number[] = [];
  await relay(async (row) => {
    seen.push(numberOf(row));
    return { outcome: 'done' };
  });
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

test('retries after an error; an undeliverable row is a dead letter until it is replayed', async () => {
  let broken = true;
  const attempts: number[] = [];
  await relay(async (row) => {
    attempts.push(row.attempts);
    if (row.attempts === 1) throw new Error('connection reset');
    return broken ? { outcome: 'dead', error: 'gone for good' } : { outcome: 'done' };
  });
  await enqueue(sql, message('t', 1));
  const dead = await eventually(async () => {
    const [row] = await sql<{ lastError: string }[]>`SELECT last_error FROM outbox WHERE dead_at IS NOT NULL`;
    return row;
  });
  expect(dead.lastError).toBe('gone for good');
  expect(attempts).toEqual([1, 2]);

  broken = false;
  expect(await replayDead(sql, { kind: 'notification' })).toBe(1);
  await eventually(none);
  // Counted anew: the first try of the replay is thrown back once more.
  expect(attempts).toEqual([1, 2, 1, 2]);
});

test('a target with a long queue and a slow receiver does not delay other targets', async () => {
  const done: string[] = [];
  let release: () => void = () => undefined;
  const slow = new Promise<void>((resolve) => {
    release = resolve;
  });
  await relay(
    async (row) => {
      if (row.target === 'slow') await slow;
      done.push(row.target);
      return { outcome: 'done' };
    },
    { concurrency: 8, perTarget: 2 },
  );
  await enqueue(sql, ...Array.from({ length: 100 }, (_, n) => message('slow', n)));
  await enqueue(sql, ...Array.from({ length: 20 }, (_, n) => message('quick', n)));
  await eventually(async () => (done.length === 20 ? true : undefined));
  expect(new Set(done)).toEqual(new Set(['quick']));
  release();
  await eventually(none);
  expect(done.filter((target) => target === 'slow')).toHaveLength(100);
});

test('rows wait while the receiving server is unavailable and are delivered when it is back', async () => {
  let away = true;
  let asked = 0;
  const seen: number[] = [];
  await relay(async (row) => {
    asked += 1;
    if (away) return { outcome: 'unavailable', error: 'no server' };
    seen.push(numberOf(row));
    return { outcome: 'done' };
  });
  await enqueue(sql, ...Array.from({ length: 50 }, (_, n) => message('t', n)));
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(await left()).toBe(50);
  // It knocks now and then instead of trying every row.
  expect(asked).toBeLessThan(50);
  away = false;
  await eventually(none);
  expect(seen.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, n) => n));
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

test('waiting messages of one target arrive in the order in which they were written', async () => {
  const numbers = Array.from({ length: 12 }, (_, index) => index);
  await enqueue(sql, ...numbers.map((n) => message('run', n)), message('other', 99));
  const seen: number[] = [];
  await relay(async (row) => {
    // The later, the faster: side by side they would overtake each other.
    if (row.target === 'run') await new Promise((resolve) => setTimeout(resolve, 24 - 2 * numberOf(row)));
    seen.push(numberOf(row));
    return { outcome: 'done' };
  });
  await eventually(none, 5_000);
  expect(seen.filter((n) => n !== 99)).toEqual(numbers);
});

test('the notify throttle wakes relays without a transaction', async () => {
  const wake = createNotifyThrottle(sql);
  const seen: number[] = [];
  await relay(async (row) => {
    seen.push(numberOf(row));
    return { outcome: 'done' };
  });
  await sql`INSERT INTO outbox (kind, target, payload) VALUES ('notification', 't', '{"n": 7}')`;
  for (let times = 0; times < 10; times += 1) wake('notification');
  await eventually(none, 5_000);
  expect(seen).toEqual([7]);
});

test('a stopping relay finishes its deliveries', async () => {
  let ended = false;
  const started = await relay(async () => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    ended = true;
    return { outcome: 'done' };
  });
  await enqueue(sql, message('t', 1));
  await eventually(async () => {
    const [row] = await sql`SELECT 1 FROM outbox WHERE attempts = 1`;
    return row;
  });
  await started.stop();
  expect(ended).toBe(true);
  expect(await left()).toBe(0);
});
