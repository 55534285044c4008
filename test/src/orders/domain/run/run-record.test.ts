import fc from 'fast-check';
import { reduce } from '../../../../../src/orders/domain/lifecycle/reduce';
import {
  initialSnapshot,
  isBackgroundStep,
  placeOf,
  type RecordPlace,
  type RunRecord,
  recordOf,
  runPosition,
  type StoredRecord,
} from '../../../../../src/orders/domain/run/run-record';

const initial = initialSnapshot([{ id: '1', quantity: 1 }]);
const ledger = { last: { position: 0, version: 0 }, financialStatus: 'pending' } as const;

test('a record has all statuses, the changes as log entries, and the steps that follow', () => {
  const { state, effects } = reduce(initial.state, {
    type: 'prepared',
    printOrders: [
      {
        id: '7',
        partnerId: 'partner',
        partnerUid: 'prints-berlin',
        dispatchDate: '2026-11-24',
        dispatchDueAt: '2026-11-25T00:00:00Z',
        reproducesId: null,
        jobs: [{ id: '8', itemId: '1', quantity: 1 }],
      },
    ],
  });
  const after = { ...initial, state, pending: effects.filter(isBackgroundStep) };
  const step = { before: initial.state, after, effects, handledPostbacks: ['5'], refusal: null };
  const record = recordOf({ orderId: 'order', runId: 'run', position: 1_000 }, ledger, step);
  expect(record).toMatchObject({
    version: 2,
    follows: { position: 0, version: 0 },
    financialStatus: 'invoiced',
    handledPostbacks: ['5'],
    snapshot: { pending: [{ type: 'deliver_print_order', printOrderId: '7' }] },
  });
  expect(record.effects).toEqual([
    { type: 'log', event: 'handed_over', printOrderId: '7' },
    { type: 'log', event: 'status', itemId: '1', data: { status: 'passed' } },
  ]);
});

const at = (seconds: number, historyLength: number, version: number) => ({
  position: runPosition(Date.UTC(2026, 5, 1) + seconds * 1_000, historyLength),
  version,
});

interface Case {
  readonly record: Partial<RunRecord>;
  readonly stored: Partial<StoredRecord>;
  readonly place: RecordPlace;
}

/** The record of an order that has written one before is `at(10, 20, 5)` and follows `at(0, 10, 4)`, unless told otherwise. */
const PLACES: Readonly<Record<string, Case>> = {
  'the first record of an order': {
    record: { follows: { position: 0, version: 0 } },
    stored: { runId: null, position: 0, version: 0 },
    place: 'next',
  },
  'the next record of the run': { record: {}, stored: {}, place: 'next' },
  'the next record after the clock went back': { record: { ...at(-5, 20, 5) }, stored: {}, place: 'next' },
  'the same record again': { record: {}, stored: at(10, 20, 5), place: 'repeated' },
  'a record whose task had an attempt that was lost': { record: {}, stored: at(9, 15, 6), place: 'replaces' },
  'a record of a lost attempt that comes late': { record: {}, stored: at(20, 30, 6), place: 'skipped' },
  'a record whose lost attempt went on longer': {
    record: { overrides: true },
    stored: at(20, 30, 6),
    place: 'overrides',
  },
  'a record of a run that was reset': { record: { runId: 'reset' }, stored: at(5, 40, 9), place: 'replaces' },
  'a late record of the run that was reset': {
    record: { runId: 'former' },
    stored: { runId: 'run', ...at(20, 8, 2) },
    place: 'skipped',
  },
  'a record after a restore of Temporal from a backup': {
    record: at(3_600, 20, 5),
    stored: at(0, 60, 20),
    place: 'replaces',
  },
  'a record after a restore, when the order has ended since': {
    record: { ...at(3_600, 20, 5), overrides: true },
    stored: { ...at(0, 60, 20), hasEnded: true },
    place: 'skipped',
  },
  'a record over the later rows of another run': {
    record: { overrides: true },
    stored: { runId: 'other', ...at(90, 3, 1) },
    place: 'overrides',
  },
};

test.each(Object.entries(PLACES))('the place of %s', (_what, { record, stored, place }) => {
  const written = { runId: 'run', hasEnded: false, ...at(0, 10, 4), ...stored };
  const next = { runId: 'run', ...at(10, 20, 5), follows: at(0, 10, 4), ...record } as RunRecord;
  expect(placeOf(next, written)).toBe(place);
});

const startedAt = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2060, 0, 1) });
const historyLength = fc.integer({ min: 3, max: 51_200 });

test('the position grows with the history of a run', () => {
  fc.assert(
    fc.property(startedAt, historyLength, historyLength, (run, a, b) => {
      expect(Math.sign(runPosition(run, a) - runPosition(run, b))).toBe(Math.sign(a - b));
    }),
  );
});

test('the position is greater in a run that starts a hundredth of a second later', () => {
  fc.assert(
    fc.property(startedAt, historyLength, historyLength, (run, before, after) => {
      expect(runPosition(run + 10, after)).toBeGreaterThan(runPosition(run, before));
    }),
  );
});

test('the position is an exact integer', () => {
  fc.assert(
    fc.property(startedAt, historyLength, (run, length) =>
      expect(Number.isSafeInteger(runPosition(run, length))).toBe(true),
    ),
  );
});
