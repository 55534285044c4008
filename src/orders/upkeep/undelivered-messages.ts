import {
  ORDER_SIGNALS,
  ORDER_WORKFLOW_PREFIX,
  orderIdOfWorkflow,
  orderWorkflowId,
} from '../../platform/domain/workflows';
import { replayDead } from '../../platform/outbox/messages';
import { enqueue } from '../../platform/outbox/outbox';
import { json, type Queryable, type Sql } from '../../platform/postgres';
import type { PostbackEvent } from '../domain/lifecycle/run-events';
import { ENDED_ORDERS } from '../domain/lifecycle/statuses';
import { flagOrder } from '../run/flags';
import { type Counts, inBatches, type ReconcileDeps, settleEach, tally } from './reconciliation';
import { restartable, restartRun } from './restart-run';
import { isOrderId, lookUpRun } from './runs';

/** Orders that one reconciliation checks for a missing start. */
const CHECKED_STARTS = 500;
/** Younger rows are skipped: the outbox delivers within seconds. */
const YOUNG = '1 minute';

/**
 * Starts the workflows of accepted orders that have neither a workflow nor an outbox row that would start one. Checks the
 * oldest orders only. `compareOrders` checks the others.
 */
export async function startMissingRuns(deps: ReconcileDeps): Promise<Counts> {
  const { sql, temporal, log, settings } = deps;
  const mayRestart = await restartable(sql);
  const rows = await sql<{ id: string; createdAt: Date }[]>`
    SELECT id, created_at FROM (
      SELECT id, created_at FROM orders
      WHERE fulfillment_status = 'created' AND created_at < now() - ${YOUNG}::interval AND run_version = 0
      ORDER BY created_at, id LIMIT ${CHECKED_STARTS}) o
    WHERE NOT EXISTS (SELECT FROM outbox x
      WHERE x.kind = 'start_workflow' AND x.target = ${ORDER_WORKFLOW_PREFIX} || o.id AND x.dead_at IS NULL)`;
  return await settleEach(log, 'orderId', rows.filter(mayRestart), async ({ id }) => {
    if ((await lookUpRun(temporal, orderWorkflowId(id))).status !== 'missing') return {};
    if (!(await restartRun(sql, settings, id))) return {};
    log.warn({ orderId: id }, 'reconciled: the workflow of an order was started');
    return { started: 1 };
  });
}

interface PendingPostback {
  id: string;
  receivedAt: string;
  orderId: string;
  printOrderId: string;
  body: Omit<PostbackEvent, 'type' | 'eventId' | 'printOrderId'>;
  /** True when an outbox row will deliver it, or another postback of the order before it. */
  isQueued: boolean;
  hasEnded: boolean;
}

/** Signals postbacks again that no workflow has handled. A workflow ignores postbacks that it has already handled. */
export async function redeliverPostbacks(deps: ReconcileDeps): Promise<Counts> {
  const { sql } = deps;
  return await inBatches<PendingPostback>(
    (after, limit) => sql<PendingPostback[]>`
      SELECT b.id, b.received_at::text, b.print_order_id, b.body, p.order_id,
        EXISTS (SELECT FROM outbox x
          WHERE x.kind = 'signal_workflow' AND x.target = ${ORDER_WORKFLOW_PREFIX} || p.order_id AND x.dead_at IS NULL)
          AS is_queued,
        o.fulfillment_status = ANY(${[...ENDED_ORDERS]}) OR o.tracking_ended_at IS NOT NULL AS has_ended
      FROM postbacks b JOIN print_orders p ON p.id = b.print_order_id JOIN orders o ON o.id = p.order_id
      WHERE b.handled_at IS NULL AND b.received_at < now() - ${YOUNG}::interval
        ${after === undefined ? sql`` : sql`AND (b.received_at, b.id) < (${after.receivedAt}::text::timestamptz, ${after.id}::bigint)`}
      ORDER BY b.received_at DESC, b.id DESC LIMIT ${limit}`,
    async (rows) => {
      const waiting = rows.filter(({ isQueued }) => !isQueued);
      const byOrder = [...Map.groupBy(waiting, ({ orderId }) => orderId)].map(([id, postbacks]) => ({ id, postbacks }));
      return await settleEach(deps.log, 'orderId', byOrder, ({ id, postbacks }) => redeliver(deps, id, postbacks));
    },
  );
}

async function redeliver(
  { sql, temporal }: ReconcileDeps,
  orderId: string,
  postbacks: readonly PendingPostback[],
): Promise<Counts> {
  const run = await lookUpRun(temporal, orderWorkflowId(orderId));
  if (run.status === 'running' && !run.busy) {
    await signalAgain(sql, orderId, postbacks);
    return { redelivered: postbacks.length };
  }
  // Temporal deletes a workflow some time after its end. The order's status then shows that it has ended.
  // The order of a workflow that was terminated or has failed is open: an admin can revive it.
  const hasEnded = run.status === 'completed' || (run.status !== 'running' && postbacks[0]!.hasEnded);
  if (!hasEnded) return { undelivered: postbacks.length };
  await flagShippedAfterCancel(sql, orderId, postbacks);
  await closePostbacks(sql, orderId, postbacks);
  return { late: postbacks.length };
}

/** Flags an order whose workflow has completed when a late postback reports that cancelled units are on their way. */
async function flagShippedAfterCancel(sql: Sql, orderId: string, postbacks: readonly PendingPostback[]): Promise<void> {
  for (const { printOrderId, body } of postbacks) {
    if (body.status !== 'shipped') continue;
    const [left] = await sql`
      SELECT 1 FROM print_jobs WHERE print_order_id = ${printOrderId}
        AND (${body.jobId}::bigint IS NULL OR id = ${body.jobId}::bigint) AND status <> 'cancelled' LIMIT 1`;
    if (left !== undefined) continue;
    const message = `print order ${printOrderId} was reported as shipped after its units were cancelled`;
    await flagOrder(sql, orderId, 'cancelled_shipped', message, { untilNextRecord: true });
  }
}

/** Signals postbacks to the workflow of their order once more. */
async function signalAgain(
  sql: Queryable,
  orderId: string,
  postbacks: readonly Pick<PendingPostback, 'id' | 'printOrderId' | 'body'>[],
): Promise<void> {
  await enqueue(
    sql,
    ...postbacks.map(({ id, printOrderId, body }) => {
      const event: PostbackEvent = { ...body, type: 'postback', eventId: id, printOrderId };
      return {
        kind: 'signal_workflow' as const,
        target: orderWorkflowId(orderId),
        payload: { signal: ORDER_SIGNALS.postback, args: [event] },
      };
    }),
  );
}

/** Signals the postbacks of an order that its workflow has not handled, once it has started again. */
export async function signalUnhandled(tx: Queryable, orderId: string): Promise<void> {
  const postbacks = await tx<Pick<PendingPostback, 'id' | 'printOrderId' | 'body'>[]>`
    SELECT id, print_order_id, body FROM postbacks
    WHERE order_id = ${orderId} AND print_order_id IN (SELECT id FROM print_orders WHERE order_id = ${orderId})
      AND handled_at IS NULL ORDER BY id`;
  if (postbacks.length > 0) await signalAgain(tx, orderId, postbacks);
}

/** Closes late postbacks: the workflow has already completed. The order's event log records them. */
async function closePostbacks(sql: Sql, orderId: string, postbacks: readonly PendingPostback[]): Promise<void> {
  const lines = postbacks.map(({ id, printOrderId, body: { status } }) => ({
    id,
    print_order_id: printOrderId,
    data: { found: 'postback_after_end', status },
  }));
  await sql`
    WITH closed AS (
      UPDATE postbacks SET handled_at = now()
      WHERE order_id = ${orderId} AND id = ANY(${postbacks.map(({ id }) => id)}::bigint[]) AND handled_at IS NULL RETURNING id
    )
    INSERT INTO order_events (order_id, print_order_id, type, data)
    SELECT ${orderId}, l.print_order_id, 'reconciled', l.data
    FROM jsonb_to_recordset(${json(sql, lines)}) AS l (id bigint, print_order_id bigint, data jsonb) JOIN closed USING (id)`;
}

interface DeadSignal {
  id: string;
  target: string;
  deadAt: string;
}

const COUNTED_DEAD = 10_000;

/** Replays dead signals whose workflow is running, and deletes those whose workflow has completed. */
export async function replayDeadSignals(deps: ReconcileDeps): Promise<Counts> {
  const { sql, log } = deps;
  const counts = await inBatches<DeadSignal>(
    (after, limit) => sql<DeadSignal[]>`
      SELECT id, target, dead_at::text FROM outbox
      WHERE dead_at IS NOT NULL AND kind = 'signal_workflow'
        ${after === undefined ? sql`` : sql`AND (dead_at, id) < (${after.deadAt}::text::timestamptz, ${after.id}::bigint)`}
      ORDER BY dead_at DESC, id DESC LIMIT ${limit}`,
    async (rows) => {
      const byTarget = [...Map.groupBy(rows, ({ target }) => target)].map(([id, signals]) => ({ id, signals }));
      const targets = byTarget.map(({ id }) => id);
      const ended = await endedOrders(sql, targets);
      return await settleEach(log, 'workflowId', byTarget, ({ id, signals }) =>
        settleDeadSignals(deps, id, signals, ended.has(id)),
      );
    },
  );
  const [left] = await sql<{ dead: number; kinds: string }[]>`
    SELECT count(*)::int AS dead, string_agg(DISTINCT kind, ' ') AS kinds
    FROM (SELECT kind FROM outbox WHERE dead_at IS NOT NULL LIMIT ${COUNTED_DEAD}) AS counted`;
  if (left!.dead > 0) log.warn({ ...left }, 'dead letters wait for an operator');
  return tally(counts, { dead: left!.dead });
}

async function settleDeadSignals(
  { sql, temporal }: ReconcileDeps,
  target: string,
  signals: readonly DeadSignal[],
  orderHasEnded: boolean,
): Promise<Counts> {
  const ids = signals.map(({ id }) => id);
  const run = await lookUpRun(temporal, target);
  if (run.status === 'running') return { replayed: await replayDead(sql, { ids }) };
  if (run.status === 'missing' && !orderHasEnded) return {};
  await sql`DELETE FROM outbox WHERE id = ANY(${ids}::bigint[]) AND dead_at IS NOT NULL`;
  return {};
}

async function endedOrders(sql: Sql, workflowIds: readonly string[]): Promise<Set<string>> {
  const orderIds = workflowIds.map((id) => orderIdOfWorkflow(id) ?? '').filter(isOrderId);
  const rows = await sql<{ id: string }[]>`
    SELECT id FROM orders
    WHERE id = ANY(${orderIds}::uuid[])
      AND (fulfillment_status = ANY(${[...ENDED_ORDERS]}) OR tracking_ended_at IS NOT NULL)`;
  return new Set(rows.map(({ id }) => orderWorkflowId(id)));
}
