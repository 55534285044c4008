import type { Client } from '@temporalio/client';
import { ORDER_SIGNALS, ORDER_WORKFLOW_PREFIX, orderWorkflowId } from '../../platform/domain/workflows';
import type { Logger } from '../../platform/logging';
import { enqueue, replayDead } from '../../platform/outbox/outbox';
import { inTransaction, json, type Sql } from '../../platform/postgres';
import type { PostbackEvent } from '../domain/lifecycle/run-events';

import type { RunSettings } from '../run/settings';
import { type Counts, tally } from './findings';
import { restartRun } from './restart-run';
import { inParallel, lookAtRun } from './runs';

export interface ReconcileDeps {
  readonly sql: Sql;
  readonly temporal: Client;
  readonly log: Logger;
  readonly taskQueue: string;
  readonly settings: RunSettings;
}

const BATCH = 500;
/** What is younger is on its way: outbox rows are delivered within seconds. */
const YOUNG = '1 minute';

/** Orders that were taken in and never reached Temporal: their outbox row is gone, and there is no run. */
export async function startMissingRuns(deps: ReconcileDeps): Promise<Counts> {
  const { sql, temporal, log, settings } = deps;
  const rows = await sql<{ id: string }[]>`
    SELECT id FROM orders o
    WHERE fulfillment_status = 'created' AND created_at < now() - ${YOUNG}::interval AND run_version = 0
      AND NOT EXISTS (SELECT FROM outbox x
        WHERE x.kind = 'start_workflow' AND x.target = ${ORDER_WORKFLOW_PREFIX} || o.id AND x.dead_at IS NULL)
    ORDER BY created_at, id LIMIT ${BATCH}`;
  return tally(
    ...(await inParallel(rows, async ({ id }): Promise<Counts> => {
      if ((await lookAtRun(temporal, orderWorkflowId(id))).is !== 'missing') return {};
      if ((await restartRun(sql, settings, id)) !== 'started') return {};
      log.warn({ orderId: id }, 'reconciled: an order without a run was started');
      return { started: 1 };
    })),
  );
}

function groupedBy<T>(rows: readonly T[], keyOf: (row: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return groups;
}

interface UnheardPostback {
  id: string;
  orderId: string;
  printOrderId: string;
  body: Omit<PostbackEvent, 'type' | 'eventId' | 'printOrderId'>;
}

/** Postbacks in the inbox that no run has taken in: told again, since a run knows those that it has had. */
export async function redeliverPostbacks(deps: ReconcileDeps): Promise<Counts> {
  const { sql, temporal } = deps;
  const rows = await sql<UnheardPostback[]>`
    SELECT b.id, b.print_order_id, b.body, p.order_id
    FROM postbacks b JOIN print_orders p ON p.id = b.print_order_id
    WHERE b.handled_at IS NULL AND b.received_at < now() - ${YOUNG}::interval
      AND NOT EXISTS (SELECT FROM outbox x
        WHERE x.kind = 'signal_workflow' AND x.target = ${ORDER_WORKFLOW_PREFIX} || p.order_id AND x.dead_at IS NULL)
    ORDER BY b.received_at DESC LIMIT ${BATCH}`;
  const byOrder = groupedBy(rows, ({ orderId }) => orderId);
  return tally(
    ...(await inParallel([...byOrder], async ([orderId, postbacks]): Promise<Counts> => {
      const run = await lookAtRun(temporal, orderWorkflowId(orderId));
      if (run.is === 'missing' || (run.is === 'running' && run.busy)) return { unheard: postbacks.length };
      if (run.is === 'running') {
        await tellAgain(sql, orderId, postbacks);
        return { heardAgain: postbacks.length };
      }
      await closePostbacks(sql, orderId, postbacks);
      return { tooLate: postbacks.length };
    })),
  );
}

async function tellAgain(sql: Sql, orderId: string, postbacks: readonly UnheardPostback[]): Promise<void> {
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

/** A word that came after the run's end changes nothing; the order's log tells of it. */
async function closePostbacks(
  sql: Sql,
  orderId: string,
  postbacks: readonly UnheardPostback[],
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

/** Given-up signals: sent again when their run is there after all, dropped when it has ended. */
export async function replayDeadSignals({ sql, temporal, log }: ReconcileDeps): Promise<Counts> {
  const rows = await sql<{ id: string; target: string }[]>`
    SELECT id, target FROM outbox
    WHERE dead_at IS NOT NULL AND kind = 'signal_workflow' ORDER BY dead_at DESC LIMIT ${BATCH}`;
  const byTarget = [...groupedBy(rows, ({ target }) => target)];
  const counts = await inParallel(byTarget, async ([target, messages]): Promise<Counts> => {
    const ids = messages.map(({ id }) => id);
    const run = await lookAtRun(temporal, target);
    if (run.is === 'running') return { replayed: await replayDead(sql, { ids }) };
    if (run.is === 'missing') return {};
    await sql`DELETE FROM outbox WHERE id = ANY(${ids}::bigint[]) AND dead_at IS NOT NULL`;
    return {};
  });
  const [left] = await sql<{ dead: number; kinds: string }[]>`
    SELECT count(*)::int AS dead, string_agg(DISTINCT kind, ' ') AS kinds FROM outbox WHERE dead_at IS NOT NULL`;
  if (left!.dead > 0) log.warn({ ...left }, 'given-up messages wait for an operator');
  return tally(...counts, { dead: left!.dead });
}

/** How often Postgres remembers to have been reconciled; 0 at first, and after its restoring from before. */
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
