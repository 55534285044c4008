import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { OUTBOX_KINDS, wakeRelays } from '../src/platform/outbox/outbox';
import { startRelay } from '../src/platform/outbox/relay';
import { connectPostgres, type Sql } from '../src/platform/postgres';
import { runBenchmark } from './support/benchmark';
import { serveRequests, startRequestProcess } from './support/processes/request-process';
import { withBenchDatabase } from './support/processes/servers';
import { type Row, spreadOf } from './support/report';

/** What one relay did since it was last asked. */
interface Counts {
  claims: number;
  /** Claims that found nothing. */
  empty: number;
  /** Milliseconds from the statement that wrote a row to its delivery. */
  lags: number[];
}

const noCounts = (): Counts => ({ claims: 0, empty: 0, lags: [] });

type Request = { readonly url: string } | { readonly take: 'counts' };

/** Writes notifications at random times and wakes a relay after each, as a commit does. */
async function write(sql: Sql, { perSecond, seconds }: { perSecond: number; seconds: number }): Promise<null> {
  const end = performance.now() + seconds * 1_000;
  let next = performance.now();
  for (;;) {
    next -= (Math.log(1 - Math.random()) * 1_000) / perSecond;
    await sleep(Math.max(0, Math.min(next, end) - performance.now()));
    if (next >= end) return null;
    await sql`INSERT INTO outbox (kind, target, payload) VALUES ('notification', ${`t-${Math.random()}`}, '{}')`;
    wakeRelays(sql, 'notification');
  }
}

/** Returns a pool whose claims are counted. */
function withCountedClaims(sql: Sql, counts: () => Counts): Sql {
  return new Proxy(sql, {
    apply(target, self, args: [TemplateStringsArray, ...unknown[]]) {
      const statement = Reflect.apply(target, self, args);
      if (!Array.isArray(args[0]) || !args[0].some((text) => text.includes('FROM claimed'))) return statement;
      return statement.then((result: readonly { rows: readonly unknown[] }[]) => {
        counts().claims += 1;
        if (result[0]!.rows.length === 0) counts().empty += 1;
        return result;
      });
    },
  });
}

/** The process of a relay. Its first request has the address of Postgres. */
function serve(): void {
  let counts = noCounts();
  let pool: Sql;
  process.on('disconnect', () => process.exit());
  serveRequests<Request>(async (request) => {
    if ('take' in request) {
      const taken = counts;
      counts = noCounts();
      return taken;
    }
    pool = withCountedClaims(connectPostgres(request.url, { max: 4, applicationName: 'bench-relay' }), () => counts);
    const lanes = OUTBOX_KINDS.map((kind) => ({
      kind,
      leaseSeconds: 30,
      concurrency: 32,
      ...(kind === 'signal_workflow' ? {} : { perKey: 4 }),
      deliver: async ({ createdAt }: { createdAt: Date }) => {
        counts.lags.push(Date.now() - createdAt.getTime());
        return { outcome: 'done' } as const;
      },
    }));
    await startRelay({ sql: pool, lanes, log: pino({ level: 'warn' }) });
    return null;
  });
}

function main(): void {
  runBenchmark({
    name: 'wake-ups',
    options: {
      relays: [10, 'relays, each in a process of its own'],
      perSecond: [100, 'notifications a second'],
      seconds: [30, 'length of each measurement'],
    },
    measure: ({ relays, perSecond, seconds }) =>
      withBenchDatabase({}, async ({ sql, url }) => {
        const processes = await Promise.all(Array.from({ length: relays }, () => startRequestProcess(__filename, [])));
        const ask = (request: Request) => Promise.all(processes.map((each) => each.request(request)));
        await ask({ url });
        const rows: Row[] = [];
        const measured = async (what: string, work: () => Promise<unknown>) => {
          await sleep(2_000);
          await ask({ take: 'counts' });
          await work();
          const counts = (await ask({ take: 'counts' })) as Counts[];
          const rate = (key: 'claims' | 'empty') => spreadOf(counts.map((each) => each[key] / seconds));
          const lags = counts.flatMap((each) => each.lags);
          rows.push(
            { what: `${what}: claims`, unit: '1/s', value: rate('claims') },
            {
              what: `${what}: claims that find nothing`,
              unit: '1/s',
              value: rate('empty'),
              target: { value: 1, atLeast: false },
            },
          );
          if (lags.length > 0) rows.push({ what: `${what}: written to claimed`, unit: 'ms', value: spreadOf(lags) });
        };
        const one = { perSecond: 1, seconds };
        await measured('idle', () => sleep(seconds * 1_000));
        await measured('single rows', () => write(sql, one));
        await measured(`${perSecond} a second`, () => write(sql, { perSecond, seconds }));
        for (const each of processes) await each.stop();
        return rows;
      }),
  });
}

if (process.send === undefined) main();
else serve();
