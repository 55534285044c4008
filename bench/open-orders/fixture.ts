import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporal as protocol } from '@temporalio/proto';
import { createPresslineClient } from '../../client/pressline-client';
import { orderGauges } from '../../src/orders/reading/attention-counts';
import { operatorOrders } from '../../src/orders/reading/operator-order-list';
import { searchOrders } from '../../src/orders/reading/order-list';
import { compareOrders, compareRuns, type ReconcileBatch } from '../../src/orders/upkeep/compare';
import { reconcileDeps } from '../../src/orders/upkeep/reconciliation';
import type { Config } from '../../src/platform/config';
import { PERIODIC_JOBS } from '../../src/platform/domain/periodic-jobs';
import { connectPostgres } from '../../src/platform/postgres';
import { readRunningTotals } from '../../src/platform/running-totals';
import { scheduleId } from '../../src/platform/temporal/periodic-jobs';
import { sweepCarrier } from '../../src/shipping/tracking/carrier-sweep';
import { inParallel } from '../support/in-parallel';
import type { BenchStack } from '../support/processes/bench-stack';
import { spreadOf } from '../support/report';
import { orderInserter, PARTNER } from './insert-orders';

/** Packages of one sweep, and batches of one reconciliation. */
const PACKAGES = 500;
const BATCHES = 20;
/**
 * Time before a batch, as reconciliation leaves it. Without it, Temporal's limit of 10 list requests a second for a namespace
 * (`frontend.namespaceRPS.visibility`) would be measured.
 */
const PAUSE_MS = 500;

interface Target {
  /** The print order. */
  readonly id: string;
  readonly orderId: string;
}

export type Fixture = Awaited<ReturnType<typeof createFixture>>;

/** Returns the work that the benchmark times, on a running stack. */
export async function createFixture({ services, credentials }: BenchStack) {
  const { sql, temporal, log, config, carriers } = services;
  // Only what the benchmark starts is measured.
  for (const job of PERIODIC_JOBS) await temporal.schedule.getHandle(scheduleId(config, job)).pause();
  const deps = reconcileDeps({ sql, temporal, log }, config);
  const partner = createPresslineClient({
    baseUrl: credentials.baseUrl,
    apiKey: credentials.partners.find(({ name }) => name === PARTNER)!.apiKey,
  });
  const insert = await orderInserter(sql);
  const [client] = await sql<{ id: string }[]>`SELECT id FROM accounts WHERE role = 'client' LIMIT 1`;
  let posted = 0;

  /** Returns the number of runs that have started, without those that wait for their first workflow task. */
  async function readyRuns(): Promise<number> {
    const { count } = await temporal.workflow.count("WorkflowType = 'order' AND ExecutionStatus = 'Running'");
    const { stats } = await temporal.workflowService.describeTaskQueue({
      namespace: config.TEMPORAL_NAMESPACE,
      taskQueue: { name: config.TEMPORAL_TASK_QUEUE },
      taskQueueType: protocol.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
      reportStats: true,
    });
    return count - Number(stats?.approximateBacklogCount ?? 0);
  }

  async function allBatches(step: (after: string) => Promise<ReconcileBatch>): Promise<number> {
    let [rows, next, batches, ms] = [0, '', 0, 0];
    do {
      await sleep(PAUSE_MS);
      const began = performance.now();
      const batch = await step(next);
      ms += performance.now() - began;
      rows += batch.rows;
      next = batch.next;
      batches += 1;
    } while (next !== '' && batches < BATCHES);
    return ms / rows;
  }

  /** Returns orders that have no postback yet, spread over all open orders. Their workflows are not cached. */
  async function withoutPostback(count: number): Promise<readonly Target[]> {
    return await sql<Target[]>`
      SELECT p.id::text, p.order_id FROM orders o JOIN print_orders p ON p.order_id = o.id
      WHERE o.fulfillment_status = 'passed' ORDER BY md5(p.id::text) LIMIT ${count}`;
  }

  /** Posts a status for each order. @returns the milliseconds for each order until its workflow has recorded the status */
  async function post(targets: readonly Target[], status: 'received' | 'printed'): Promise<number> {
    posted += targets.length;
    const recorded = status === 'received' ? 'in_production' : 'printed';
    const began = performance.now();
    await inParallel(targets.length, 20, async (index) => {
      const timestamp = new Date(Date.now() + posted).toISOString();
      await partner.postOrderStatus({ body: { orderId: targets[index]!.id, timestamp, status } });
    });
    const ids = targets.map(({ orderId }) => orderId);
    for (;;) {
      const [done] = await sql<{ count: number }[]>`
        SELECT count(*)::int FROM orders WHERE id = ANY(${ids}::uuid[]) AND fulfillment_status = ${recorded}`;
      if (done!.count === ids.length) return (performance.now() - began) / ids.length;
      await sleep(20);
    }
  }

  /** Makes every order old enough for reconciliation, which skips orders that changed in the last 10 minutes. */
  async function settle(): Promise<void> {
    await sql`UPDATE orders SET updated_at = now() - interval '1 hour' WHERE updated_at > now() - interval '1 hour'`;
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
    'list, orders needing attention': () => operatorOrders(sql, { attention: [] }, page),
    'load of partners for routing': () => readRunningTotals(sql, 'open_units'),
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
        if (after === '') break;
      }
      for (;;) {
        const ready = await readyRuns();
        process.stderr.write(`${ready} of ${to} runs\n`);
        if (ready >= to) break;
        // The count reads all runs: half a second of the development server for 100,000. The pause grows with them.
        await sleep(Math.min(to, 30_000));
      }
      return (performance.now() - began) / 1_000;
    },

    async vacuum(): Promise<void> {
      await settle();
      await vacuum(config);
    },

    /** Measures everything once. @returns milliseconds by what was measured */
    async round(size: number, postbacks: number): Promise<Record<string, number>> {
      const targets = await withoutPostback(postbacks);
      const figures: Record<string, number> = {
        'a postback, workflow not cached': await post(targets, 'received'),
        'a postback, workflow cached': await post(targets, 'printed'),
        'tracking sweep, a package': await sweep(size),
      };
      await settle();
      figures['reconciliation, an order'] = await allBatches((after) => compareOrders(deps, after, false));
      figures['reconciliation, a run'] = await allBatches((after) => compareRuns(deps, after, null));
      for (const [what, work] of Object.entries(reads)) figures[what] = await read(work);
      return figures;
    },
  };
}

/** Vacuums as the owner of the tables, so that autovacuum has nothing left to do during the measurement. */
async function vacuum({ DATA_DIR, DATABASE_URL }: Config): Promise<void> {
  const url = new URL(DATABASE_URL!);
  url.username = 'pressline';
  url.password = (await readFile(join(DATA_DIR, 'postgres-password'), 'utf8')).trim();
  const owner = connectPostgres(url.href, { max: 1, applicationName: 'bench-vacuum', statementTimeoutMs: 0 });
  try {
    await owner`VACUUM ANALYZE`;
    await owner`CHECKPOINT`;
  } finally {
    await owner.end({ timeout: 5 });
  }
}
