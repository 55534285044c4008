import { LRUCache } from 'lru-cache';
import { enqueueOrderNotifications, prepareOrderNotifications } from '../../notifications/enqueue';
import { isKnownFromStatuses } from '../../notifications/order-view';
import { cleanText, cleanValue } from '../../platform/domain/foreign-text';
import type { Logger } from '../../platform/logging/logging';
import {
  type Fragment,
  inTransaction,
  json,
  onCommit,
  type PostgresError,
  type Queryable,
  refusesContent,
  type Sql,
  type Transaction,
} from '../../platform/postgres';
import { settleReservations } from '../../procurement/reservations';
import { followPartnerTracking } from '../../shipping/tracking/partner-tracking';
import { removeEndedUnits } from '../dispatch/parcel-contents';
import type { RunEffect, RunEvent } from '../domain/lifecycle/run-events';
import { ENDED_ORDERS } from '../domain/lifecycle/statuses';
import { historyLengthOf, LONGEST_HISTORY, positionsIn } from '../domain/run/run-position';
import {
  keyOf,
  type RecordKey,
  type RecordOutcome,
  type ReservedStep,
  type RunRecord,
  recordOfResult,
} from '../domain/run/run-record';
import { rowsOf } from '../domain/run/run-rows';
import { acceptFiles } from '../preparation/file-checks';
import { endReplacements } from '../print-orders/file-replacements';
import { refundItems } from '../receipts/receipts';
import type { RecordedChange, RunObserver } from './run-metrics';
import { keepSnapshot, storedRun } from './snapshots';

/** Clients with an endpoint. The statement for records of others is not tried for them again for a minute. */
const notifiedClients = new LRUCache<string, true>({ max: 10_000, ttl: 60_000 });

/**
 * What a record changed.
 * @property replacesSteps the rows may have been those of a step after the record that it follows
 * @property replacesRun another run wrote the rows, or this run did so before a restore of Temporal
 * @property hasReservations stock is reserved for jobs that the record settles
 */
type WrittenChange = RecordedChange & {
  readonly replacesSteps: boolean;
  readonly replacesRun: boolean;
  readonly hasReservations: boolean;
};

/**
 * Writes the records of order runs: statuses, event log, stock, refunds, notifications and the run's snapshot, in one
 * transaction. `src/orders/domain/run/run-record.ts` explains who makes a record.
 *
 * A repeated record changes nothing. When Temporal loses a workflow task, the step runs again at a later position, possibly with
 * more events. Its record replaces what the lost attempt wrote: the log entries are deleted, and stock movements and refunds are
 * recognized by their print jobs. A run that was reset, or that a restore of Temporal has set back, replaces the later steps in
 * the same way.
 */
export interface RecordWriter {
  /**
   * Writes a record: in the given transaction, or in one of its own.
   * @returns `skipped` for a record that is not later than the rows. The attempts of a lost workflow task and the last steps of a
   *   run that was reset get this result too late to matter. A workflow that runs gets it when a lost attempt of its task went on
   *   longer: it records again in the next task. When it gets it there too, Temporal has lost data or its clock went back: it
   *   records with `overrides` and raises `out_of_step`. `refused` when Postgres refuses the record for its
   *   content: what it accepts of the record is written, so that no record stops a run
   * @throws PostgresError in a given transaction, also for content that Postgres refuses
   */
  write(queryable: Sql | Transaction, record: RunRecord): Promise<RecordOutcome>;
  /**
   * Writes the record of the event with which an activity ends. A repeated call writes it once.
   * @returns the key of the record. Undefined: the order run has to write a record, see `recordOfResult`
   */
  writeResult(queryable: Sql | Transaction, reserved: ReservedStep, event: RunEvent): Promise<RecordKey | undefined>;
}

/** @param observe measures what a record changed */
export function createRecordWriter(observe: RunObserver, log: Logger): RecordWriter {
  async function writeOnce(queryable: Sql | Transaction, record: RunRecord): Promise<RecordOutcome> {
    const change =
      (changesStatusesOnly(record) ? await writeAtOnce(queryable, record) : null) ??
      (await ('begin' in queryable
        ? inTransaction(queryable, (tx) => writeRecord(tx, record))
        : writeRecord(queryable, record)));
    if (typeof change === 'string') return change;
    onCommit(queryable, () => observe(change));
    return 'recorded';
  }
  async function write(queryable: Sql | Transaction, record: RunRecord): Promise<RecordOutcome> {
    if (!('begin' in queryable)) return await writeOnce(queryable, record);
    let refusal: PostgresError | undefined;
    for (const attempt of attemptsOf(record)) {
      try {
        const outcome = await writeOnce(queryable, attempt);
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
  }
  return {
    write,
    async writeResult(queryable, reserved, event) {
      const stored = await storedRun(queryable, reserved.orderId);
      if (stored === undefined) return undefined;
      const key = keyOf(reserved);
      if (isSameKey(stored, key)) return key;
      if (!isSameKey(stored, reserved.follows) || stored.snapshot === null) return undefined;
      const record = recordOfResult(reserved, stored.snapshot, event, Date.now());
      if (record === null) return undefined;
      const outcome = await write(queryable, record);
      return outcome === 'skipped' || outcome === 'refused' ? undefined : key;
    },
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

/** Returns true for a record that changes statuses and the log, and no stock as long as none is reserved for its jobs. */
function changesStatusesOnly(record: RunRecord): boolean {
  const { effects, snapshot, refusal } = record;
  return (
    refusal === null &&
    withEndedUnits(record).length === 0 &&
    effects.every(({ type }) => type === 'log' || SETTLES_STOCK.has(type)) &&
    isKnownFromStatuses(
      rowsOf(snapshot.state),
      effects.flatMap((effect) => (effect.type === 'log' ? [effect.event] : [])),
    )
  );
}

/**
 * Writes a record by one statement. Outside of a transaction it is one of its own, instead of five round trips. Nearly all records are
 * written so. The notifications are made before it: it writes nothing when the order's row has changed since they were made.
 * @returns null when nothing was written, and the record needs a transaction
 */
async function writeAtOnce(sql: Sql | Transaction, record: RunRecord): Promise<WrittenChange | null> {
  const { orderId, clientId, snapshot } = record;
  if (!notifiedClients.has(clientId)) {
    const isCurrent = sql`NOT EXISTS (
      SELECT 1 FROM webhook_endpoints e WHERE e.client_id = orders.client_id AND e.enabled)`;
    const change = await writeStatuses(sql, record, { which: 'alone', isCurrent, notifications: sql`` });
    if (change !== null) return change;
  }
  const changed = sql`SELECT id FROM changed_order`;
  const prepared = await prepareOrderNotifications(sql, orderId, rowsOf(snapshot.state), changed);
  if (prepared === undefined) return null;
  notifiedClients.set(clientId, true);
  const { isCurrent, parts: notifications } = prepared;
  const change = await writeStatuses(sql, record, { which: 'alone', isCurrent, notifications });
  if (change !== null) prepared.stored();
  return change;
}

async function writeRecord(tx: Transaction, record: RunRecord): Promise<WrittenChange | 'repeated' | 'skipped'> {
  const change =
    (await writeStatuses(tx, record, { which: 'following' })) ?? (await writeStatuses(tx, record, { which: 'all' }));
  if (change === null) return (await isRecorded(tx, record)) ? 'repeated' : 'skipped';
  if (change.replacesRun) await reopenPostbacks(tx, record);
  const pick = <T extends RunEffect['type']>(type: T) =>
    record.effects.filter((effect): effect is Extract<RunEffect, { type: T }> => effect.type === type);
  // One call, because stock rows must be locked in one order, once in a transaction.
  if (change.hasReservations) await settleReservations(tx, settledJobs(record));
  for (const { jobIds, ...refund } of pick('refund')) {
    await refundItems(tx, { orderId: record.orderId, step: `refund:${jobIds.join('+')}`, ...refund });
  }
  for (const { printOrderId, jobId, trackingCode, trackingLink } of pick('tracking_code')) {
    // A partner can repeat the tracking number of our label. That is not its own code.
    if (jobId !== null) {
      await tx`
          UPDATE print_jobs SET tracking_code = coalesce(${trackingCode}, tracking_code),
            tracking_link = coalesce(${trackingLink}, tracking_link)
          WHERE id = ${jobId} AND print_order_id = ${printOrderId} AND NOT EXISTS (
            SELECT FROM shipment_packages k JOIN shipments h ON h.id = k.shipment_id
            WHERE h.print_order_id = ${printOrderId} AND k.tracking_number = ${trackingCode})`;
    }
    await tx`
        UPDATE planned_shipments SET tracking_code = coalesce(${trackingCode}, tracking_code),
          tracking_link = coalesce(${trackingLink}, tracking_link)
        WHERE print_order_id = ${printOrderId}`;
    if (trackingCode !== null) await followPartnerTracking(tx, { printOrderId, trackingCode, trackingLink });
  }
  for (const ended of pick('end_replacements')) await endReplacements(tx, ended);
  if (pick('accept_files').length > 0) await acceptFiles(tx, record.orderId);
  const ended = withEndedUnits(record);
  if (ended.length > 0) await removeEndedUnits(tx, ended);
  await enqueueOrderNotifications(tx, { orderId: record.orderId });
  return change;
}

/** Returns the jobs whose reservations a record settles. */
function settledJobs({ effects }: RunRecord) {
  return {
    printed: effects.flatMap((effect) => (effect.type === 'consume_stock' ? effect.jobs : [])),
    cancelled: effects.flatMap((effect) => (effect.type === 'release_stock' ? effect.jobIds : [])),
    reduced: effects.flatMap((effect) => (effect.type === 'reduce_stock' ? effect.jobs : [])),
  };
}

/** Effects that `settledJobs` reads. */
const SETTLES_STOCK: ReadonlySet<RunEffect['type']> = new Set(['consume_stock', 'release_stock', 'reduce_stock']);

/** Log entries of steps that take units from print orders which go on. */
const TAKES_UNITS = ['reroute', 'reproduce', 'units_cancelled'];

/** Returns the print orders of which units have ended or, in this record, were taken away. */
function withEndedUnits({ snapshot, effects }: RunRecord): string[] {
  const takesUnits = effects.some((effect) => effect.type === 'log' && TAKES_UNITS.includes(effect.event));
  return snapshot.state.printOrders
    .filter(({ jobs }) => takesUnits || jobs.some((job) => job.ended !== null || job.cancelledQuantity > 0))
    .map(({ id }) => id);
}

const isSameKey = (a: RecordKey, b: RecordKey): boolean => a.position === b.position && a.version === b.version;

/** Returns true when an earlier attempt wrote this record, or when the order has been deleted. */
async function isRecorded(tx: Queryable, { orderId, runId, position, version }: RunRecord): Promise<boolean> {
  const [row] = await tx<{ isSame: boolean }[]>`
    SELECT run_position = ${position} AND run_version = ${version}
      AND (run_id IS NULL OR run_id = ${runId}) AS is_same
    FROM orders WHERE id = ${orderId}`;
  return row?.isSame ?? true;
}

/**
 * Marks the postbacks as not handled that steps after `follows` handled. A run that was reset or restored may not have them.
 * Reconciliation signals them again, and a run ignores those that it has handled.
 */
async function reopenPostbacks(tx: Queryable, { orderId, follows, handledPostbacks }: RunRecord): Promise<void> {
  await tx`
    UPDATE postbacks SET handled_at = NULL, run_position = NULL, run_version = NULL
    WHERE order_id = ${orderId}
      AND print_order_id IN (SELECT id FROM print_orders WHERE order_id = ${orderId}) AND (run_position, run_version) > (${follows.position}::bigint, ${follows.version}::bigint)
      AND id <> ALL(${[...handledPostbacks]}::bigint[])`;
}

/**
 * A record of the same run with a shorter history is later only when Temporal was restored from a backup. A lost attempt of a
 * workflow task cannot be later than the next attempt by this much.
 */
const RESTORED_AFTER_MS = 60_000;

/** Returns the SQL condition that the record is the next step of the run that wrote the rows, or the first one. */
function isNextStep(tx: Queryable, { runId, position, version }: RunRecord) {
  return tx`CASE WHEN run_id IS NULL THEN (run_position, run_version) < (${position}::bigint, ${version}::bigint)
    ELSE run_id = ${runId} AND (run_position % ${LONGEST_HISTORY}, run_version)
      < (${historyLengthOf(position)}::bigint, ${version}::bigint) END`;
}

/**
 * Returns the SQL condition that another run wrote the rows, or this run before a restore of Temporal, and that the record is
 * later. A restored run does not write to an order that has ended since the backup: reconciliation ends the run.
 */
function isOfAnotherRun(tx: Queryable, { runId, position, version, overrides = false }: RunRecord) {
  const hasEnded = tx`(orders.fulfillment_status = ANY(${[...ENDED_ORDERS]}) OR tracking_ended_at IS NOT NULL)`;
  return tx`(CASE WHEN run_id = ${runId}
    THEN (${overrides} OR run_position < ${position}::bigint - ${positionsIn(RESTORED_AFTER_MS)})
      AND NOT (run_version > ${version}::bigint AND ${hasEnded})
    ELSE ${overrides} OR (run_position, run_version) < (${position}::bigint, ${version}::bigint) END)`;
}

/**
 * Which records a statement writes. Nearly all are `following`: the rows are those of the record that it follows. It has no
 * log entries to delete, for which the other statement opens every partition of the log. `alone`: such a record that needs no
 * other statement, because no stock is reserved for its jobs and its notifications are made.
 */
type Written =
  | { readonly which: 'following' | 'all' }
  | {
      readonly which: 'alone';
      /** The condition on the row of the order under which the notifications are true. */
      readonly isCurrent: Fragment;
      /** Parts of the WITH clause that store them, or nothing. */
      readonly notifications: Fragment;
    };

/** Returns the SQL condition for the rows of the order that the statement changes. */
function isWritten(tx: Queryable, record: RunRecord, written: Written) {
  const { runId, follows } = record;
  const next = isNextStep(tx, record);
  if (written.which === 'all') return tx`(${next} OR ${isOfAnotherRun(tx, record)})`;
  const isFollowing = tx`${next} AND coalesce(run_id = ${runId}, true)
    AND (run_position, run_version) = (${follows.position}::bigint, ${follows.version}::bigint)`;
  if (written.which !== 'alone') return isFollowing;
  return tx`${isFollowing} AND NOT ${hasReservations(tx, record)} AND ${written.isCurrent}`;
}

/**
 * Returns the SQL condition that stock is reserved for jobs which the record settles. A job is reserved for in the transaction that
 * creates it, long before its run knows it.
 */
function hasReservations(tx: Queryable, record: RunRecord) {
  const { printed, cancelled, reduced } = settledJobs(record);
  const settled = [...printed, ...reduced].map(({ id }) => id).concat(cancelled);
  return tx`EXISTS (SELECT FROM stock_reservations WHERE print_job_id = ANY(${settled}::bigint[]) AND state = 'reserved')`;
}

/** Writes statuses and log entries. @returns what it changed; null when it wrote nothing */
async function writeStatuses(tx: Queryable, record: RunRecord, written: Written): Promise<WrittenChange | null> {
  const { refusal, position, version, follows, snapshot } = record;
  const rows = rowsOf(snapshot.state);
  const replacesSteps = written.which === 'all';
  const refunds = record.effects.some(({ type }) => type === 'refund');
  const log = record.effects.flatMap((effect) =>
    effect.type !== 'log'
      ? []
      : [
          {
            type: effect.event,
            order_item_id: effect.itemId ?? null,
            print_order_id: effect.printOrderId ?? null,
            data: effect.data ?? {},
          },
        ],
  );
  // The table has many partitions, and most records handle no postback.
  const handled =
    record.handledPostbacks.length === 0
      ? tx``
      : tx`, handled AS (
      UPDATE postbacks SET handled_at = now(), run_position = ${position}, run_version = ${version} FROM changed_order
      WHERE postbacks.id = ANY(${[...record.handledPostbacks]}::bigint[]) AND postbacks.order_id = ${record.orderId}
    )`;
  const overwritten = replacesSteps
    ? tx`, overwritten AS (
      DELETE FROM order_events e USING changed_order
      WHERE e.order_id = changed_order.id AND e.order_id = ${record.orderId}
        AND (e.run_position, e.run_version) > (${follows.position}::bigint, ${follows.version}::bigint)
      RETURNING e.order_item_id, e.print_order_id, e.type, e.data, e.at
    )`
    : tx``;
  // An entry that is written again keeps its time.
  const writtenAt = replacesSteps
    ? tx`coalesce((SELECT min(o.at) FROM overwritten o
          WHERE o.type = e.type AND o.data = e.data AND o.order_item_id IS NOT DISTINCT FROM e.order_item_id
            AND o.print_order_id IS NOT DISTINCT FROM e.print_order_id), now())`
    : tx`now()`;
  const [change] = await tx<WrittenChange[]>`
    WITH before AS (
      SELECT id, fulfillment_status, NOT coalesce(${isNextStep(tx, record)}, false) AS replaces_run FROM orders WHERE id = ${record.orderId}
    ), changed_order AS (
      UPDATE orders SET fulfillment_status = ${rows.fulfillmentStatus},
        -- A record repeats the workflow's status. It applies when it has changed, or with a refund.
        financial_status = CASE WHEN ${refunds} OR ${record.financialStatus}::text <> coalesce(run_financial_status, financial_status)
          THEN coalesce(${record.financialStatus}, financial_status) ELSE financial_status END,
        run_financial_status = coalesce(${record.financialStatus}, run_financial_status),
        attention = ${rows.attention.length > 0 ? [...rows.attention] : null},
        tracking_ended_at = CASE WHEN ${hasTrackingEnded(record)} THEN now() ELSE tracking_ended_at END,
        refusal_reason = ${refusal?.reason ?? null}, refusal_reason_code = ${refusal?.code ?? null},
        refusal_reason_details = ${refusal?.details ? json(tx, refusal.details) : null},
        run_id = ${record.runId}, run_position = ${position}, run_version = ${version}, updated_at = now()
      FROM before
      WHERE orders.id = before.id AND ${isWritten(tx, record, written)}
      RETURNING orders.id, orders.ordered_at, before.replaces_run, before.fulfillment_status AS before
    ), changed_items AS (
      UPDATE order_items SET fulfillment_status = i.status
      FROM jsonb_to_recordset(${json(tx, rows.items)}) AS i (id bigint, status text), changed_order
      WHERE order_items.id = i.id AND order_items.order_id = changed_order.id
        AND order_items.fulfillment_status <> i.status
    ), changed_jobs AS (
      UPDATE print_jobs SET status = j.status, quantity = j.quantity, cancelled_quantity = j.cancelled_quantity
      FROM jsonb_to_recordset(${json(tx, rows.jobs)}) AS j (id bigint, status text, quantity int, cancelled_quantity int), changed_order
      -- The ids once more: without them, a plan that was made while the table was small reads all of its rows.
      WHERE print_jobs.id = j.id AND print_jobs.id = ANY(${rows.jobs.map(({ id }) => id)}::bigint[]) AND (print_jobs.status, print_jobs.quantity, print_jobs.cancelled_quantity)
        <> (j.status, j.quantity, j.cancelled_quantity)
    ), changed_print_orders AS (
      UPDATE print_orders SET status = p.status
      FROM jsonb_to_recordset(${json(tx, rows.printOrders)}) AS p (id bigint, status text), changed_order
      WHERE print_orders.id = p.id AND print_orders.order_id = changed_order.id AND print_orders.status <> p.status
    )${overwritten}, logged AS (
      INSERT INTO order_events (order_id, order_item_id, print_order_id, type, data, run_position, run_version, at)
      SELECT changed_order.id, e.order_item_id, e.print_order_id, e.type, e.data, ${position}, ${version}, ${writtenAt}
      FROM changed_order, jsonb_to_recordset(${json(tx, log)}) AS e (
        type text, order_item_id bigint, print_order_id bigint, data jsonb)
    ), kept AS (
      ${keepSnapshot(tx, tx`SELECT id FROM changed_order`, hasEnded(record) ? null : snapshot)}
    )${handled}${written.which === 'alone' ? written.notifications : tx``}
    SELECT before, ${rows.fulfillmentStatus}::text AS after, replaces_run, ${replacesSteps}::boolean AS replaces_steps,
      ${written.which === 'alone' ? tx`false` : hasReservations(tx, record)} AS has_reservations,
      greatest(0, extract(epoch FROM now() - ordered_at))::float8 AS age_seconds
    FROM changed_order`;
  return change ?? null;
}

const hasEnded = (record: RunRecord): boolean => record.snapshot.state.phase === 'closed' || hasTrackingEnded(record);

/** Returns true for the record with which a run ends because no carrier follows its parcels. */
function hasTrackingEnded({ effects }: RunRecord): boolean {
  return effects.some((effect) => effect.type === 'log' && effect.event === 'untracked_order_ended');
}
