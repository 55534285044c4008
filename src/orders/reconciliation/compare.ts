import { orderIdOfWorkflow, orderWorkflowId } from '../../platform/domain/workflows';
import { ENDED_ORDERS } from '../domain/lifecycle/statuses';

import { catchUp, flagOrder } from './catch-up';
import { type Counts, FINDINGS, tally } from './findings';
import type { ReconcileDeps } from './leftovers';
import { restartRun } from './restart-run';
import { inParallel, lookAtRun, type RunLookup, runningOrderRuns, stateOfRun } from './runs';

/** A stretch of a long walk, and where the next one begins ('' at the end). */
export interface ReconcileBatch {
  readonly counts: Counts;
  readonly next: string;
}

/** Orders that moved lately have a run that moves them. */
const QUIET = '10 minutes';
/** After a loss that says nothing: only what the outbox has under way is left alone. */
const QUIET_AFTER_LOSS = '1 minute';
/** A run that was never tracked ends 90 days after shipping, and Temporal forgets it some time later. */
const FORGOTTEN = '85 days';
/** Voids and cancellations are tried for a day after the order's end. */
const LINGERS = '2 days';
const BATCH = 500;

/**
 * A stretch of the open orders, by id: each must have a run that is running.
 * @param after `next` of the stretch before; '' begins
 * @param afterLoss Postgres or Temporal was set back: orders that moved lately are looked at too
 */
export async function compareOrders(
  deps: ReconcileDeps,
  after: string,
  afterLoss: boolean,
): Promise<ReconcileBatch> {
  const { sql, temporal } = deps;
  const quiet = afterLoss ? QUIET_AFTER_LOSS : QUIET;
  const rows = await sql<OpenOrder[]>`
    SELECT id, fulfillment_status AS status, run_version = 0 AS unstarted, updated_at < now() - ${quiet}::interval AS quiet,
      updated_at < now() - ${FORGOTTEN}::interval AS forgotten
    FROM orders
    WHERE fulfillment_status IN ('created', 'uploading', 'passed', 'in_production', 'printed', 'shipped', 'in_transit', 'on_hold')
      ${after === '' ? sql`` : sql`AND id > ${after}`}
    ORDER BY id LIMIT ${BATCH}`;
  const looked = rows.filter(({ quiet, unstarted }) => quiet && !unstarted);
  const counts = await inParallel(looked, async (order) =>
    settleOrder(deps, order, await lookAtRun(temporal, orderWorkflowId(order.id))),
  );
  return { counts: tally(...counts), next: rows.length < BATCH ? '' : rows.at(-1)!.id };
}

interface OpenOrder {
  id: string;
  status: string;
  unstarted: boolean;
  quiet: boolean;
  forgotten: boolean;
}

async function settleOrder(deps: ReconcileDeps, order: OpenOrder, run: RunLookup): Promise<Counts> {
  const { sql, temporal, log, settings } = deps;
  const orderId = order.id;
  if (run.is === 'running') return {};
  const hasLeft = order.status === 'shipped' || order.status === 'in_transit';
  if (run.is === 'missing') {
    if (hasLeft && order.forgotten) return {};
    const outcome = await restartRun(sql, settings, orderId);
    if (outcome === 'not-needed') return {};
    const isNew = outcome === 'started' || (await flagOrder(sql, orderId, 'out_of_step'));
    if (isNew) log.warn({ orderId, outcome }, 'reconciled: the run of an open order is gone');
    return outcome === 'started' ? { started: 1 } : { flagged: Number(isNew) };
  }
  // A run without tracking ends by itself with the order `shipped`; its rows are asked for only once.
  if (run.is === 'completed' && hasLeft) {
    const { fulfillmentStatus } = (await temporal.workflow.getHandle(orderWorkflowId(orderId)).result()) as {
      fulfillmentStatus: string;
    };
    if (fulfillmentStatus === order.status) return {};
  }
  const counts = await catchUpWith(deps, orderId, true);
  if (run.is === 'completed') return counts;
  const isNew = await flagOrder(sql, orderId, 'out_of_step');
  if (isNew) log.warn({ orderId, how: run.how }, 'reconciled: the run of an open order was broken off');
  return tally(counts, { flagged: Number(isNew) });
}

async function catchUpWith(deps: ReconcileDeps, orderId: string, hasEnded: boolean): Promise<Counts> {
  const { sql, temporal, log } = deps;
  const state = await stateOfRun(temporal, orderWorkflowId(orderId)).catch((error: unknown) => {
    log.warn({ err: error, orderId }, 'the state of a run cannot be read');
    return null;
  });
  if (state === null) return {};
  const { behind, lostPrintOrders } = await catchUp(sql, orderId, state, hasEnded);
  if (behind) log.warn({ orderId, lostPrintOrders }, 'reconciled: an order was behind its run');
  if (lostPrintOrders) await flagOrder(sql, orderId, 'out_of_step');
  return { caughtUp: Number(behind), printOrdersLost: Number(lostPrintOrders) };
}

/**
 * A page of the running order runs: each must have an order that is open.
 * @param after `next` of the page before; '' begins
 * @param restored Postgres is older than the runs: their states are read, and rows that are behind brought in line
 */
export async function compareRuns(
  deps: ReconcileDeps,
  after: string,
  restored: boolean,
): Promise<ReconcileBatch> {
  const { sql, temporal, log, taskQueue } = deps;
  const { workflowIds, next } = await runningOrderRuns(temporal, taskQueue, after);
  const ids = workflowIds.map((id) => orderIdOfWorkflow(id)!);
  const rows = await sql<{ id: string; lingering: boolean }[]>`
    SELECT id, fulfillment_status = ANY(${[...ENDED_ORDERS]})
      AND updated_at < now() - ${LINGERS}::interval AS lingering
    FROM orders WHERE id = ANY(${ids}::uuid[])`;
  const known = new Map(rows.map((row) => [row.id, row]));
  const report = (finding: 'withoutOrder' | 'lingering', orderIds: readonly string[]): Counts => {
    if (orderIds.length > 0)
      log.warn({ orderIds: orderIds.slice(0, 20), count: orderIds.length }, FINDINGS[finding]);
    return { [finding]: orderIds.length };
  };
  const caughtUp = restored
    ? await inParallel([...known.keys()], (orderId) => catchUpWith(deps, orderId, false))
    : [];
  const counts = tally(
    ...caughtUp,
    report(
      'withoutOrder',
      ids.filter((id) => !known.has(id)),
    ),
    report(
      'lingering',
      rows.filter(({ lingering }) => lingering).map(({ id }) => id),
    ),
  );
  return { counts, next };
}
