import { deriveFinancialStatus, deriveStatus } from '../lifecycle/facts/items';
import { hasEnded, jobStatus } from '../lifecycle/facts/jobs';
import { endReasons } from '../lifecycle/rules/attention';
import type { OrderRefusal, RunEffect } from '../lifecycle/run-events';
import { initialRunState, type RunClock, type RunState } from '../lifecycle/run-state';
import type { FinancialStatus } from '../lifecycle/statuses';

/**
 * Records: what an order run writes to Postgres, one record for each step of its main loop. Only the run records its steps. A
 * record has all statuses, and names the record that it follows: it replaces what was written after that one. So no change is
 * missed when a record is lost, and none counts twice.
 */

/** More than the 51,200 events that a history can have. */
export const LONGEST_HISTORY = 2 ** 16;
/** Counted from 2025 in hundredths of a second, positions stay exact integers for 43 years. */
const EPOCH = Date.UTC(2025, 0, 1);
const RESOLUTION_MS = 10;

/**
 * Returns the position of a record as one number: the time of its workflow task, then the length of its history.
 *
 * The time makes records of a reset or restored workflow greater than the records before: their workflow tasks are later,
 * but their histories are shorter. The start of a run does not: a reset copies the first events with their times, so that
 * `runStartTime` is that of the original run. (Only a reset to the first workflow task changes it.)
 * @param taskTime time of the workflow task, epoch milliseconds
 * @param historyLength number of events up to the current workflow task
 */
export function runPosition(taskTime: number, historyLength: number): number {
  return Math.floor((taskTime - EPOCH) / RESOLUTION_MS) * LONGEST_HISTORY + historyLength;
}

/** Returns the length of the history at a position. */
export function historyLengthOf(position: number): number {
  return position % LONGEST_HISTORY;
}

/** Returns the difference of positions that are this much time apart. */
export function positionsIn(ms: number): number {
  return Math.floor(ms / RESOLUTION_MS) * LONGEST_HISTORY;
}

/** Orders the records of a run: by the position of its workflow task, then by the version of its state. */
export interface RecordKey {
  readonly position: number;
  readonly version: number;
}

/** What a new run of an order needs to continue a former one. Each record stores it. It has no names and no addresses. */
export interface RunSnapshot {
  readonly state: RunState;
  readonly clock: RunClock;
  /** Background steps that are not known to have ended. Each can be repeated. */
  readonly pending: readonly RunEffect[];
}

/** Returns the snapshot of an order whose run has recorded nothing. */
export function initialSnapshot(items: readonly { id: string; quantity: number }[]): RunSnapshot {
  return {
    state: initialRunState(items),
    clock: { acceptedAt: {}, raised: [], shippedAt: null },
    pending: [],
  };
}

/** What a run that continues a former one has to know about its records. */
export interface LedgerState {
  readonly last: RecordKey;
  /** Null: as it was when the former run started. */
  readonly financialStatus: FinancialStatus | null;
}

/** One step of the main loop: what the events changed. */
export interface RunStep {
  readonly before: RunState;
  readonly after: RunSnapshot;
  readonly effects: readonly RunEffect[];
  /** Inbox ids of the postbacks that the step has processed. */
  readonly handledPostbacks: readonly string[];
  readonly refusal: OrderRefusal | null;
}

/**
 * What is written to Postgres after a step, in one transaction. It holds all statuses, not only changes: the record before it
 * may be missing, or may be of an attempt that Temporal lost.
 */
export interface RunRecord extends RecordKey {
  readonly orderId: string;
  /** The run id of the workflow. */
  readonly runId: string;
  /** The record before this one. Everything that was written after it is replaced. */
  readonly follows: RecordKey;
  /** Null: as it was when this run started. */
  readonly financialStatus: FinancialStatus | null;
  readonly snapshot: RunSnapshot;
  readonly effects: readonly RunEffect[];
  readonly handledPostbacks: readonly string[];
  readonly refusal: OrderRefusal | null;
  /** True after this record was skipped: the workflow is known to run, and its record applies whatever the rows have. */
  readonly overrides?: boolean;
}

/**
 * What became of a record. `repeated`: an earlier attempt of the same step had written it. `skipped`: the rows are those of a
 * later step or of another run. `overridden`: it was written in place of such rows. `refused`: Postgres refuses the record for
 * its content. What it accepts of it is written.
 */
export type RecordOutcome = 'recorded' | 'repeated' | 'skipped' | 'overridden' | 'refused';

const RECORDED_EFFECTS: ReadonlySet<RunEffect['type']> = new Set([
  'log',
  'consume_stock',
  'release_stock',
  'reduce_stock',
  'refund',
  'tracking_code',
  'accept_files',
  'accept_address',
  'move_promise',
  'end_replacements',
]);

/** Returns true for an effect that the workflow carries out as a background step. */
export const isBackgroundStep = ({ type }: RunEffect): boolean => !RECORDED_EFFECTS.has(type);

/** Returns the record of a step. @param ledger the records before it */
export function recordOf(
  task: Pick<RunRecord, 'orderId' | 'runId' | 'position'>,
  ledger: LedgerState,
  { before, after, effects, handledPostbacks, refusal }: RunStep,
): RunRecord {
  const statuses = new Map(before.items.map((item) => [item.id, item.status]));
  const changes = after.state.items
    .filter((item) => statuses.get(item.id) !== item.status)
    .map(({ id, status }): RunEffect => ({ type: 'log', event: 'status', itemId: id, data: { status } }));
  return {
    ...task,
    version: after.state.version,
    follows: ledger.last,
    financialStatus: deriveFinancialStatus(before, after.state, effects) ?? ledger.financialStatus,
    snapshot: after,
    effects: [...effects.filter((effect) => !isBackgroundStep(effect)), ...changes],
    handledPostbacks,
    refusal,
  };
}

/** The statuses that an order's rows in Postgres have, as a run's state defines them. */
export type RunRows = ReturnType<typeof rowsOf>;

/** Returns the statuses of the rows for a state. */
export function rowsOf(state: RunState) {
  const fulfillmentStatus = deriveStatus(state);
  return {
    fulfillmentStatus,
    items: state.items.map(({ id, status }) => ({ id, status })),
    jobs: state.printOrders.flatMap((printOrder) =>
      printOrder.jobs.map((job) => ({
        id: job.id,
        status: jobStatus(job, printOrder) ?? 'superseded',
        quantity: job.quantity,
        cancelled_quantity: job.cancelledQuantity,
      })),
    ),
    printOrders: state.printOrders.map((printOrder) => ({
      id: printOrder.id,
      status: hasEnded(printOrder) ? 'cancelled' : printOrder.delivery,
    })),
    attention: [...state.attention, ...endReasons(fulfillmentStatus)],
  };
}

/** The last record in an order's rows. */
export interface StoredRecord extends RecordKey {
  /** Null before the first record, and after one that no run wrote. */
  readonly runId: string | null;
  /** True when nothing is left to do: the order has a final status, or no carrier follows its parcels. */
  readonly hasEnded: boolean;
}

/**
 * What a record is to the rows of its order. `next`: it follows them. `replaces`: it follows earlier rows. An attempt of a workflow
 * task that Temporal lost wrote these, or a run that was reset, or this run before Temporal was restored from a backup.
 */
export type RecordPlace = 'next' | 'replaces' | 'overrides' | 'repeated' | 'skipped';

/**
 * A record of the same run with a shorter history is later only when Temporal was restored from a backup. A lost attempt of a
 * workflow task cannot be later than the next attempt by this much.
 */
const RESTORED_AFTER_MS = 60_000;

const isSameKey = (a: RecordKey, b: RecordKey): boolean => a.position === b.position && a.version === b.version;

const isLater = (a: RecordKey, b: RecordKey): boolean =>
  a.position > b.position || (a.position === b.position && a.version > b.version);

/** Compares by the length of the history first. A clock that goes back leaves it as it is. */
const isLaterInRun = (a: RecordKey, b: RecordKey): boolean =>
  isLater({ ...a, position: historyLengthOf(a.position) }, { ...b, position: historyLengthOf(b.position) });

/** Returns what a record is to the rows of its order, which decides whether it is written. */
export function placeOf(record: RunRecord, stored: StoredRecord): RecordPlace {
  const isOwn = stored.runId === null || stored.runId === record.runId;
  if (isOwn && isSameKey(record, stored)) return 'repeated';
  if (stored.runId === null ? isLater(record, stored) : isOwn && isLaterInRun(record, stored)) {
    return isSameKey(record.follows, stored) ? 'next' : 'replaces';
  }
  // Reconciliation ends a restored run whose order has ended since the backup.
  if (isOwn && stored.hasEnded && stored.version > record.version) return 'skipped';
  const isRestored = isOwn && record.position > stored.position + positionsIn(RESTORED_AFTER_MS);
  if (isRestored || (!isOwn && isLater(record, stored))) return 'replaces';
  return record.overrides === true ? 'overrides' : 'skipped';
}
