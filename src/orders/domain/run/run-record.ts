import { takeEarly } from '../lifecycle/early-events';
import { deriveFinancialStatus } from '../lifecycle/facts/items';
import { reduce } from '../lifecycle/reduce';
import { clockAfter } from '../lifecycle/rules/deadlines';
import type { OrderRefusal, RunEffect, RunEvent } from '../lifecycle/run-events';
import { initialRunState, type RunClock, type RunState } from '../lifecycle/run-state';
import type { FinancialStatus } from '../lifecycle/statuses';

/**
 * Records: what an order run writes to Postgres, one record for each step of its main loop.
 *
 * The run writes most records itself. It leaves a step to an activity when the activity ends with the only event of the step:
 * the activity then writes its result and the record in one transaction, or at least without another workflow task. The run
 * reserves the version of such a step (`RunLedger.reserve`). The activity reads the snapshot that the record before has stored,
 * applies its event with `reduce`, and returns the key of its record. Three things can happen:
 *
 * - The run has not changed meanwhile. It confirms the record (`RunLedger.confirm`) and writes none.
 * - The run has changed. It writes a record of its own, which replaces that of the activity.
 * - The activity finds other rows than the reserved step follows, or its result is lost. The run writes the record.
 *
 * The writer (`src/orders/run/record-writer.ts`) decides between records of one order by their keys and runs. All statuses are in
 * each record, and a record replaces everything that was written after the record that it follows. So no record is missed when
 * one is lost, and none counts twice.
 */

/** Orders the records of a run: by the position of its workflow task (`runPosition`), then by the version of its state. */
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

/** The parts of a record that do not depend on its events. */
interface RecordHead {
  readonly orderId: string;
  readonly clientId: string;
  /** The run id of the workflow. */
  readonly runId: string;
  readonly position: number;
  /** The record before this one. Everything that was written after it is replaced. */
  readonly follows: RecordKey;
  /** Null: as it was when this run started. */
  readonly financialStatus: FinancialStatus | null;
}

/** A step that the run leaves to an activity. */
export interface ReservedStep extends RecordHead {
  /** The version of the state before the step. The record has the next one. */
  readonly version: number;
}

/** One step of the main loop: what the events changed. */
export interface RunStep {
  readonly before: RunState;
  readonly after: RunSnapshot;
  readonly effects: readonly RunEffect[];
  /** Inbox ids of the postbacks that the step has processed. */
  readonly handledPostbacks: readonly string[];
  readonly refusal: RunRecord['refusal'];
}

/**
 * What is written to Postgres after a step, in one transaction. It holds all statuses, not only changes: the record before it
 * may be missing, or may be of an attempt that Temporal lost.
 */
export interface RunRecord extends RecordHead, RecordKey {
  readonly snapshot: RunSnapshot;
  /** True after a record that was skipped twice: the workflow is known to run, and its record applies whatever the rows have. */
  readonly overrides?: boolean;
  readonly effects: readonly RunEffect[];
  /** Inbox ids of the postbacks of this step. */
  readonly handledPostbacks: readonly string[];
  readonly refusal: OrderRefusal | null;
}

/**
 * What became of a record. `repeated`: an earlier attempt of the same step had written it. `skipped`: the rows are those
 * of a later step or of another run. `refused`: Postgres refuses the record for its content. What it accepts of it is written.
 */
export type RecordOutcome = 'recorded' | 'repeated' | 'skipped' | 'refused';

const RECORDED_EFFECTS: ReadonlySet<RunEffect['type']> = new Set([
  'log',
  'consume_stock',
  'release_stock',
  'reduce_stock',
  'refund',
  'tracking_code',
  'accept_files',
  'end_replacements',
]);

/** Returns true for an effect that the workflow carries out as a background step. */
export const isBackgroundStep = ({ type }: RunEffect): boolean => !RECORDED_EFFECTS.has(type);

/** Returns the record of a step. */
export function recordOf(head: RecordHead, step: RunStep): RunRecord {
  const { before, after, effects, handledPostbacks, refusal } = step;
  const statuses = new Map(before.items.map((item) => [item.id, item.status]));
  const changes = after.state.items
    .filter((item) => statuses.get(item.id) !== item.status)
    .map(({ id, status }): RunEffect => ({ type: 'log', event: 'status', itemId: id, data: { status } }));
  return {
    ...head,
    version: after.state.version,
    snapshot: after,
    financialStatus: financialStatusAfter(head, step),
    effects: [...effects.filter((effect) => RECORDED_EFFECTS.has(effect.type)), ...changes],
    handledPostbacks,
    refusal,
  };
}

const financialStatusAfter = (
  { financialStatus }: Pick<RecordHead, 'financialStatus'>,
  { before, after, effects }: RunStep,
): FinancialStatus | null => deriveFinancialStatus(before, after.state, effects) ?? financialStatus;

/**
 * Returns the record of the event with which an activity ends. Null: the run has to write it, because the event changes nothing
 * or lets earlier events apply.
 * @param stored the snapshot of the record that the step follows
 * @param now epoch milliseconds
 */
export function recordOfResult(
  reserved: ReservedStep,
  stored: RunSnapshot,
  event: RunEvent,
  now: number,
): RunRecord | null {
  const before = { ...stored.state, version: reserved.version };
  const { state, effects } = reduce(before, event);
  if (state === before || takeEarly(state).due.length > 0) return null;
  const after: RunSnapshot = {
    state,
    clock: clockAfter(stored.clock, event, state, now),
    pending: [...stored.pending, ...effects.filter(isBackgroundStep)],
  };
  return recordOf(reserved, { before, after, effects, handledPostbacks: [], refusal: null });
}

/** Returns the key of the record of a reserved step. */
export function keyOf({ position, version }: ReservedStep): RecordKey {
  return { position, version: version + 1 };
}

/** The workflow task in which a run makes a record. */
export interface RunTask {
  readonly runId: string;
  readonly position: number;
}

/** What a run that continues a former one has to know about its records. */
export interface LedgerState {
  readonly last: RecordKey;
  readonly financialStatus: FinancialStatus | null;
}

/** The records of one order run: numbers them, and keeps what the next one has to replace or repeat. */
export class RunLedger {
  /** The last record that is known to be written. */
  private last: RecordKey;
  private financialStatus: FinancialStatus | null;
  /** Effects of reserved steps whose events the run has applied, and whose records are not confirmed. */
  private unconfirmed: readonly RunEffect[] = [];

  constructor(
    private readonly order: Pick<RecordHead, 'orderId' | 'clientId'>,
    { last, financialStatus }: LedgerState = {
      last: { position: 0, version: 0 },
      financialStatus: 'pending',
    },
  ) {
    this.last = last;
    this.financialStatus = financialStatus;
  }

  /** Returns the part that a run that continues this one has to know. */
  get state(): LedgerState {
    return { last: this.last, financialStatus: this.financialStatus };
  }

  /** Returns the record of a step that the run writes. */
  record(task: RunTask, step: RunStep): RunRecord {
    const effects = [...this.unconfirmed, ...step.effects];
    this.unconfirmed = [];
    return this.recorded(recordOf(this.head(task), { ...step, effects }));
  }

  /** Returns a skipped record once more, in a later workflow task. */
  again(task: RunTask, record: RunRecord): RunRecord {
    return this.recorded({ ...record, ...task });
  }

  /** Returns a record that was skipped again, with what follows from that. It replaces what another run has written. */
  overriding(task: RunTask, record: RunRecord, { after, effects }: Pick<RunStep, 'after' | 'effects'>): RunRecord {
    const more = effects.filter(({ type }) => RECORDED_EFFECTS.has(type));
    const { version } = after.state;
    return this.again(task, {
      ...record,
      version,
      snapshot: after,
      effects: [...record.effects, ...more],
      overrides: true,
    });
  }

  /**
   * Leaves the next step to an activity. The caller increases the version of its state, so that no other record has this one.
   * @param follows the record that the activity finds: by default the last one
   */
  reserve(task: RunTask, version: number, follows: RecordKey = this.last): ReservedStep {
    return { ...this.head(task), follows, version };
  }

  /** Keeps the effects of a reserved step whose event the run knows in advance, until a record with them is confirmed. */
  anticipate(task: RunTask, step: RunStep): void {
    this.unconfirmed = recordOf(this.head(task), step).effects;
  }

  /** Continues after a step whose record an activity has written. */
  confirm(written: RecordKey, step: RunStep): void {
    this.financialStatus = financialStatusAfter(this.state, step);
    this.last = { position: written.position, version: written.version };
    this.unconfirmed = [];
  }

  private head(task: RunTask): RecordHead {
    return { ...this.order, ...task, follows: this.last, financialStatus: this.financialStatus };
  }

  private recorded(record: RunRecord): RunRecord {
    this.last = { position: record.position, version: record.version };
    this.financialStatus = record.financialStatus;
    return record;
  }
}
