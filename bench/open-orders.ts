import { PERIODIC_JOBS } from '../cli/periodic-jobs';
import type { RunningStack } from '../cli/start-stack';
import { createPresslineClient } from '../client/pressline-client';
import { resolveProducts } from '../src/catalog/resolve-products';
import { orderGauges } from '../src/orders/order-gauges';
import { ordersNeedingAttention } from '../src/orders/reading/operator-orders';
import { searchOrders } from '../src/orders/reading/search';
import { compareOrders, compareRuns, type ReconcileBatch } from '../src/orders/reconciliation/compare';
import type { ReconcileDeps } from '../src/orders/reconciliation/leftovers';
import { runSettingsOf } from '../src/orders/run/settings';
import { readKeptCounts } from '../src/platform/kept-counts';
import { json, type Sql } from '../src/platform/postgres';
import { scheduleId } from '../src/platform/temporal/periodic-jobs';
import { sweepCarrier } from '../src/shipping/tracking-sweep/carrier-sweep';
import { withBenchStack } from './support/bench-stack';
import { runBenchmark } from './support/benchmark';
import { inParallel } from './support/in-parallel';
import { type Row, spreadOf } from './support/report';
import { sampleOrder } from './support/sample-order';

const PARTNER = 'prints-berlin';
/** Packages of one sweep, and batches of one reconciliation. */
const PACKAGES = 500;
const BATCHES = 20;

/**
 * Compares work with many open orders with the same work with few: postbacks, the tracking sweep, reconciliation, and
 * lists. Every order has its rows in Postgres and a run of the order workflow in Temporal. The runs are rebuilt from the
 * rows by reconciliation, in the state of an accepted print order, so their histories are shorter than those of orders that
 * were submitted.
 */
runBenchmark({
  name: 'open-orders',
  options: {
    small: [1_000, 'open orders of the baseline'],
    large: [100_000, 'open orders'],
    postbacks: [100, 'postbacks in a round'],
    rounds: [5, 'rounds at each size'],
  },
  measure: async ({ small, large, postbacks, rounds }) =>
    await withBenchStack({ RECEIVED_DEADLINE: 7 * 86_400_000, LOG_LEVEL: 'error' }, async (stack) => {
      const { temporal, config } = stack.services;
      // Only what the benchmark starts is measured.
      for (const job of PERIODIC_JOBS) await temporal.schedule.getHandle(scheduleId(config, job)).pause();
      const fixture = await createFixture(stack);
      const fewSeconds = await fixture.fill(1, small);
      const few = await fixture.measure(small, postbacks, rounds);
      const manySeconds = await fixture.fill(small + 1, large);
      const many = await fixture.measure(large, postbacks, rounds);
      const rows: Row[] = [
        { what: 'open orders in Postgres and in Temporal', unit: '', value: spreadOf([large]) },
        {
          what: 'time to start a run from its rows',
          unit: 'ms',
          value: spreadOf([(1_000 * fewSeconds) / small, (1_000 * manySeconds) / (large - small)]),
        },
      ];
      for (const [what, times] of Object.entries(many)) {
        const base = spreadOf(few[what]!).median;
        rows.push(
          { what: `${what}, ${large} open orders`, unit: 'ms', value: spreadOf(times) },
          {
            what: `${what}, against ${small}`,
            unit: 'ratio',
            value: spreadOf(times.map((time) => time / base)),
            target: { value: 1.3, atLeast: false },
          },
        );
      }
      return rows;
    }),
});

type Measured = Record<string, number[]>;

async function createFixture({ services, credentials }: RunningStack) {
  const { sql, temporal, log, config, carriers } = services;
  const deps: ReconcileDeps = {
    sql,
    temporal,
    log,
    taskQueue: config.TEMPORAL_TASK_QUEUE,
    settings: runSettingsOf(config),
  };
  const partner = createPresslineClient({
    baseUrl: credentials.baseUrl,
    apiKey: credentials.partners.find(({ name }) => name === PARTNER)!.apiKey,
  });
  const insert = await orderInserter(sql);
  const [client] = await sql<{ id: string }[]>`SELECT id FROM accounts WHERE role = 'client' LIMIT 1`;
  let posted = 0;

  /** Returns the number of runs whose first workflow task is done: it writes the marker of a patch. */
  async function readyRuns(): Promise<number> {
    const query =
      "WorkflowType = 'order' AND ExecutionStatus = 'Running' AND TemporalChangeVersion IS NOT NULL";
    return (await temporal.workflow.count(query)).count;
  }

  async function allBatches(step: (after: string) => Promise<ReconcileBatch>): Promise<number> {
    const began = performance.now();
    let [rows, next, batches] = [0, '', 0];
    do {
      const batch = await step(next);
      rows += batch.rows;
      next = batch.next;
      batches += 1;
    } while (next !== '' && batches < BATCHES);
    return (performance.now() - began) / rows;
  }

  /** Posts `received` for orders that have none, and waits until their runs have recorded it. */
  async function postReceived(size: number, count: number): Promise<number> {
    const rows = await sql<{ id: string; orderId: string }[]>`
      SELECT p.id::text, p.order_id FROM orders o JOIN print_orders p ON p.order_id = o.id
      WHERE o.fulfillment_status = 'passed' AND (p.id - 2000000) % ${Math.max(1, Math.floor(size / (count * 8)))} = 0
      ORDER BY p.id DESC LIMIT ${count}`;
    posted += rows.length;
    const began = performance.now();
    await inParallel(rows.length, 20, async (index) => {
      const timestamp = new Date(Date.now() + posted).toISOString();
      await partner.postOrderStatus({ body: { orderId: rows[index]!.id, timestamp, status: 'received' } });
    });
    const ids = rows.map(({ orderId }) => orderId);
    for (;;) {
      const [left] = await sql<{ count: number }[]>`
        SELECT count(*)::int FROM orders WHERE id = ANY(${ids}::uuid[]) AND fulfillment_status = 'passed'`;
      if (left!.count === 0) return (performance.now() - began) / rows.length;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async function sweep(size: number): Promise<number> {
    const due = await sql`
      UPDATE trackings SET next_check_at = now() WHERE tracking_number = ANY(ARRAY(
        SELECT 'OPEN' || (1 + n * ${Math.max(1, Math.floor(size / PACKAGES))}) FROM generate_series(0, ${PACKAGES - 1}::int) AS n))`;
    const began = performance.now();
    const bounds = { limit: due.count, deadline: Infinity, report: () => undefined };
    const { checked } = await sweepCarrier({ sql, carriers, log }, 'corvid_post', bounds);
    if (checked !== due.count) throw new Error(`${checked} of ${due.count} packages were checked`);
    return (performance.now() - began) / checked;
  }

  const page = { limit: 50, after: null };
  const reads: Readonly<Record<string, () => Promise<unknown>>> = {
    'list, newest orders of a client': () => searchOrders(sql, { clientId: client!.id }, {}, page),
    'list, operators, newest': () => searchOrders(sql, { clientId: null }, {}, page),
    'list, operators, in production': () =>
      searchOrders(sql, { clientId: null }, { fulfillmentStatuses: ['in_production'] }, page),
    'list, orders needing attention': () => ordersNeedingAttention(sql, undefined, page),
    'load of partners for routing': () => readKeptCounts(sql, 'open_units'),
    'gauges of open orders': () => orderGauges(sql),
  };

  async function read(work: () => Promise<unknown>): Promise<number> {
    const times: number[] = [];
    for (let turn = 0; turn < 20; turn++) {
      const began = performance.now();
      await work();
      times.push(performance.now() - began);
    }
    return spreadOf(times).median;
  }

  return {
    /** Inserts orders and starts their runs. @returns the seconds until all of them run */
    async fill(from: number, to: number): Promise<number> {
      await insert(from, to);
      const began = performance.now();
      for (let after = ''; ; ) {
        const batch = await compareOrders(deps, after, true);
        after = batch.next;
        const ready = await readyRuns();
        process.stderr.write(`${ready} of ${to} runs\n`);
        if (after === '') break;
      }
      while ((await readyRuns()) < to) await new Promise((resolve) => setTimeout(resolve, 2_000));
      return (performance.now() - began) / 1_000;
    },

    async measure(size: number, postbacks: number, rounds: number): Promise<Measured> {
      const measured: Measured = {};
      const add = (what: string, time: number) => {
        measured[what] = [...(measured[what] ?? []), time];
      };
      await sql`VACUUM ANALYZE`.catch(() => undefined);
      for (let round = 0; round <= rounds; round++) {
        const figures: [string, number][] = [
          ['a postback, to its status', await postReceived(size, postbacks)],
          ['tracking sweep, a package', await sweep(size)],
          ['reconciliation, an order', await allBatches((after) => compareOrders(deps, after, false))],
          ['reconciliation, a run', await allBatches((after) => compareRuns(deps, after, null))],
        ];
        for (const [what, work] of Object.entries(reads)) figures.push([what, await read(work)]);
        // The first round fills caches.
        if (round > 0) for (const [what, time] of figures) add(what, time);
      }
      return measured;
    },
  };
}

/** Returns a function that inserts orders whose print order a partner has accepted. */
async function orderInserter(sql: Sql): Promise<(from: number, to: number) => Promise<void>> {
  const [client] = await sql<{ id: string }[]>`SELECT id FROM accounts WHERE role = 'client' LIMIT 1`;
  const [partner] = await sql<{ id: string }[]>`SELECT account_id AS id FROM partners WHERE uid = ${PARTNER}`;
  const order = sampleOrder('bench', 'https://files.example/poster.pdf');
  const [item] = order.items;
  const [resolution] = await resolveProducts(sql, { clientId: client!.id }, [
    { productUid: item!.productUid },
  ]);
  if (!resolution?.ok) throw new Error('the demo catalog has no poster');
  const { product } = resolution;
  const orderId = sql.unsafe(`('01a00000000070008000' || lpad(to_hex(n), 12, '0'))::uuid`);
  return async (from, to) => {
    for (let first = from; first <= to; first += 10_000) {
      const series = sql`generate_series(${first}::int, ${Math.min(to, first + 9_999)}::int) AS n`;
      await sql`
        INSERT INTO orders (id, client_id, order_reference_id, order_type, fulfillment_status, financial_status, currency,
          shipping_address, created_at, ordered_at, updated_at, run_version)
        SELECT ${orderId}, ${client!.id}, 'open-' || n, 'order', 'passed', 'invoiced', 'EUR',
          ${json(sql, { id: partner!.id, ...order.shippingAddress })}, now() - interval '2 hours', now(),
          now() - interval '1 hour', 12
        FROM ${series}`;
      await sql`
        INSERT INTO order_items (id, order_id, position, item_reference_id, product_uid, quantity, fulfillment_status,
          product, price_minor, page_count, dpi) OVERRIDING SYSTEM VALUE
        SELECT 1000000 + n, ${orderId}, 0, 'poster', ${item!.productUid}, 1, 'passed', ${json(sql, product)}, 990, 1, 300
        FROM ${series}`;
      await sql`
        INSERT INTO print_orders (id, order_id, partner_id, step, kind, version, status, message_id, dispatch_date, accepted_at)
        OVERRIDING SYSTEM VALUE
        SELECT 2000000 + n, ${orderId}, ${partner!.id}, 'handoff:0', 'print', '1.1', 'accepted', 'msg-open-' || n,
          current_date + 30, now()
        FROM ${series}`;
      await sql`
        INSERT INTO print_jobs (id, print_order_id, order_item_id, quantity, status) OVERRIDING SYSTEM VALUE
        SELECT 3000000 + n, 2000000 + n, 1000000 + n, 1, 'passed' FROM ${series}`;
      await sql`
        INSERT INTO planned_shipments (id, order_id, print_order_id, carrier_uid, shipment_method_uid, shipment_method_name,
          service_type, is_cheapest, package_count, total_weight_grams, price_minor, currency, min_delivery_days,
          max_delivery_days, min_delivery_date, max_delivery_date, initial_min_delivery_date, initial_max_delivery_date,
          fulfillment_country, fulfillment_facility_id)
        SELECT gen_random_uuid(), ${orderId}, 2000000 + n, 'corvid_post', 'corvid_post_letter', 'Letter',
          'normal', true, 1, 350, 390, 'EUR', 2, 4, current_date, current_date, current_date, current_date, 'DE', ${PARTNER}
        FROM ${series}`;
      await sql`
        INSERT INTO trackings (tracking_number, short_uid, print_order_id, carrier_uid, adapter_uid, next_check_at)
        SELECT 'OPEN' || n, 'open-' || n, 2000000 + n, 'corvid_post', 'corvid_post', now() + interval '6 hours'
        FROM ${series}`;
    }
  };
}
