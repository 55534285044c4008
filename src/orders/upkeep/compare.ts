import { enqueueOrderNotifications } from '../../notifications/enqueue';
import { orderIdOfWorkflow, orderWorkflowId } from '../../platform/domain/workflows';
import { inTransaction, json, type Queryable, type Sql } from '../../platform/postgres';
import { ENDED_ORDERS, OPEN_ORDERS } from '../domain/lifecycle/statuses';
import { type RunSnapshot, rowsOf } from '../domain/run/run-record';
import { flagOrder } from '../run/flags';
import { keepSnapshot } from '../run/snapshots';
import { type Counts, DIFFERENCES, type ReconcileDeps, settleEach, tally } from './reconciliation';
import { flagUnstarted, isStartWaiting, replaceOutdatedRun, restartable, restartRun } from './restart-run';
import { isOrderId, lookUpRun, PAGE, type RunLookup, runningAmong, runningOrderRuns, viewOfRun } from './runs';

/** The result of one batch, and the cursor of the next one (empty after the last). */
export interface ReconcileBatch {
  readonly rows: number;
  readonly counts: Counts;
  readonly next: string;
}

/** An order that changed more recently has a workflow that changed it, so it is not checked. */
const QUIET = '10 minutes';
/** The same after a loss of data, when a recent change proves nothing. Only orders whose outbox rows may be pending are skipped. */
const QUIET_AFTER_LOSS = '1 minute';
/** A workflow without tracking completes 90 days after shipping, and Temporal deletes it after its retention period. */
const FORGOTTEN = '85 days';
/** Voids and cancellations are retried for a day after an order has ended. */
const LINGERS = '2 days';

/**
 * Checks that each open order has a running workflow. Processes one batch, ordered by id.
 * @param after `next` of the previous batch; empty for the first
 * @param afterLoss Postgres or Temporal lost data: recently changed orders are checked too, and each workflow is looked up
 *   in Temporal's history service, because the visibility store may be older or newer than it
 */
export async function compareOrders(deps: ReconcileDeps, after: string, afterLoss: boolean): Promise<ReconcileBatch> {
  const { sql, temporal } = deps;
  const mayRestart = await restartable(sql);
  const quiet = afterLoss ? QUIET_AFTER_LOSS : QUIET;
  const rows = await sql<OpenOrder[]>`
    SELECT id, fulfillment_status AS status, updated_at < now() - ${quiet}::interval AS quiet,
      updated_at < now() - ${FORGOTTEN}::interval AS forgotten, created_at
    FROM orders
    WHERE ${isOpenOrder(sql)}
      ${after === '' ? sql`` : sql`AND id > ${after}`}
    ORDER BY id LIMIT ${PAGE}`;
  const due = rows.filter(({ quiet }) => quiet);
  const running = afterLoss
    ? new Set<string>()
    : await runningAmong(
        temporal,
        due.map(({ id }) => orderWorkflowId(id)),
      );
  const unclear = due.filter(({ id }) => !running.has(orderWorkflowId(id)));
  const counts = await settleEach(deps.log, 'orderId', unclear, async (order) =>
    settleOrder(deps, order, await lookUpRun(temporal, orderWorkflowId(order.id)), mayRestart(order)),
  );
  return { rows: rows.length, counts, next: rows.length < PAGE ? '' : rows.at(-1)!.id };
}

/**
 * Returns the SQL condition of open orders: those that have a running workflow. The statuses are literal text, not
 * parameters: Postgres uses the partial index `orders_running` only for a statement that shows them when it is planned.
 */
export function isOpenOrder(sql: Queryable) {
  const statuses = OPEN_ORDERS.map((status) => `'${status}'`).join(', ');
  return sql.unsafe(`(fulfillment_status IN (${statuses}) AND tracking_ended_at IS NULL)`);
}

interface OpenOrder {
  id: string;
  status: string;
  quiet: boolean;
  forgotten: boolean;
  createdAt: Date;
}

async function settleOrder(
  deps: ReconcileDeps,
  order: OpenOrder,
  run: RunLookup,
  mayRestart: boolean,
): Promise<Counts> {
  const { sql, temporal, log, settings } = deps;
  const orderId = order.id;
  if (run.status === 'running') return {};
  const hasLeft = order.status === 'shipped' || order.status === 'in_transit';
  if (run.status === 'missing') {
    if (hasLeft && order.forgotten) return await endTracking(deps, orderId);
    if (!mayRestart) return { flagged: Number(await flagUnstarted(deps, orderId)) };
    if (!(await restartRun(sql, settings, orderId))) return {};
    log.warn({ orderId }, 'reconciled: the workflow of an open order was missing, and is started');
    return { started: 1 };
  }
  // A workflow without tracking completes while the order is still `shipped`. Nothing is wrong when both agree.
  if (run.status === 'completed' && hasLeft) {
    const { fulfillmentStatus } = (await temporal.workflow.getHandle(orderWorkflowId(orderId)).result()) as {
      fulfillmentStatus: string;
    };
    if (fulfillmentStatus === order.status) return await endTracking(deps, orderId);
  }
  if (run.status === 'failed' && (await isStartWaiting(sql, orderId))) return {};
  const counts = await catchUpWith(deps, orderId, run.status);
  if (run.status === 'completed') return counts;
  const options = { untilNextRecord: true };
  const isNew = await flagOrder(sql, orderId, 'out_of_step', `the workflow is gone: ${run.how}`, options);
  if (isNew) log.warn({ orderId, how: run.how }, 'reconciled: the workflow of an open order failed');
  return tally(counts, { flagged: Number(isNew) });
}

/** Records that no carrier follows the parcels of a shipped order, whose workflow has completed: it is not open any more. */
async function endTracking({ sql, log }: ReconcileDeps, orderId: string): Promise<Counts> {
  const settled = await inTransaction(sql, async (tx) => {
    const { count } = await tx`
      UPDATE orders SET tracking_ended_at = now()
      WHERE id = ${orderId} AND fulfillment_status IN ('shipped', 'in_transit') AND tracking_ended_at IS NULL`;
    if (count === 0) return 0;
    await keepSnapshot(tx, orderId, null);
    await tx`
      INSERT INTO order_events (order_id, type, data)
      VALUES (${orderId}, 'reconciled', ${json(tx, { found: 'tracking_ended' })})`;
    return 1;
  });
  if (settled > 0) log.info({ orderId }, 'reconciled: the workflow of a shipped order has completed');
  return { settled };
}

async function catchUpWith(deps: ReconcileDeps, orderId: string, run: RunLookup['status']): Promise<Counts> {
  const { sql, temporal, log } = deps;
  const { clock, pending, deadlines: _deadlines, ...state } = await viewOfRun(temporal, orderWorkflowId(orderId));
  const { behind, lostPrintOrders } = await catchUp(sql, orderId, { state, clock, pending }, run);
  if (behind) log.warn({ orderId, lostPrintOrders }, 'reconciled: the rows of an order were behind its workflow');
  if (lostPrintOrders) await flagOrder(sql, orderId, 'out_of_step', 'the workflow has print orders without rows');
  return { caughtUp: Number(behind), printOrdersLost: Number(lostPrintOrders) };
}

/**
 * Updates the rows of an order, and its stored state, to the state of its workflow. The rows are behind after Postgres was restored from a
 * backup. While the workflow runs, the rows keep a version one below the state that they show, so that a pending
 * record of that version still applies, with its stock movements and refunds.
 * @returns `behind` when rows were updated, `lostPrintOrders` when the workflow has print orders without rows
 */
async function catchUp(
  sql: Sql,
  orderId: string,
  { state, clock, pending }: RunSnapshot,
  run: RunLookup['status'],
): Promise<{ behind: boolean; lostPrintOrders: boolean }> {
  const { fulfillmentStatus, attention, items, jobs, printOrders } = rowsOf(state);
  return await inTransaction(sql, async (tx) => {
    const updated = await tx`
      UPDATE orders SET fulfillment_status = ${fulfillmentStatus},
        attention = ${attention.length > 0 ? [...attention] : null},
        run_version = ${run === 'running' ? state.version - 1 : state.version}, updated_at = now()
      WHERE id = ${orderId} AND run_version < ${state.version}`;
    if (updated.count === 0) return { behind: false, lostPrintOrders: false };
    await tx`
      UPDATE order_items SET fulfillment_status = i.status
      FROM jsonb_to_recordset(${json(tx, items)}) AS i (id bigint, status text)
      WHERE order_items.id = i.id AND order_items.order_id = ${orderId}`;
    const known = await tx`
      UPDATE print_orders SET status = p.status
      FROM jsonb_to_recordset(${json(tx, printOrders)}) AS p (id bigint, status text)
      WHERE print_orders.id = p.id AND print_orders.order_id = ${orderId}`;
    await tx`
      UPDATE print_jobs SET status = j.status, quantity = j.quantity, cancelled_quantity = j.cancelled_quantity
      FROM jsonb_to_recordset(${json(tx, jobs)}) AS j (id bigint, status text, quantity int, cancelled_quantity int), print_orders p
      WHERE print_jobs.id = j.id AND p.id = print_jobs.print_order_id AND p.order_id = ${orderId}`;
    await tx`
      INSERT INTO order_events (order_id, type, data)
      VALUES (${orderId}, 'reconciled', ${json(tx, { found: 'rows_behind_run', version: state.version })})`;
    await keepSnapshot(tx, orderId, run === 'completed' ? null : { state, clock, pending });
    await enqueueOrderNotifications(tx, { orderId });
    return { behind: true, lostPrintOrders: known.count < printOrders.length };
  });
}

export type LostSide = 'postgres' | 'temporal' | null;

interface RunningOrder {
  id: string;
  runVersion: string;
  runId: string | null;
  runPosition: string;
  hasEnded: boolean;
  quiet: boolean;
  lingering: boolean;
}

/**
 * Checks that each running order workflow has an open order. Processes one page.
 * @param after `next` of the previous page; empty for the first
 * @param lost `postgres`: the state of each workflow is read, and rows that are behind are updated. `temporal`: workflows that are
 *   behind are replaced. Otherwise only workflows of ended orders are
 */
export async function compareRuns(deps: ReconcileDeps, after: string, lost: LostSide): Promise<ReconcileBatch> {
  const { sql, temporal, log, taskQueue } = deps;
  const { workflowIds, next } = await runningOrderRuns(temporal, taskQueue, after);
  const ids = workflowIds.map((id) => orderIdOfWorkflow(id) ?? id);
  const quiet = lost === null ? QUIET : QUIET_AFTER_LOSS;
  const ended = sql`(fulfillment_status = ANY(${[...ENDED_ORDERS]}) OR tracking_ended_at IS NOT NULL)`;
  const rows = await sql<RunningOrder[]>`
    SELECT id, run_version, run_id, run_position, ${ended} AS has_ended, updated_at < now() - ${quiet}::interval AS quiet,
      ${ended} AND updated_at < now() - ${LINGERS}::interval AS lingering
    FROM orders WHERE id = ANY(${ids.filter(isOrderId)}::uuid[])`;
  const known = new Set(rows.map(({ id }) => id));
  const report = (finding: 'withoutOrder' | 'lingering', orderIds: readonly string[]): Counts => {
    if (orderIds.length > 0)
      log.warn({ orderIds: orderIds.slice(0, 20), count: orderIds.length }, DIFFERENCES[finding]);
    return { [finding]: orderIds.length };
  };
  const caughtUp = await settleEach(log, 'orderId', lost === 'postgres' ? rows : [], ({ id }) =>
    catchUpWith(deps, id, 'running'),
  );
  const replaced = new Set<string>();
  const mayBeOutdated = rows.filter(({ hasEnded, quiet }) =>
    lost === 'temporal' ? hasEnded || quiet : hasEnded && quiet,
  );
  const outdated = await settleEach(log, 'orderId', mayBeOutdated, async ({ runVersion, runPosition, ...row }) => {
    const versions = { runVersion: Number(runVersion), runPosition: Number(runPosition) };
    const counts = await replaceOutdatedRun(deps, { ...row, ...versions });
    if (counts.outdated) replaced.add(row.id);
    return counts;
  });
  const lingering = rows.filter((row) => row.lingering && !replaced.has(row.id)).map(({ id }) => id);
  const unknown = ids.filter((id) => !known.has(id));
  const counts = tally(caughtUp, outdated, report('withoutOrder', unknown), report('lingering', lingering));
  return { rows: ids.length, counts, next };
}
