import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BrowserContext, chromium } from 'playwright-core';
import { PERIODIC_JOBS } from '../src/platform/domain/periodic-jobs';
import { WORKFLOW_TYPES } from '../src/platform/domain/workflows';
import { projectRoot } from '../src/platform/project-root';
import { scheduleId } from '../src/platform/temporal/periodic-jobs';
import { fillOrders, orderAt, orderId } from './reads/stored-orders';
import { runBenchmark } from './support/benchmark';
import type { Filled } from './support/compare-sizes';
import { type BenchStack, withBenchStack } from './support/processes/bench-stack';
import { type Row, spreadOf } from './support/report';

/** What the screens' first data may take, in milliseconds. */
const LIMIT_MS = 500;
/** Calls that a screen makes to the API when it opens. The stream of changes has no end. */
const CALL = /^\/(v1|v2|v3|product)\//;
const ENDLESS = '/v1/operator/stream';

/** Adds what the console shows beside finished orders: tracking, orders that need attention, and messages. */
async function fillConsole({ sql, rows }: Filled): Promise<void> {
  await sql`
    INSERT INTO trackings (tracking_number, short_uid, shipment_id, carrier_uid, status_uid, created_at)
    SELECT p.tracking_number, 's' || p.tracking_number, p.shipment_id, 'corvid_post',
      coalesce((ARRAY['returned', 'in_transit', 'registered'])[1 + number % 100], 'delivered'),
      now() - number % 365 * interval '1 day'
    FROM shipment_packages p, LATERAL (SELECT substring(p.tracking_number FROM '\\d+')::int AS number) n
    WHERE p.tracking_number ~ '^LX\\d+DE$'`;
  await sql`
    INSERT INTO shipping_orders (id, account_id, order_reference_id, fingerprint, consignment, method_uid, label, status,
      waiting_until, created_at)
    SELECT gen_random_uuid(), (SELECT client_id FROM orders LIMIT 1), 'parcel-' || n, '', '{}', 'corvid_parcel', '{}',
      (ARRAY['bought', 'bought', 'bought', 'canceled', 'refused'])[1 + n % 5], now(), now() - n * interval '1 minute'
    FROM generate_series(1, ${Math.ceil(rows / 10)}::int) AS n`;
  await sql`
    UPDATE orders SET attention = '{partner_error}', attention_since = jsonb_build_object('partner_error', created_at)
    WHERE fulfillment_status IN ('in_production', 'printed') AND right(order_reference_id, 1) = '1'
      AND right(order_reference_id, 2) < '50'`;
  await sql`
    INSERT INTO outbox (kind, target, payload, attempts, last_error, dead_at)
    SELECT 'notification', 'endpoint-' || n % 10, '{}', 25, 'the endpoint responded with 503', now() - n * interval '1 minute'
    FROM generate_series(1, 5000) AS n`;
  await sql`VACUUM ANALYZE`;
}

/** Opens a screen and returns the addresses that it calls until its data is there. */
async function callsOf(context: BrowserContext, path: string): Promise<string[]> {
  const calls = new Set<string>();
  const page = await context.newPage();
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (request.method() === 'GET' && CALL.test(pathname) && pathname !== ENDLESS) calls.add(pathname + search);
  });
  await page.goto(`/console${path}`);
  await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
  await page.locator('main [aria-busy="true"]').first().waitFor({ state: 'detached' });
  await page.close();
  return [...calls];
}

/** Returns the time of calls that are made at once, until the last response is complete. */
async function timeOf(context: BrowserContext, calls: readonly string[]): Promise<number> {
  const began = performance.now();
  await Promise.all(
    calls.map(async (call) => {
      const response = await context.request.get(call, { timeout: 120_000 });
      if (!response.ok()) throw new Error(`${call}: ${response.status()} ${await response.text()}`);
      await response.body();
    }),
  );
  return performance.now() - began;
}

/** Opens a browser that an operator is signed in to. */
async function openConsole({ credentials }: BenchStack): Promise<BrowserContext> {
  const scripts = pathToFileURL(join(projectRoot(), 'scripts', 'external', 'browser.mjs')).href;
  const { BROWSER_FLAGS, browserPath } = (await import(scripts)) as {
    readonly BROWSER_FLAGS: string[];
    readonly browserPath: () => string;
  };
  const browser = await chromium.launch({ executablePath: browserPath(), args: BROWSER_FLAGS });
  const context = await browser.newContext({ baseURL: credentials.baseUrl });
  context.setDefaultTimeout(120_000);
  const { apiKey } = credentials.operator;
  const response = await context.request.post('/v1/operator/session', { data: { apiKey } });
  if (!response.ok()) throw new Error(`sign-in failed: ${response.status()}`);
  return context;
}

/** Returns the addresses of the screens in the main navigation. */
async function screensOf(context: BrowserContext): Promise<string[]> {
  const page = await context.newPage();
  await page.goto('/console/today');
  const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
  await links.first().waitFor();
  const addresses = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
  await page.close();
  return addresses.map((address) => address.replace(/^\/console/, ''));
}

/** The texts by which operators search orders, for order n. */
const SEARCHES: Readonly<Record<string, (n: number, orders: number) => string>> = {
  'order id': orderId,
  reference: (n) => `ref-${n}`,
  'print order': (n) => String(2_000_000 + n),
  'print job': (n) => String(3_000_000 + n),
  'tracking number': (n) => `LX${n}DE`,
  'e-mail address': (n) => `r${n}@example.com`,
};

/**
 * Measures the first data of every screen of the console: a browser opens the screen once, and the calls that it makes are then
 * repeated at once, as a screen makes them. Each screen takes less than 500 ms on the server.
 */
runBenchmark({
  name: 'console',
  options: {
    orders: [1_000_000, 'orders that are stored'],
    turns: [20, 'reads of each screen'],
  },
  measure: async ({ orders, turns }) =>
    await withBenchStack({ LOG_LEVEL: 'error' }, async (stack) => {
      const { temporal, config } = stack.services;
      // Reconciliation would start the runs of the stored orders.
      for (const job of PERIODIC_JOBS) await temporal.schedule.getHandle(scheduleId(config, job)).pause();
      process.stderr.write(`inserting ${orders} orders\n`);
      const filled = await fillOrders(config.DATABASE_URL!, orders);
      await fillConsole(filled);
      await temporal.workflow.execute(WORKFLOW_TYPES.sumReports, {
        taskQueue: config.TEMPORAL_TASK_QUEUE,
        workflowId: 'sum-reports',
      });
      const context = await openConsole(stack);
      try {
        const rows: Row[] = [];
        const measure = async (what: string, callsAt: (turn: number) => readonly string[]) => {
          // The first read fills caches and prepares statements. It does not count.
          await timeOf(context, callsAt(0));
          const times: number[] = [];
          for (let turn = 0; turn < turns; turn += 1) times.push(await timeOf(context, callsAt(turn)));
          const target = { value: LIMIT_MS, atLeast: false };
          rows.push({ what: `${what}, ${orders} orders`, unit: 'ms', value: spreadOf(times), target });
        };
        const order = `/orders/${orderId(orderAt(orders, 1), orders)}`;
        for (const path of [...(await screensOf(context)), order]) {
          const calls = await callsOf(context, path);
          process.stderr.write(`${path}: ${calls.join(' ')}\n`);
          await measure(path === order ? '/orders/{id}' : path, () => calls);
        }
        for (const [what, textOf] of Object.entries(SEARCHES)) {
          await measure(`/orders, search by ${what}`, (turn) => [
            `/v1/operator/orders?q=${encodeURIComponent(textOf(orderAt(orders, turn), orders))}`,
          ]);
        }
        return rows;
      } finally {
        await context.browser()?.close();
        await filled.sql.end({ timeout: 5 });
      }
    }),
});
