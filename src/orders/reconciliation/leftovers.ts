import type { Client } from '@temporalio/client';
import { ORDER_SIGNALS, ORDER_WORKFLOW_PREFIX, orderWorkflowId } from '../../platform/domain/workflows';
import type { Logger } from '../../platform/logging';
import { enqueue, replayDead } from '../../platform/outbox/outbox';
import { inTransaction, json, type Sql } from '../../platform/postgres';
import type { PostbackEvent } from '../domain/lifecycle/run-events';
import type { RunSettings } from '../run/settings';
import { type Counts, tally } from './findings';
import { restartRun } from './restart-run';
import { lookUpRun, mapConcurrently } from './runs';

export interface ReconcileDeps {
  readonly sql: Sql;
  readonly temporal: Client;
  readonly log: Logger;
  readonly taskQueue: string;
  readonly settings: RunSettings;
}

const BATCH = 500;
/** Younger rows are skipped: the outbox delivers within seconds. */
const YOUNG = '1 minute';

/** Starts the workflows of accepted orders that have neither a workflow nor an outbox row that would start one. */
export async function startMissingRuns(deps: ReconcileDeps): Promise<Counts> {
  const { sql, temporal, log, settings } = deps;
  const rows = await sql<{ id: string }[]>`
    SELECT id FROM orders o
    WHERE fulfillment_status = 'created' AND created_at < now() - ${YOUNG}::interval AND run_version = 0
      AND NOT EXISTS (SELECT FROM outbox x
        WHERE x.kind = 'start_workflow' AND x.target = ${ORDER_WORKFLOW_PREFIX} || o.id AND x.dead_at IS NULL)
    ORDER BY created_at, id LIMIT ${BATCH}`;
  return tally(
    ...(await mapConcurrently(rows, async ({ id }): Promise<Counts> => {
      if ((await lookUpRun(temporal, orderWorkflowId(id))).status !== 'missing') return {};
      if ((await restartRun(sql, settings, id)) !== 'started') return {};
      log.warn({ orderId: id }, 'reconciled: the workflow of an order was started');
      return { started: 1 };
    })),
  );
}

function groupedBy<T>(rows: readonly T[], keyOf: (row: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return groups;
}

interface PendingPostback {
  id: string;
  orderId: string;
  printOrderId: string;
  body: Omit<PostbackEvent, 'type' | 'eventId' | 'printOrderId'>;
}

/** Signals postbacks again that no workflow has handled. A workflow ignores postbacks that it has already handled. */
export async function redeliverPostbacks(deps: ReconcileDeps): Promise<Counts> {
  const { sql, temporal } = deps;
  const rows = await sql<PendingPostback[]>`
    SELECT b.id, b.print_order_id, b.body, p.order_id
    FROM postbacks b JOIN print_orders p ON p.id = b.print_order_id
    WHERE b.handled_at IS NULL AND b.received_at < now() - ${YOUNG}::interval
      AND NOT EXISTS (SELECT FROM outbox x
        WHERE x.kind = 'signal_workflow' AND x.target = ${ORDER_WORKFLOW_PREFIX} || p.order_id AND x.dead_at IS NULL)
    ORDER BY b.received_at DESC LIMIT ${BATCH}`;
  const byOrder = groupedBy(rows, ({ orderId }) => orderId);
  return tally(
    ...(await mapConcurrently([...byOrder], async ([orderId, postbacks]): Promise<Counts> => {
      const run = await lookUpRun(temporal, orderWorkflowId(orderId));
      if (run.status === 'missing' || (run.status === 'running' && run.busy))
        return { undelivered: postbacks.length };
      if (run.status === 'running') {
        await signalAgain(sql, orderId, postbacks);
        return { redelivered: postbacks.length };
      }
      await closePostbacks(sql, orderId, postbacks);
      return { late: postbacks.length };
    })),
  );
}

async function signalAgain(sql: Sql, orderId: string, postbacks: readonly PendingPostback[]): Promise<void> {
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

/** Closes late postbacks: the workflow has already completed. The order's event log records them. */
async function closePostbacks(
  sql: Sql,
  orderId: string,
  postbacks: readonly PendingPostback[],
): Promise<void> {
  const lines = postbacks.map(({ id, printOrderId, body: { status } }) => ({
    id,
    print_order_id: printOrderId,
    data: { found: 'postback_after_end', status },
  }));
  await sql`
    WITH closed AS (
      UPDATE postbacks SET handled_at = now()
      WHERE id = ANY(${postbacks.map(({ id }) => id)}::bigint[]) AND handled_at IS NULL RETURNING id
    )
    INSERT INTO order_events (order_id, print_order_id, type, data)
    SELECT ${orderId}, l.print_order_id, 'reconciled', l.data
    FROM jsonb_to_recordset(${json(sql, lines)}) AS l (id bigint, print_order_id bigint, data jsonb) JOIN closed USING (id)`;
}

/** Replays dead signals whose workflow is running, and deletes those whose workflow has completed. */
export async function replayDeadSignals({ sql, temporal, log }: ReconcileDeps): Promise<Counts> {
  const rows = await sql<{ id: string; target: string }[]>`
    SELECT id, target FROM outbox
    WHERE dead_at IS NOT NULL AND kind = 'signal_workflow' ORDER BY dead_at DESC LIMIT ${BATCH}`;
  const byTarget = [...groupedBy(rows, ({ target }) => target)];
  const counts = await mapConcurrently(byTarget, async ([target, messages]): Promise<Counts> => {
    const ids = messages.map(({ id }) => id);
    const run = await lookUpRun(temporal, target);
    if (run.status === 'running') return { replayed: await replayDead(sql, { ids }) };
    if (run.status === 'missing') return {};
    await sql`DELETE FROM outbox WHERE id = ANY(${ids}::bigint[]) AND dead_at IS NOT NULL`;
    return {};
  });
  const [left] = await sql<{ dead: number; kinds: string }[]>`
    SELECT count(*)::int AS dead, string_agg(DISTINCT kind, ' ') AS kinds FROM outbox WHERE dead_at IS NOT NULL`;
  if (left!.dead > 0) log.warn({ ...left }, 'dead letters wait for an operator');
  return tally(...counts, { dead: left!.dead });
}

/** Returns the number of reconciliations that Postgres has recorded. It is 0 at first, and after a restore from an older backup. */
export async function readMark(sql: Sql): Promise<number> {
  const [row] = await sql<{ mark: string }[]>`SELECT mark FROM reconciliation`;
  return Number(row?.mark ?? 0);
}

export async function writeMark(sql: Sql, mark: number): Promise<void> {
  await inTransaction(sql, async (tx) => {
    await tx`
      INSERT INTO reconciliation (mark, marked_at) VALUES (${mark}, now())
      ON CONFLICT (only_row) DO UPDATE SET mark = excluded.mark, marked_at = now()`;
  });
}
