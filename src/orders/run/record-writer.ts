import { enqueueOrderNotifications } from '../../notifications/enqueue';
import { cleanText, cleanValue } from '../../platform/domain/foreign-text';
import type { Logger } from '../../platform/logging/logging';
import {
  inTransaction,
  json,
  onCommit,
  type PostgresError,
  refusesContent,
  type Sql,
  type Transaction,
} from '../../platform/postgres';
import { ENDED_ORDERS, type OrderStatus } from '../domain/lifecycle/statuses';
import { placeOf, type RecordOutcome, type RunRecord, rowsOf, type StoredRecord } from '../domain/run/run-record';
import type { RunObserver } from './run-metrics';
import { keepSnapshot } from './snapshots';

/**
 * Writes the records of order runs: statuses, event log, stock, refunds, notifications and the run's snapshot, in one transaction.
 *
 * A repeated record changes nothing. When Temporal loses a workflow task, the step runs again, possibly with more events. Its
 * record replaces what the lost attempt wrote: the log entries are deleted, stock movements and refunds are recognized by their
 * print jobs, and those that the step does not repeat are taken back. A run that was reset, or that a restore of Temporal has set back,
 * replaces the later steps in the same way.
 *
 * `skipped` is the result of a record that is not later than the rows. The attempts of a lost workflow task and the last steps of a
 * run that was reset get it too late to matter. A workflow that runs gets it when a lost attempt of its task went on longer, or
 * when Temporal has lost data: it sends the record again from the next task, with `overrides`. `refused` is the result when
 * Postgres refuses the record for its content: what it accepts of the record is written, so that no record stops a run.
 */
export type RecordWriter = (sql: Sql, record: RunRecord) => Promise<RecordOutcome>;

/**
 * Writes the effects of a record that are not log entries, in the transaction of the record.
 * @param replaces true when the record takes the place of later ones
 */
export type EffectWriter = (tx: Transaction, record: RunRecord, replaces: boolean) => Promise<void>;

export function createRecordWriter(writeEffects: EffectWriter, observe: RunObserver, log: Logger): RecordWriter {
  return async (sql, record) => {
    let refusal: PostgresError | undefined;
    for (const attempt of attemptsOf(record)) {
      try {
        const outcome = await inTransaction(sql, (tx) => writeRecord(tx, attempt, writeEffects, observe));
        if (refusal === undefined || attempt === record || outcome === 'skipped') return outcome;
        break;
      } catch (error) {
        if (!refusesContent(error)) throw error;
        refusal = error;
      }
    }
    // When Postgres has refused every attempt: the next record has all statuses again.
    const { orderId, runId, position, version } = record;
    const step = { orderId, runId, position, version };
    log.error({ ...step, err: refusal }, 'record of an order run refused: written without data');
    return 'refused';
  };
}

/**
 * Returns what is tried in turn when Postgres refuses a record: the record, once more because another transaction may have caused it,
 * the record without the data of its log, and its statuses.
 */
function attemptsOf(record: RunRecord): RunRecord[] {
  const { effects, refusal, snapshot } = record;
  const bare = {
    ...record,
    snapshot: cleanValue(snapshot, Number.MAX_SAFE_INTEGER),
    refusal: refusal && { code: refusal.code, reason: cleanText(refusal.reason), details: null },
  };
  const withoutData = effects.map((effect) => (effect.type === 'log' ? { ...effect, data: {} } : effect));
  return [record, record, { ...bare, effects: withoutData }, { ...bare, effects: [] }];
}

async function writeRecord(
  tx: Transaction,
  record: RunRecord,
  writeEffects: EffectWriter,
  observe: RunObserver,
): Promise<RecordOutcome> {
  const stored = await lockOrder(tx, record.orderId);
  // The order has been deleted.
  if (stored === undefined) return 'repeated';
  const place = placeOf(record, stored);
  if (place === 'repeated' || place === 'skipped') return place;
  const former = place === 'next' ? [] : await removeLaterSteps(tx, record);
  await writeRows(tx, record, former);
  await writeEffects(tx, record, place !== 'next');
  await enqueueOrderNotifications(tx, { orderId: record.orderId });
  const { before, ageSeconds } = stored;
  const { fulfillmentStatus: after } = rowsOf(record.snapshot.state);
  onCommit(tx, () => observe({ before, after, ageSeconds }));
  return place === 'overrides' ? 'overridden' : 'recorded';
}

interface LockedOrder extends StoredRecord {
  readonly before: OrderStatus;
  readonly ageSeconds: number;
}

/** Locks the row of an order. Returns its last record. */
async function lockOrder(tx: Transaction, orderId: string): Promise<LockedOrder | undefined> {
  const [row] = await tx<(Omit<LockedOrder, 'position' | 'version'> & { position: string; version: string })[]>`
    SELECT run_id, run_position AS position, run_version AS version, fulfillment_status AS before,
      fulfillment_status = ANY(${[...ENDED_ORDERS]}) OR tracking_ended_at IS NOT NULL AS has_ended,
      greatest(0, extract(epoch FROM now() - ordered_at))::float8 AS age_seconds
    FROM orders WHERE id = ${orderId} FOR NO KEY UPDATE`;
  return row && { ...row, position: Number(row.position), version: Number(row.version) };
}

interface FormerEntry {
  readonly type: string;
  readonly order_item_id: string | null;
  readonly print_order_id: string | null;
  readonly data: unknown;
  readonly at: string;
}

/**
 * Removes what steps after `follows` wrote: deletes their log entries, and marks the postbacks that they handled as not handled.
 * Reconciliation signals these again, and a run ignores those that it has handled.
 * @returns the deleted entries
 */
async function removeLaterSteps(
  tx: Transaction,
  { orderId, follows, handledPostbacks }: RunRecord,
): Promise<readonly FormerEntry[]> {
  const isLater = tx`(run_position, run_version) > (${follows.position}::bigint, ${follows.version}::bigint)`;
  await tx`
    UPDATE postbacks SET handled_at = NULL, run_position = NULL, run_version = NULL
    WHERE order_id = ${orderId} AND print_order_id IN (SELECT id FROM print_orders WHERE order_id = ${orderId})
      AND ${isLater} AND id <> ALL(${[...handledPostbacks]}::bigint[])`;
  const [removed] = await tx<{ entries: readonly FormerEntry[] }[]>`
    WITH removed AS (
      DELETE FROM order_events WHERE order_id = ${orderId} AND ${isLater}
      RETURNING type, order_item_id, print_order_id, data, at
    ) SELECT coalesce(jsonb_agg(to_jsonb(removed)), '[]') AS entries FROM removed`;
  return removed!.entries;
}

/** Writes statuses, log entries and the snapshot. @param former deleted entries: one that is written again keeps its time */
async function writeRows(tx: Transaction, record: RunRecord, former: readonly FormerEntry[]): Promise<void> {
  const { orderId, refusal, position, version, snapshot, effects, handledPostbacks } = record;
  const rows = rowsOf(snapshot.state);
  const refunds = effects.some(({ type }) => type === 'refund');
  const entries = effects.flatMap((effect) => (effect.type === 'log' ? [effect] : []));
  const hasTrackingEnded = entries.some(({ event }) => event === 'untracked_order_ended');
  const hasEnded = snapshot.state.phase === 'closed' || hasTrackingEnded;
  const log = entries.map(({ event, itemId, printOrderId, data }) => ({
    type: event,
    order_item_id: itemId ?? null,
    print_order_id: printOrderId ?? null,
    data: data ?? {},
  }));
  // The table has many partitions, and most records handle no postback.
  const handled =
    handledPostbacks.length === 0
      ? tx``
      : tx`, handled AS (
      UPDATE postbacks SET handled_at = now(), run_position = ${position}, run_version = ${version}
      WHERE id = ANY(${[...handledPostbacks]}::bigint[]) AND order_id = ${orderId}
    )`;
  await tx`
    WITH changed_items AS (
      UPDATE order_items SET fulfillment_status = i.status
      FROM jsonb_to_recordset(${json(tx, rows.items)}) AS i (id bigint, status text)
      WHERE order_items.id = i.id AND order_items.order_id = ${orderId} AND order_items.fulfillment_status <> i.status
    ), changed_jobs AS (
      UPDATE print_jobs SET status = j.status, quantity = j.quantity, cancelled_quantity = j.cancelled_quantity
      FROM jsonb_to_recordset(${json(tx, rows.jobs)}) AS j (id bigint, status text, quantity int, cancelled_quantity int)
      -- The ids once more: without them, a plan that was made while the table was small reads all of its rows.
      WHERE print_jobs.id = j.id AND print_jobs.id = ANY(${rows.jobs.map(({ id }) => id)}::bigint[])
        AND (print_jobs.status, print_jobs.quantity, print_jobs.cancelled_quantity)
          <> (j.status, j.quantity, j.cancelled_quantity)
    ), changed_print_orders AS (
      UPDATE print_orders SET status = p.status
      FROM jsonb_to_recordset(${json(tx, rows.printOrders)}) AS p (id bigint, status text)
      WHERE print_orders.id = p.id AND print_orders.order_id = ${orderId} AND print_orders.status <> p.status
    ), logged AS (
      INSERT INTO order_events (order_id, order_item_id, print_order_id, type, data, run_position, run_version, at)
      SELECT ${orderId}, e.order_item_id, e.print_order_id, e.type, e.data, ${position}, ${version}, coalesce(f.at, now())
      FROM jsonb_to_recordset(${json(tx, log)}) AS e (type text, order_item_id bigint, print_order_id bigint, data jsonb)
      LEFT JOIN LATERAL (
        SELECT min(f.at) AS at FROM jsonb_to_recordset(${json(tx, former)}) AS f (
          type text, order_item_id bigint, print_order_id bigint, data jsonb, at timestamptz)
        WHERE f.type = e.type AND f.data = e.data AND f.order_item_id IS NOT DISTINCT FROM e.order_item_id
          AND f.print_order_id IS NOT DISTINCT FROM e.print_order_id
      ) f ON true
    ), kept AS (
      ${keepSnapshot(tx, orderId, hasEnded ? null : snapshot)}
    )${handled}
    UPDATE orders SET fulfillment_status = ${rows.fulfillmentStatus},
      -- A record repeats the workflow's status. It applies when it has changed, or with a refund.
      financial_status = CASE WHEN ${refunds} OR ${record.financialStatus}::text <> coalesce(run_financial_status, financial_status)
        THEN coalesce(${record.financialStatus}, financial_status) ELSE financial_status END,
      run_financial_status = coalesce(${record.financialStatus}, run_financial_status),
      attention = ${rows.attention.length > 0 ? [...rows.attention] : null},
      tracking_ended_at = CASE WHEN ${hasTrackingEnded} THEN now() ELSE tracking_ended_at END,
      refusal_reason = ${refusal?.reason ?? null}, refusal_reason_code = ${refusal?.code ?? null},
      refusal_reason_details = ${refusal?.details ? json(tx, refusal.details) : null},
      run_id = ${record.runId}, run_position = ${position}, run_version = ${version}, updated_at = now()
    WHERE id = ${orderId}`;
}
