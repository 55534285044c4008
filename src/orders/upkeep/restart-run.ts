import { orderWorkflowId } from '../../platform/domain/workflows';
import { inTransaction, type Queryable, type Sql, type Transaction } from '../../platform/postgres';
import type { FinancialStatus } from '../domain/lifecycle/statuses';
import { historyLengthOf } from '../domain/run/run-record';
import { startRun } from '../intake/start-run';
import { flagOrder } from '../run/flags';
import type { RunSettings } from '../run/settings';
import { storedRun } from '../run/snapshots';
import { readKnownServers } from './known-servers';
import type { Counts, ReconcileDeps } from './reconciliation';
import { lookUpRun, viewOfRun } from './runs';

interface OrderRow {
  id: string;
  clientId: string;
  clientName: string;
  requestId: string | null;
  orderReferenceId: string;
  country: string;
  financialStatus: FinancialStatus | null;
  items: readonly { readonly id: string; readonly quantity: number }[];
}

interface OutdatedRun {
  readonly version: number;
  readonly end: () => Promise<void>;
}

/**
 * Starts the workflow of an order again through the outbox. The workflow begins anew when the lost one had written
 * nothing, otherwise in the state that its last record has stored. Idempotency keys prevent repeated effects.
 * @param outdated the running workflow that the new one replaces; `ended`: the latest one has failed or was terminated
 * @returns false for a draft, when an outbox row already starts the workflow, or when the rows are not newer than `outdated`
 * @throws Error for an order that has ended: it has no stored state
 */
export async function restartRun(
  sql: Sql,
  settings: RunSettings,
  orderId: string,
  outdated?: OutdatedRun | 'ended',
): Promise<boolean> {
  return await inTransaction(sql, (tx) => restartRunIn(tx, settings, orderId, outdated));
}

/** The same in the transaction of the caller. */
export async function restartRunIn(
  tx: Transaction,
  settings: RunSettings,
  orderId: string,
  outdated?: OutdatedRun | 'ended',
): Promise<boolean> {
  const row = await readOrder(tx, orderId);
  const stored = await storedRun(tx, orderId);
  if (row === undefined || stored === undefined) return false;
  const { position, version, snapshot } = stored;
  const running = outdated === 'ended' ? undefined : outdated;
  if (running !== undefined && version <= running.version) return false;
  if (snapshot === null) throw new Error(`order ${orderId} has no stored state`);
  const { country, orderReferenceId, financialStatus } = row;
  const carried = version === 0 ? null : { ...snapshot, last: { position, version }, financialStatus };
  // The new start replaces a dead one. Otherwise a start that always fails leaves a dead letter with each reconciliation.
  await tx`
      DELETE FROM outbox
      WHERE kind = 'start_workflow' AND target = ${orderWorkflowId(orderId)} AND dead_at IS NOT NULL`;
  await startRun(
    tx,
    {
      id: orderId,
      clientId: row.clientId,
      clientName: row.clientName,
      requestId: row.requestId ?? 'reconciliation',
      order: { orderReferenceId, shippingAddress: { country } },
    },
    row.items,
    settings,
    carried,
    outdated === undefined ? {} : { replacesTerminated: true },
  );
  // Before the commit, because the outbox must not start the new workflow beside this one. If the commit fails, the next
  // reconciliation flags the order: its workflow was terminated.
  await running?.end();
  return true;
}

/**
 * Returns a function that returns true for the orders whose missing workflow may start again. Those accepted before Postgres
 * was restored from a backup older than Temporal's retention may have completed meanwhile.
 */
export async function restartable(sql: Sql): Promise<(order: { readonly createdAt: Date }) => boolean> {
  const restartsFrom = (await readKnownServers(sql))?.restartsFrom ?? null;
  return ({ createdAt }) => restartsFrom === null || createdAt >= restartsFrom;
}

/** Flags an order whose missing workflow may not start, and deletes its start. Returns false when it was flagged. */
export async function flagUnstarted(
  { sql, log }: Pick<ReconcileDeps, 'sql' | 'log'>,
  orderId: string,
): Promise<boolean> {
  await sql`DELETE FROM outbox WHERE kind = 'start_workflow' AND target = ${orderWorkflowId(orderId)}`;
  const isNew = await flagOrder(sql, orderId, 'out_of_step', 'the workflow is missing, and may have completed', {
    untilNextRecord: true,
  });
  if (isNew) log.warn({ orderId }, 'reconciled: the workflow of an open order is missing and may have completed');
  return isNew;
}

/** Returns undefined for a draft, and for an order whose start is in the outbox. */
async function readOrder(tx: Transaction, orderId: string): Promise<OrderRow | undefined> {
  const [row] = await tx<OrderRow[]>`
    SELECT o.id, o.client_id, a.name AS client_name, o.request_id, o.order_reference_id,
      o.shipping_address ->> 'country' AS country, o.run_financial_status AS financial_status,
      (SELECT jsonb_agg(jsonb_build_object('id', i.id::text, 'quantity', i.quantity) ORDER BY i.position)
        FROM order_items i WHERE i.order_id = o.id) AS items
    FROM orders o JOIN accounts a ON a.id = o.client_id
    WHERE o.id = ${orderId} AND o.order_type = 'order' AND NOT ${startWaits(tx, orderId)}
    FOR UPDATE OF o`;
  return row;
}

/** Returns true when an outbox row will start the workflow of an order. */
export async function isStartWaiting(sql: Sql, orderId: string): Promise<boolean> {
  const [row] = await sql<{ waits: boolean }[]>`SELECT ${startWaits(sql, orderId)} AS waits`;
  return row!.waits;
}

function startWaits(sql: Queryable, orderId: string) {
  return sql`EXISTS (
    SELECT FROM outbox x
    WHERE x.kind = 'start_workflow' AND x.target = ${orderWorkflowId(orderId)} AND x.dead_at IS NULL)`;
}

export interface RecordedVersion {
  readonly id: string;
  readonly runVersion: number;
  /** Of the run that wrote the rows. Null before the first record. */
  readonly runId: string | null;
  readonly runPosition: number;
  /** True when nothing is left to do: the order has a final status, or no carrier follows its parcels. */
  readonly hasEnded: boolean;
}

/** The Temporal UI shows it at the end of the history. */
const REASON = 'The rows of the order are newer: Temporal was restored from a backup';

/**
 * Ends a running workflow whose state is older than the rows of its order, as after a restore of Temporal from a backup. The
 * workflow of an open order starts again in the state that its last record has stored. A workflow with a pending workflow
 * task or activity is left alone: its state is about to change.
 * @throws the client's error when Temporal is unavailable, and the errors of `viewOfRun`
 */
export async function replaceOutdatedRun(deps: ReconcileDeps, order: RecordedVersion): Promise<Counts> {
  const { sql, temporal, log, settings } = deps;
  const orderId = order.id;
  const workflowId = orderWorkflowId(orderId);
  const run = await lookUpRun(temporal, workflowId);
  if (run.status !== 'running' || run.busy || run.working) return {};
  // To read the state, a worker replays the workflow. The history of a run only grows.
  const isInStep = run.runId === order.runId && run.historyLength >= historyLengthOf(order.runPosition);
  if (isInStep && !order.hasEnded) return {};
  const { version } = await viewOfRun(temporal, workflowId);
  if (version >= order.runVersion) return {};
  const end = async () => {
    await temporal.workflow.getHandle(workflowId, run.runId).terminate(REASON);
  };
  const versions = { run: version, rows: order.runVersion };
  if (order.hasEnded) {
    await end();
    log.warn({ orderId, versions }, 'reconciled: the outdated workflow of an ended order was ended');
    return { outdated: 1 };
  }
  if (!(await restartRun(sql, settings, orderId, { version, end }))) return {};
  log.warn({ orderId, versions }, 'reconciled: the outdated workflow of an open order was started again');
  return { outdated: 1 };
}
