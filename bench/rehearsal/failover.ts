import { setTimeout as sleep } from 'node:timers/promises';
import { orderWorkflowId } from '../../src/platform/domain/workflows';
import type { Sql } from '../../src/platform/postgres';
import type { PlannedOrder } from '../faults/orders';
import { type Client, ordersNotIn } from './orders';
import { found, QUIET_MS, reconcile, SETTLED_WITHIN_MS, withOwner } from './restore';
import { watchRequests } from './rolling-restart';
import type { StepResult } from './step';
import type { Topology } from './topology';

/** Load that the standby receives, load whose writes do not reach it, and load after its promotion. */
const STREAMED_MS = 5_000;
const LOST_MS = 10_000;
const LATER_MS = 10_000;

/**
 * Promotes an asynchronous standby of one side's Postgres, which streams from its primary and has not received its last seconds,
 * while orders run, by the steps of docs/operation/backup-and-recovery.md. No number is issued twice. The client submits lost orders again, and every
 * order is delivered or flagged.
 */
export async function failOver(topology: Topology, client: Client, side: 'Postgres' | 'Temporal'): Promise<StepResult> {
  const { sql, database, temporal } = topology;
  const primary = side === 'Postgres' ? database : temporal.postgres;
  const results = [await reconcile(topology)];
  const unknownBefore = await unknownPrintOrders(topology);
  await primary.startStandby();
  const requests = watchRequests(topology, client);
  const stopLoad = client.startLoad();
  await sleep(STREAMED_MS);
  await primary.cutStandby();
  await sleep(LOST_MS);
  const before = await issuedNumbers(sql);
  const began = Date.now();
  const lostBytes = await primary.promoteStandby();
  if (side === 'Temporal') await compareEverything(topology);
  const seconds = (Date.now() - began) / 1_000;
  await sleep(LATER_MS);
  const submitted = await stopLoad();
  // The client cannot read the orders that it has lost.
  const failed = requests.failedCalls().filter((message) => side === 'Temporal' || !/not found|404/i.test(message));
  const findings = failed.map((message) => `a call of the client failed: ${message}`);

  await sleep(QUIET_MS);
  const afterwards = await reconcile(topology);
  results.push(afterwards);
  const lost = await lostOrders(topology, client);
  const ended = await endWorkflows(topology, [...lost.keys()]);
  const reported = afterwards.found.withoutOrder ?? 0;
  if (reported < ended) findings.push(`${ended} workflows had lost their order, and ${reported} were reported`);
  if (side === 'Temporal' && lost.size > 0) findings.push(`Postgres has lost ${lost.size} orders`);
  for (const planned of lost.values()) await client.submit(planned);
  findings.push(...(await untilDeliveredOrFlagged(topology, results)));

  const after = await issuedNumbers(sql);
  findings.push(...issuedTwice(before, after));
  const changed = (await printOrdersAtPartners(topology)).filter(({ distinctContents }) => distinctContents > 1);
  findings.push(...changed.map(({ printOrderId }) => `print order ${printOrderId} came with different contents`));
  const unknown = (await unknownPrintOrders(topology)).filter((id) => !unknownBefore.includes(id));
  if (side === 'Temporal') findings.push(...unknown.map((id) => `print order ${id} has no row`));
  const flagged = (await ordersNotIn(topology, ['delivered'])).map(({ attention }) => attention);
  return {
    counts: [
      `promoted after ${seconds.toFixed(1)} s, without the last ${(lostBytes / 1_024).toFixed(0)} KiB of the log`,
      `${lost.size} accepted orders were lost and submitted again, ${unknown.length} print orders are with partners only`,
      `${[...before.keys()].filter((issued) => !after.has(issued)).length} numbers were lost, and none was issued again`,
      found(results),
      `${flagged.length} orders flagged: ${[...new Set(flagged)].join(', ') || 'none'}`,
      `${submitted} orders submitted meanwhile`,
      ...requests.counts(),
    ],
    findings,
  };
}

/** Restarts Temporal, whose caches are ahead of its database, and lets the next reconciliation compare everything. */
async function compareEverything({ workers, temporal, ownerUrl }: Topology): Promise<void> {
  await Promise.all(workers.map((worker) => worker.stop()));
  await temporal.server.stop();
  await withOwner(ownerUrl(), (owner) => owner`UPDATE reconciliation SET mark = mark + 1`);
  await temporal.server.start();
  for (const worker of workers) await worker.start();
}

/** Returns the numbers that clients, partners and carriers know, with what each names. */
async function issuedNumbers(sql: Sql): Promise<Map<string, string>> {
  const rows = await sql<{ issued: string; names: string }[]>`
    SELECT 'print order ' || p.id AS issued, o.id || ' at ' || p.partner_id AS names
    FROM print_orders p JOIN orders o ON o.id = p.order_id
    UNION ALL SELECT 'receipt ' || r.number, r.order_id || ' ' || r.step FROM receipts r
    UNION ALL SELECT 'print job ' || j.id, i.order_id || ' ' || i.item_reference_id
    FROM print_jobs j JOIN order_items i ON i.id = j.order_item_id
    UNION ALL SELECT 'parcel ' || c.tracking_number, c.idempotency_key
    FROM carrier_purchases c WHERE c.tracking_number IS NOT NULL`;
  return new Map(rows.map(({ issued, names }) => [issued, names]));
}

/** Returns a text for each number that names two things. */
function issuedTwice(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...after].flatMap(([issued, names]) => {
    const earlier = before.get(issued);
    return earlier === undefined || earlier === names ? [] : [`${issued} names ${earlier} and ${names}`];
  });
}

async function printOrdersAtPartners({ seen }: Topology) {
  return Object.values((await seen()).partners).flatMap(({ printOrders }) => printOrders);
}

/** Returns the ids of the print orders that partners have and Postgres does not. */
async function unknownPrintOrders(topology: Topology): Promise<string[]> {
  const stored = new Set((await topology.sql<{ id: string }[]>`SELECT id FROM print_orders`).map(({ id }) => id));
  return (await printOrdersAtPartners(topology))
    .map(({ printOrderId }) => printOrderId)
    .filter((id) => !stored.has(id));
}

/** Returns the plans of accepted orders that Postgres no longer has, by their lost ids, which the client forgets. */
async function lostOrders({ sql }: Topology, client: Client) {
  const stored = new Set((await sql<{ id: string }[]>`SELECT id FROM orders`).map(({ id }) => id));
  const lost = new Map<string, PlannedOrder>();
  for (const submission of client.submissions) {
    const { orderId, planned } = submission;
    if (orderId === null || stored.has(orderId)) continue;
    lost.set(orderId, planned);
    submission.orderId = null;
  }
  return lost;
}

/** Ends the workflows of lost orders, which wait for their rows. @returns the number of those that ran */
async function endWorkflows({ temporalClient }: Topology, orderIds: readonly string[]): Promise<number> {
  const ended = await Promise.all(
    orderIds.map((id) =>
      temporalClient.workflow
        .getHandle(orderWorkflowId(id))
        .terminate('its order was lost in a failover')
        .then(
          () => 1,
          () => 0,
        ),
    ),
  );
  return ended.reduce<number>((sum, count) => sum + count, 0);
}

/** Reconciles each minute until every order is delivered or has an attention reason. @returns the other orders */
async function untilDeliveredOrFlagged(
  topology: Topology,
  results: Awaited<ReturnType<typeof reconcile>>[],
): Promise<string[]> {
  const deadline = Date.now() + SETTLED_WITHIN_MS;
  for (let next = Date.now() + 60_000; ; await sleep(2_000)) {
    const open = (await ordersNotIn(topology, ['delivered'])).filter(({ attention }) => attention === null);
    if (open.length === 0) return [];
    if (Date.now() > deadline)
      return open.map(({ reference, status }) => `${reference} is neither delivered nor flagged: ${status}`);
    if (Date.now() > next) {
      next += 60_000;
      results.push(await reconcile(topology));
    }
  }
}
