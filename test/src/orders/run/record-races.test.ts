import pino from 'pino';
import { reduce } from '../../../../src/orders/domain/lifecycle/reduce';
import type { RunEvent } from '../../../../src/orders/domain/lifecycle/run-events';
import { runPosition } from '../../../../src/orders/domain/run/run-position';
import {
  initialSnapshot,
  isBackgroundStep,
  keyOf,
  type LedgerState,
  type RecordKey,
  type ReservedStep,
  RunLedger,
  type RunSnapshot,
  type RunStep,
} from '../../../../src/orders/domain/run/run-record';
import { createRecordWriter } from '../../../../src/orders/run/record-writer';
import { storedRun } from '../../../../src/orders/run/snapshots';
import { withholdStep } from '../../../../src/orders/run/withheld-steps';
import { uuidv7 } from '../../../../src/platform/ids';
import { json, type Sql } from '../../../../src/platform/postgres';
import { testAccount } from '../../../support/api-deps';
import { testDatabase } from '../../../support/database';

/**
 * Races between an activity that records its own result and the order run that records the other steps. Whatever happens, the
 * rows end with the state of the run, and every log entry is there once.
 */

let sql: Sql;
let clientId: string;
beforeAll(async () => {
  ({ sql } = await testDatabase());
  ({ id: clientId } = await testAccount(sql, 'client'));
});

const records = createRecordWriter(() => undefined, pino({ level: 'silent' }));

/** The main loop of an order run, without Temporal. */
class Run {
  readonly ledger: RunLedger;

  constructor(
    readonly orderId: string,
    readonly runId: string,
    public snapshot: RunSnapshot,
    /** The position of the current workflow task. */
    public position: number,
    ledger?: LedgerState,
  ) {
    this.ledger = new RunLedger({ orderId, clientId }, ledger);
  }

  get task() {
    return { runId: this.runId, position: this.position };
  }

  apply(event: RunEvent): RunStep {
    const before = this.snapshot.state;
    const { state, effects } = reduce(before, event);
    const pending = [...this.snapshot.pending, ...effects.filter(isBackgroundStep)];
    this.snapshot = { ...this.snapshot, state, pending };
    return { before, after: this.snapshot, effects, handledPostbacks: [], refusal: null };
  }

  /** Applies an event and records it in the next workflow task. */
  async record(event: RunEvent) {
    this.position += 100;
    return await records.write(sql, this.ledger.record(this.task, this.apply(event)));
  }

  /** Leaves the next step to an activity. */
  reserve(): ReservedStep {
    const { state } = this.snapshot;
    const reserved = this.ledger.reserve(this.task, state.version);
    this.snapshot = { ...this.snapshot, state: { ...state, version: keyOf(reserved).version } };
    return reserved;
  }

  /** Takes the result of the activity: confirms its record when nothing has changed, and records the event otherwise. */
  async take(event: RunEvent, written: RecordKey | undefined) {
    if (written?.version !== this.snapshot.state.version) return await this.record(event);
    this.ledger.confirm(written, this.apply(event));
    return 'confirmed';
  }

  /** A run that begins at this point of the current one: an operator has reset the workflow. */
  reset(runId: string): Run {
    return new Run(this.orderId, runId, this.snapshot, this.position + 50, this.ledger.state);
  }
}

/** Position of the first workflow task of a run. */
const FIRST_TASK = runPosition(Date.UTC(2026, 0, 1), 3);

async function newRun(): Promise<{ id: string; run: Run }> {
  const id = uuidv7();
  const address = { firstName: 'A', lastName: 'B', addressLine1: 'C', city: 'D', country: 'DE', email: 'e' };
  await sql`
    INSERT INTO orders (id, client_id, order_reference_id, order_type, fulfillment_status, financial_status, currency,
      shipping_address)
    VALUES (${id}, ${clientId}, ${id}, 'order', 'created', 'pending', 'EUR', ${json(sql, address)})`;
  const [item] = await sql<{ id: string }[]>`
    INSERT INTO order_items (order_id, position, item_reference_id, quantity, fulfillment_status)
    VALUES (${id}, 0, 'item-1', 2, 'created') RETURNING id`;
  return { id, run: new Run(id, 'first', initialSnapshot([{ id: item!.id, quantity: 2 }]), FIRST_TASK) };
}

const FETCHING: RunEvent = { type: 'fetching_files' };
const CHANGED: RunEvent = { type: 'shipping_changed', revision: 1 };
const CHANGED_AGAIN: RunEvent = { type: 'shipping_changed', revision: 2 };

const result = (reserved: ReservedStep, event = FETCHING) => records.writeResult(sql, reserved, event);

/** Takes a step back from its activity. */
const withhold = ({ orderId }: Run, step: ReservedStep) =>
  withholdStep(sql, { orderId, key: keyOf(step), follows: [step.follows] });

interface Race {
  readonly play: (run: Run) => Promise<Run>;
  /** Log entries at the end. */
  readonly log: readonly string[];
}

const RACES: Readonly<Record<string, Race>> = {
  'the run has not changed: the record of the activity counts': {
    log: ['uploading', 'change 1'],
    async play(run) {
      expect(await run.take(FETCHING, await result(run.reserve()))).toBe('confirmed');
      expect(await run.record(CHANGED)).toBe('recorded');
      return run;
    },
  },
  'the activity is repeated: it records once': {
    log: ['uploading'],
    async play(run) {
      const reserved = run.reserve();
      const first = await result(reserved);
      expect(await result(reserved)).toEqual(first);
      expect(await run.take(FETCHING, first)).toBe('confirmed');
      return run;
    },
  },
  'the result of the activity is lost: the run replaces its record': {
    log: ['uploading'],
    async play(run) {
      await result(run.reserve());
      expect(await run.take(FETCHING, undefined)).toBe('recorded');
      return run;
    },
  },
  'the run has changed before the activity ends: the run records the result': {
    log: ['change 1', 'uploading'],
    async play(run) {
      const reserved = run.reserve();
      await run.record(CHANGED);
      const written = await result(reserved);
      expect(written).toBeUndefined();
      expect(await run.take(FETCHING, written)).toBe('recorded');
      return run;
    },
  },
  'the run has changed after the activity wrote its record: the run replaces it': {
    log: ['change 1', 'uploading'],
    async play(run) {
      const written = await result(run.reserve());
      await run.record(CHANGED);
      expect(await run.take(FETCHING, written)).toBe('recorded');
      return run;
    },
  },
  'the run takes the step back before the activity writes its record: the run records the result': {
    log: ['uploading'],
    async play(run) {
      const reserved = run.reserve();
      expect(await withhold(run, reserved)).toBe(true);
      expect(await withhold(run, reserved)).toBe(true);
      const written = await result(reserved);
      expect(written).toBeUndefined();
      expect(await run.take(FETCHING, written)).toBe('recorded');
      return run;
    },
  },
  'the run takes the step back after the activity wrote its record: the record counts': {
    log: ['uploading'],
    async play(run) {
      const reserved = run.reserve();
      const written = await result(reserved);
      expect(await withhold(run, reserved)).toBe(false);
      expect(await run.take(FETCHING, written)).toBe('confirmed');
      return run;
    },
  },
  'the run takes the step back and records in the same workflow task: the record counts': {
    log: ['change 1', 'change 2'],
    async play(run) {
      await run.record(CHANGED);
      expect(await withhold(run, run.reserve())).toBe(true);
      run.position -= 100;
      expect(await run.record(CHANGED_AGAIN)).toBe('recorded');
      return run;
    },
  },
  'the run takes the step back, and then has nothing to record: the next record counts': {
    log: ['change 1', 'change 2'],
    async play(run) {
      await run.record(CHANGED);
      expect(await withhold(run, run.reserve())).toBe(true);
      expect(await run.record(CHANGED_AGAIN)).toBe('recorded');
      return run;
    },
  },
  'the workflow task that reserved the step is lost, and its next attempt has more events: the activity writes nothing':
    {
      log: ['change 1', 'change 2'],
      async play(run) {
        const again = new Run(run.orderId, run.runId, run.snapshot, run.position + 10);
        const reserved = run.reserve();
        await again.record(CHANGED);
        expect(await result(reserved)).toBeUndefined();
        expect(await again.record(CHANGED_AGAIN)).toBe('recorded');
        return again;
      },
    },
  'the run was reset to an earlier point: the new run replaces the record of the activity': {
    log: ['change 1', 'change 2'],
    async play(run) {
      await run.record(CHANGED);
      const reset = run.reset('second');
      await result(run.reserve());
      expect(await reset.record(CHANGED_AGAIN)).toBe('recorded');
      return reset;
    },
  },
  'the run was reset, and the activity of the former run ends late: it writes nothing': {
    log: ['change 1', 'change 2'],
    async play(run) {
      await run.record(CHANGED);
      const reserved = run.reserve();
      const reset = run.reset('second');
      await reset.record(CHANGED_AGAIN);
      expect(await result(reserved)).toBeUndefined();
      return reset;
    },
  },
};

test.each(Object.entries(RACES))('%s', async (_what, { play, log }) => {
  const { id, run } = await newRun();
  const last = await play(run);
  const written = await sql<{ entry: string }[]>`
    SELECT coalesce(data ->> 'status', 'change ' || (data ->> 'revision')) AS entry FROM order_events
    WHERE order_id = ${id} ORDER BY id`;
  expect(written.map(({ entry }) => entry)).toEqual(log);
  const stored = (await storedRun(sql, id))!;
  const { version: _stored, ...state } = stored.snapshot!.state;
  const { version: _last, ...expected } = last.snapshot.state;
  expect(state).toEqual(expected);
});
