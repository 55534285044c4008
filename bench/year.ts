import { join } from 'node:path';
import { createPresslineClient } from '../client/pressline-client';
import { storeDaySums } from '../src/orders/reading/day-sums';
import { archiveOrders } from '../src/orders/upkeep/archive-orders';
import { createFolderStore } from '../src/platform/objects/folder-store';
import { connectPostgres, type Sql } from '../src/platform/postgres';
import { projectRoot } from '../src/platform/project-root';
import { dropExpiredPartitions } from '../src/platform/schema/partitioned-tables';
import { type OrderSeries, orderIdOf } from './reads/stored-orders';
import { runBenchmark } from './support/benchmark';
import { inParallel } from './support/in-parallel';
import { type MeasuredStack, withMeasuredStack } from './support/processes/measured-stack';
import { type Row, spreadOf } from './support/report';
import { type SimulatedClient, startSimulatedClient } from './support/simulated-client';
import { countStatements } from './support/statement-counts';
import { fillArchiveIndex, fillHotOrders } from './year/fill';

const DAY_MS = 86_400_000;
/** Days of orders in the tables. Those of the first day are archived: an order is archived 91 days after its last change. */
const HOT_DAYS = 95;
const YEAR_DAYS = 365;
const CLIENTS = 10;
const AT_ONCE = 4;
/** Orders of a page, which one day of a small run fills too. */
const PAGE = 20;
/** Later orders of the empty system, which are not archived: enough for a page of each client and status, as in the full one. */
const LATER_ORDERS = 2 * PAGE * CLIENTS;
const MAX_RATIO = { value: 1.3, atLeast: false };

interface Settings {
  readonly hot: number;
  readonly archived: number;
  readonly rounds: number;
  readonly turns: number;
}

/** A system that is measured, and what is read of it. */
interface System {
  readonly name: string;
  readonly stack: MeasuredStack;
  readonly simulated: SimulatedClient;
  readonly series: OrderSeries;
  /** Orders in the tables. */
  readonly orders: number;
  /** Orders of the day that is archived: 1 to this. */
  readonly day: number;
  /** A client's webhook endpoint. */
  readonly endpointId: string;
}

/** Postgres as on a small server of its own. The bulk load needs room for its log. */
const POSTGRES = {
  shared_buffers: '1GB',
  max_wal_size: '4GB',
  maintenance_work_mem: '1GB',
  checkpoint_timeout: '15min',
};

async function prepare(name: string, stack: MeasuredStack, { hot }: Settings, isEmpty: boolean): Promise<System> {
  const { sql, credentials } = stack;
  const [client] = await sql<{ id: string }[]>`SELECT id FROM accounts WHERE role = 'client' LIMIT 1`;
  const [partner] = await sql<{ id: string }[]>`SELECT account_id AS id FROM partners WHERE uid = 'prints-berlin'`;
  const others = await sql<{ id: string }[]>`
    INSERT INTO accounts (id, name, role)
    SELECT gen_random_uuid(), 'client ' || n, 'client' FROM generate_series(2, ${CLIENTS}::int) AS n RETURNING id`;
  const everyMs = Math.floor((HOT_DAYS * DAY_MS) / hot);
  const day = Math.floor(DAY_MS / everyMs);
  const orders = isEmpty ? day + LATER_ORDERS : hot;
  const series: OrderSeries = {
    begin: Date.now() - HOT_DAYS * DAY_MS,
    everyMs,
    clientIds: [client!.id, ...others.map(({ id }) => id)],
    partnerId: partner!.id,
    statuses: ['failed', ...Array(6).fill('delivered')],
    // No file is left, so that an erasure costs the same at every age.
    filesKeptFrom: orders + 1,
  };
  const simulated = await startSimulatedClient(credentials, { produces: false });
  const [endpoint] = await sql<{ id: string }[]>`SELECT id FROM webhook_endpoints LIMIT 1`;
  return { name, stack, simulated, series, orders, day, endpointId: endpoint!.id };
}

/** Fills a system in the order of time, so that memory holds the rows that were written last, as in a system that grew. */
async function fill({ stack, series, endpointId, orders }: System, archived: number): Promise<void> {
  const tidy = async () => {
    await withOwner(stack, (owner) => owner`VACUUM (ANALYZE)`);
    await stack.sql`CHECKPOINT`;
  };
  if (archived > 0) {
    const days = YEAR_DAYS - HOT_DAYS;
    const everyMs = Math.floor((days * DAY_MS) / archived);
    const before = { begin: series.begin - days * DAY_MS, everyMs, clientIds: series.clientIds };
    await withOwner(stack, (owner) => fillArchiveIndex(owner, before, archived));
    await tidy();
  }
  await withOwner(stack, (owner) => fillHotOrders(owner, series, endpointId, orders));
  await tidy();
}

/** Runs bulk statements on one connection, without their time limit. */
async function withOwner<T>({ url }: MeasuredStack, work: (owner: Sql) => Promise<T>): Promise<T> {
  const owner = connectPostgres(url, { max: 1, applicationName: 'bench-fill', statementTimeoutMs: 0 });
  try {
    return await work(owner);
  } finally {
    await owner.end({ timeout: 5 });
  }
}

/** One measured call. Turns spread over the orders `from` to `to`. */
type Call = (system: System, turn: number) => Promise<unknown>;

/** Returns an order of the first client among those from `from` to `to`. */
function orderOf(from: number, to: number, turn: number): number {
  const n = from + Math.floor((((turn * 7_919) % 10_007) / 10_007) * (to - from));
  return Math.max(CLIENTS, n - (n % CLIENTS));
}

const operator = ({ stack: { credentials } }: System) =>
  createPresslineClient({ baseUrl: credentials.baseUrl, ...credentials.operator, retries: 0 });

function calls(range: (system: System) => readonly [number, number]): Readonly<Record<string, Call>> {
  const at = (system: System, turn: number) => orderOf(...range(system), turn);
  const client = ({ stack: { credentials } }: System) =>
    createPresslineClient({ baseUrl: credentials.baseUrl, ...credentials.client, retries: 0 });
  return {
    'read by id': (system, turn) =>
      client(system).getOrder({ params: { orderId: orderIdOf(system.series, at(system, turn)) } }),
    'read by reference': (system, turn) => client(system).getOrder({ params: { orderId: `ref-${at(system, turn)}` } }),
    'tracking number': (system, turn) =>
      client(system).getTracking({ params: { trackingNumber: `LX${at(system, turn)}DE` } }),
    'list, newest of a client': (system) => client(system).searchOrders({ body: { limit: PAGE } }),
    'search by reference': (system, turn) =>
      client(system).searchOrders({ body: { orderReferenceIds: [`ref-${at(system, turn)}`] } }),
    'operators, one status': (system) =>
      operator(system).listOperatorOrders({ query: { status: 'failed', limit: PAGE } }),
    'operators, tracking number': (system, turn) =>
      operator(system).listOperatorOrders({ query: { q: `LX${at(system, turn)}DE` } }),
  };
}

/** Reads as operators, of orders in the tables. */
const OPERATORS: Readonly<Record<string, Call>> = {
  // The beginning of no longer reference.
  'operators, beginning of a reference': (system, turn) =>
    operator(system).listOperatorOrders({
      query: { q: `ref-${orderOf(Math.ceil(system.orders / 10), system.orders, turn)}` },
    }),
};

/** Measures calls on both systems alternately, so that other load affects both. @returns the medians of each round in milliseconds, and their ratio */
async function compareCalls(
  named: Readonly<Record<string, Call>>,
  systems: readonly [System, System],
  { rounds, turns }: Pick<Settings, 'rounds' | 'turns'>,
  suffix: string,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, call] of Object.entries(named)) {
    const times = async (round: number): Promise<readonly [number, number]> => {
      const ms: [number[], number[]] = [[], []];
      for (let turn = round * turns; turn < (round + 1) * turns; turn += 1)
        for (const which of turn % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
          const began = performance.now();
          await call(systems[which], turn);
          ms[which].push(performance.now() - began);
        }
      return [spreadOf(ms[0]).median, spreadOf(ms[1]).median];
    };
    // The first round fills caches and prepares statements.
    await times(0);
    const measured: (readonly [number, number])[] = [];
    for (let round = 1; round <= rounds; round += 1) measured.push(await times(round));
    const added = comparison(`${name}${suffix}`, 'ms', measured);
    if (added[1]!.value.median > MAX_RATIO.value)
      for (const system of systems)
        await showSlowest(system, `${name}${suffix}`, async () => {
          for (let turn = 0; turn < turns; turn += 1) await call(system, turn);
        });
    rows.push(...added);
  }
  return rows;
}

/** Returns the figure of the filled system, and its ratio to that of the empty one. */
function comparison(what: string, unit: string, measured: readonly (readonly [empty: number, year: number])[]): Row[] {
  return [
    { what, unit, value: spreadOf(measured.map(([, year]) => year)) },
    {
      what: `${what}: against the empty system`,
      unit: 'ratio',
      value: spreadOf(measured.map(([empty, year]) => year / empty)),
      target: MAX_RATIO,
    },
  ];
}

/** Prints the statements of some work that take most time. */
async function showSlowest({ name, stack }: System, what: string, work: () => Promise<void>): Promise<void> {
  const counted = await countStatements(stack.sql, work);
  const slowest = [...counted.calls].sort((a, b) => b.ms - a.ms).slice(0, 3);
  for (const { query, calls: count, ms } of slowest)
    process.stderr.write(
      `${what}, ${name}: ${(ms / count).toFixed(2)} ms x ${count}: ${query.replace(/\s+/g, ' ').slice(0, 160)}\n`,
    );
}

/** Submits orders. @returns the median time of a submission in milliseconds */
async function submit({ simulated }: System, count: number): Promise<number> {
  const ms: number[] = [];
  await inParallel(count, AT_ONCE, async () => {
    const began = performance.now();
    await simulated.submit();
    ms.push(performance.now() - began);
  });
  return spreadOf(ms).median;
}

/** Posts `received` for orders that their partners have accepted. @returns milliseconds for each until its run has recorded it */
async function post({ stack: { sql, credentials } }: System, count: number): Promise<number> {
  const accepted = () => sql<{ id: string; orderId: string; uid: string }[]>`
    SELECT p.id::text, p.order_id, r.uid FROM orders o
    JOIN print_orders p ON p.order_id = o.id JOIN partners r ON r.account_id = p.partner_id
    WHERE o.fulfillment_status = 'passed' AND p.status = 'accepted' LIMIT ${count}`;
  let orders = await accepted();
  while (orders.length < count) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    orders = await accepted();
  }
  const began = performance.now();
  await inParallel(count, AT_ONCE, async (index) => {
    const { id, uid } = orders[index]!;
    const { apiKey } = credentials.partners.find(({ name }) => name === uid)!;
    await createPresslineClient({ baseUrl: credentials.baseUrl, apiKey }).postOrderStatus({
      body: { orderId: id, timestamp: new Date().toISOString(), status: 'received' },
    });
  });
  const ids = orders.map(({ orderId }) => orderId);
  for (;;) {
    const [left] = await sql<{ count: number }[]>`
      SELECT count(*)::int FROM orders WHERE id = ANY(${ids}::uuid[]) AND fulfillment_status = 'passed'`;
    if (left!.count === 0) return (performance.now() - began) / count;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Erases orders of the first client by their ids. @returns milliseconds for each */
async function erase({ stack: { credentials }, series }: System, from: number, count: number): Promise<number> {
  const operator = createPresslineClient({ baseUrl: credentials.baseUrl, ...credentials.operator });
  const began = performance.now();
  for (let index = 0; index < count; index += 1)
    await operator.erasePersonalData({ body: { orderId: orderIdOf(series, from + index) } });
  return (performance.now() - began) / count;
}

const objectsOf = ({ dataDir }: MeasuredStack) => createFolderStore(join(dataDir, 'objects'));

/** Archives the oldest day. @returns milliseconds for each order */
async function archiveDay({ name, stack, day, series }: System): Promise<number> {
  const objects = await objectsOf(stack);
  // Orders change last three days after they are placed.
  const before = new Date(series.begin + 4 * DAY_MS);
  let archived = 0;
  let ms = 0;
  await showSlowest({ name, stack } as System, 'archive', async () => {
    const began = performance.now();
    archived = await archiveOrders({ sql: stack.sql, objects }, before);
    ms = performance.now() - began;
  });
  if (archived < day) throw new Error(`${archived} of ${day} orders were archived in the ${name} system`);
  return ms / archived;
}

/** Adds up the orders of each day for reports. @returns milliseconds for each order */
async function sumDays({ stack, orders }: System): Promise<number> {
  // The job may have added up days that were not filled yet.
  await stack.sql`DELETE FROM report_days WHERE place = 'tables'`;
  const began = performance.now();
  await storeDaySums({ sql: stack.sql, objects: await objectsOf(stack) });
  return (performance.now() - began) / orders;
}

/** Reads a report of all orders in the tables. @returns milliseconds of each round */
async function reports(system: System, rounds: number): Promise<number[]> {
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const ms: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    const from = day(system.series.begin + DAY_MS);
    await operator(system).getReport({ query: { from, to: day(Date.now()), by: 'partner' } });
    ms.push(performance.now() - began);
  }
  return ms;
}

/** Returns how often tables with many rows were read as a whole. */
async function wholeReads(sql: Sql): Promise<ReadonlyMap<string, number>> {
  const rows = await sql<{ name: string; scans: number }[]>`
    SELECT relname AS name, seq_scan::int AS scans FROM pg_stat_user_tables WHERE n_live_tup > 1000`;
  return new Map(rows.map(({ name, scans }) => [name, scans]));
}

/** Returns what vacuum has left to do, and how old the oldest transaction id is. */
async function vacuumRows({ stack: { sql } }: System): Promise<Row[]> {
  const [state] = await sql<
    { dead: number; share: number; vacuums: number; xid: number; snapshot: number; gb: number }[]
  >`
    SELECT sum(n_dead_tup)::float8 AS dead, (100.0 * sum(n_dead_tup) / sum(n_live_tup + n_dead_tup))::float8 AS share,
      sum(autovacuum_count)::float8 AS vacuums,
      (SELECT max(age(relfrozenxid)) FROM pg_class WHERE relkind IN ('r', 't'))::float8 AS xid,
      (SELECT coalesce(max(age(backend_xmin)), 0) FROM pg_stat_activity WHERE datname = current_database()
        AND pid <> pg_backend_pid())::float8 AS snapshot,
      (pg_database_size(current_database()) / 1e9)::float8 AS gb
    FROM pg_stat_user_tables`;
  await sql`CREATE EXTENSION IF NOT EXISTS pgstattuple`;
  const tables = await sql<{ name: string; free: number }[]>`
    SELECT c.relname AS name, (s.approx_free_percent + s.dead_tuple_percent)::float8 AS free
    FROM pg_class c, LATERAL pgstattuple_approx(c.oid) s
    WHERE c.relname IN ('orders', 'order_items', 'print_orders', 'shipments', 'archived_orders', 'outbox')`;
  const row = (what: string, unit: string, value: number): Row => ({ what, unit, value: spreadOf([value]) });
  return [
    row('size of the database', 'GB', state!.gb),
    row('dead rows (n_dead_tup)', '', state!.dead),
    row('dead rows, share', '%', state!.share),
    row('runs of autovacuum', '', state!.vacuums),
    row('age of the oldest relfrozenxid', 'xids', state!.xid),
    row('age of the oldest snapshot', 'xids', state!.snapshot),
    ...tables.map(({ name, free }) => row(`free and dead space of ${name}`, '%', free)),
  ];
}

async function measure(systems: readonly [System, System], settings: Settings): Promise<Row[]> {
  const [empty, year] = systems;
  const { rounds, turns } = settings;
  // The job, which runs every ten minutes, then has little to do.
  const sums = await sumDays(year);
  const rows: Row[] = [{ what: 'sums for reports, an order', unit: 'ms', value: spreadOf([sums]) }];
  const both = async (work: (system: System, round: number) => Promise<number>, count: number) => {
    const measured: (readonly [number, number])[] = [];
    for (let round = 0; round < count; round += 1) measured.push([await work(empty, round), await work(year, round)]);
    return measured;
  };
  const times: Record<'submission' | 'postback, until it is recorded', (readonly [number, number])[]> = {
    submission: [],
    'postback, until it is recorded': [],
  };
  for (let round = 0; round <= rounds; round += 1) {
    // The postbacks wait until the partners have accepted the orders, so that one system is idle while the other works.
    const submitThenPost = async (system: System) => [await submit(system, turns), await post(system, turns)] as const;
    const [ofEmpty, ofYear] = [await submitThenPost(empty), await submitThenPost(year)];
    // The first round starts what a process loads late.
    if (round === 0) continue;
    times.submission.push([ofEmpty[0], ofYear[0]]);
    times['postback, until it is recorded'].push([ofEmpty[1], ofYear[1]]);
  }
  for (const [what, measured] of Object.entries(times)) rows.push(...comparison(what, 'ms', measured));
  const all = { ...calls(({ orders }) => [CLIENTS, orders]), ...OPERATORS };
  rows.push(...(await compareCalls(all, systems, settings, '')));
  const few = Math.max(2, Math.floor(turns / 4));
  rows.push(
    ...comparison(
      'erasure of an order',
      'ms',
      await both((system, round) => erase(system, Math.floor(system.day / 2) + round * few, few), rounds),
    ),
  );
  const archived = await both(archiveDay, 1);
  rows.push(
    { what: 'archive', unit: 'orders/s', value: spreadOf(archived.map(([, ms]) => 1_000 / ms)) },
    ...comparison('archive, an order', 'ms', archived),
  );
  rows.push(
    ...comparison(
      'drop of expired partitions',
      'ms',
      await both(async ({ stack }) => {
        const began = performance.now();
        await dropExpiredPartitions(stack.sql, YEAR_DAYS * DAY_MS);
        return performance.now() - began;
      }, 1),
    ),
  );
  rows.push({
    what: 'report of the orders in the tables, by partner',
    unit: 'ms',
    value: spreadOf(await reports(year, rounds)),
  });
  const old = calls(({ day }) => [CLIENTS, Math.floor(day / 2) - CLIENTS]);
  rows.push(...(await compareCalls(old, systems, settings, ', archived')));
  rows.push(
    ...comparison(
      'erasure of an archived order',
      'ms',
      await both((system, round) => erase(system, 1 + round * few, few), rounds),
    ),
  );
  return [...rows, ...(await vacuumRows(year))];
}

/**
 * Compares a system that holds a year of orders with an empty one. Both have one day of orders that are old enough for the archive;
 * the full one also has all later orders in its tables, and the index rows of the archived ones.
 */
runBenchmark({
  name: 'year',
  options: {
    hot: [20_000, 'orders in the tables: 95 days'],
    archived: [200_000, 'index rows of archived orders: the 270 days before'],
    rounds: [5, 'rounds'],
    turns: [40, 'calls of a round'],
  },
  measure: async (settings) =>
    await withMeasuredStack(
      projectRoot(),
      async (emptyStack) =>
        await withMeasuredStack(
          projectRoot(),
          async (yearStack) => {
            const empty = await prepare('empty', emptyStack, settings, true);
            const year = await prepare('full', yearStack, settings, false);
            try {
              await fill(empty, 0);
              await fill(year, settings.archived);
              const before = await wholeReads(yearStack.sql);
              const rows = await measure([empty, year], settings);
              for (const [table, count] of await wholeReads(yearStack.sql))
                if (count > (before.get(table) ?? 0))
                  process.stderr.write(`${count - (before.get(table) ?? 0)} times all of ${table}\n`);
              return rows;
            } finally {
              await Promise.all([empty.simulated.stop(), year.simulated.stop()]);
            }
          },
          POSTGRES,
        ),
      POSTGRES,
    ),
});
