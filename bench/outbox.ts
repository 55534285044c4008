import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { claim } from '../src/platform/outbox/claims';
import { claimFairly, type FairLane } from '../src/platform/outbox/fair-claims';
import type { Lane } from '../src/platform/outbox/lane';
import { wakeRelays } from '../src/platform/outbox/outbox';
import { startRelay } from '../src/platform/outbox/relay';
import { connectPostgres, type Sql } from '../src/platform/postgres';
import { runBenchmark } from './support/benchmark';
import { withBenchDatabase } from './support/processes/servers';
import { type Row, spreadOf } from './support/report';

/** Rows written by one statement. */
const BATCH = 100;
/** Targets of notifications. Each signal has its own target, as each order has its own workflow. */
const ENDPOINTS = 50;
/** Limit for the ratio of the median claims at the end and at the start. */
const MAX_RATIO = { value: 1.5, atLeast: false };

interface Claim {
  /** Milliseconds since the start of the benchmark. */
  readonly at: number;
  readonly ms: number;
  readonly kind: string;
  /** Number of claimed rows. */
  readonly rows: number;
}

/** Returns the pool with its claims timed. */
function withTimedClaims(sql: Sql, claims: Claim[]): Sql {
  return new Proxy(sql, {
    apply(target, self, args: [TemplateStringsArray, ...unknown[]]) {
      const statement = Reflect.apply(target, self, args);
      const isClaim = Array.isArray(args[0]) && args[0].some((text) => text.includes('FROM claimed'));
      if (!isClaim) return statement;
      const kind = args.includes('notification') ? 'notification' : 'signal_workflow';
      const began = performance.now();
      return statement.then((result: readonly { rows: readonly unknown[] }[]) => {
        claims.push({ at: began, ms: performance.now() - began, kind, rows: result[0]!.rows.length });
        return result;
      });
    },
  });
}

/** Writes `total` rows at an even rate, half of them signals and half notifications. */
async function produce(sql: Sql, total: number, withinMs: number): Promise<void> {
  const began = performance.now();
  for (let written = 0; written < total; written += BATCH) {
    await sleep(Math.max(0, began + (written / total) * withinMs - performance.now()));
    await sql`
      INSERT INTO outbox (kind, target, payload)
      SELECT CASE n % 2 WHEN 0 THEN 'signal_workflow' ELSE 'notification' END,
        CASE n % 2 WHEN 0 THEN 'order-' || n ELSE 'endpoint-' || n / 2 % ${ENDPOINTS} END,
        '{"signal": "postback", "args": [{"type": "postback", "eventId": "1", "status": "printed"}]}'
      FROM generate_series(${written + 1}::int, ${Math.min(written + BATCH, total)}::int) AS n`;
    wakeRelays(sql, 'signal_workflow');
    wakeRelays(sql, 'notification');
  }
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

const single = (value: number) => spreadOf([value]);

const valuesOf = (claims: readonly Claim[], key: 'ms' | 'rows') => claims.map((claim) => claim[key]);

/** Compares the claims of the first and of the last tenth of the period. */
function rowsOf(kind: string, claims: readonly Claim[], beganAt: number, endedAt: number): Row[] {
  const tenth = (endedAt - beganAt) / 10;
  const own = claims.filter((each) => each.kind === kind);
  const first = own.filter(({ at }) => at < beganAt + tenth);
  const last = own.filter(({ at }) => at >= endedAt - tenth);
  const [atStart, atEnd] = [percentile(valuesOf(first, 'ms'), 0.5), percentile(valuesOf(last, 'ms'), 0.5)];
  const rows = [first, last].map((list) => percentile(valuesOf(list, 'rows'), 0.5));
  const ms = valuesOf(last, 'ms');
  return [
    { what: `${kind}: median claim, first tenth`, unit: 'ms', value: single(atStart) },
    { what: `${kind}: median claim, last tenth`, unit: 'ms', value: single(atEnd) },
    {
      what: `${kind}: last against first tenth`,
      unit: 'ratio',
      value: single(atEnd / atStart),
      target: MAX_RATIO,
    },
    { what: `${kind}: median rows of a claim, first tenth`, unit: '', value: single(rows[0]!) },
    { what: `${kind}: median rows of a claim, last tenth`, unit: '', value: single(rows[1]!) },
    { what: `${kind}: p99 claim, last tenth`, unit: 'ms', value: single(percentile(ms, 0.99)) },
    {
      what: `${kind}: mean claim, last tenth`,
      unit: 'ms',
      value: single(ms.reduce((a, b) => a + b, 0) / ms.length),
    },
  ];
}

/** Measures claims that begin at the oldest row, as they would be without the scan window. */
async function claimFromOldest(sql: Sql): Promise<Row[]> {
  const options = { limit: 32, leaseSeconds: 30, after: new Date(0) };
  const lane: FairLane = { kind: 'notification', concurrency: 128, perKey: 8, leaseSeconds: 30 };
  const ordered = performance.now();
  await claim(sql, 'signal_workflow', { ...options, busy: [] });
  const fair = performance.now();
  await claimFairly(sql, lane, { ...options, waiting: [], inDelivery: {} });
  const end = performance.now();
  return [
    {
      what: 'signal_workflow: claim from the oldest row, at the end',
      unit: 'ms',
      value: single(fair - ordered),
    },
    { what: 'notification: claim from the oldest row, at the end', unit: 'ms', value: single(end - fair) },
  ];
}

runBenchmark({
  name: 'outbox',
  options: {
    rows: [1_000_000, 'rows that pass through the outbox'],
    minutes: [10, 'period in which they are written, all of it with an open snapshot'],
  },
  measure: ({ rows, minutes }) =>
    withBenchDatabase({}, async ({ sql, url }) => {
      const claims: Claim[] = [];
      const lane = { leaseSeconds: 30, deliver: async () => ({ outcome: 'done' }) as const };
      const lanes: Lane[] = [
        { ...lane, kind: 'signal_workflow', concurrency: 32 },
        { ...lane, kind: 'notification', concurrency: 128, perKey: 8 },
      ];
      const pool = connectPostgres(url, { max: 10, applicationName: 'bench-relay' });
      const relay = await startRelay({
        sql: withTimedClaims(pool, claims),
        lanes,
        log: pino({ level: 'warn' }),
      });
      const reader = connectPostgres(url, { max: 1, applicationName: 'bench-snapshot' });
      try {
        return await reader.begin('ISOLATION LEVEL REPEATABLE READ', async (snapshot) => {
          await snapshot`SELECT count(*) FROM outbox`;
          const beganAt = performance.now();
          const watch = setInterval(async () => {
            const [now] = await sql`SELECT count(*)::int AS waiting FROM outbox`;
            const recent = claims.slice(-100).map(({ ms }) => ms);
            process.stderr.write(
              `${Math.round((performance.now() - beganAt) / 1_000)} s: ${now!.waiting} rows wait, median claim ${percentile(recent, 0.5).toFixed(1)} ms\n`,
            );
          }, 30_000);
          await produce(sql, rows, minutes * 60_000);
          const endedAt = performance.now();
          clearInterval(watch);
          for (;;) {
            const [{ waiting }] = (await sql`SELECT count(*)::int AS waiting FROM outbox`) as [{ waiting: number }];
            if (waiting === 0) break;
            await sleep(200);
          }
          const drained = performance.now();
          await relay.stop();
          return [
            ...rowsOf('signal_workflow', claims, beganAt, endedAt),
            ...rowsOf('notification', claims, beganAt, endedAt),
            ...(await claimFromOldest(sql)),
            { what: 'rows per second', unit: '1/s', value: single((rows / (endedAt - beganAt)) * 1_000) },
            { what: 'drained after the last row', unit: 's', value: single((drained - endedAt) / 1_000) },
          ];
        });
      } finally {
        await relay.stop();
        await reader.end({ timeout: 5 });
        await pool.end({ timeout: 5 });
      }
    }),
});
