import { DeterminismViolationError } from '@temporalio/workflow';
import { BEHAVIOURS } from '../../../sandbox/behaviours';
import { changedBundle, failuresOf, replay, storedHistories } from '../../support/histories';
import { NOT_PROVOKED } from './not-provoked';

/** A deploy must not break running orders: the present workflow code replays the histories of older versions. */

const stored = storedHistories('orders');

test('there is a history of every sandbox behaviour, and of clients’ and operators’ requests', () => {
  const scenarios = stored.map(({ scenario }) => scenario);
  expect(scenarios).toEqual(
    expect.arrayContaining([
      ...Object.keys(BEHAVIOURS)
        .filter((name) => !NOT_PROVOKED.some((each) => each === name))
        .map((name) => `partner-misbehaviour.${name}`),
      'order-run.first',
      'cancellation.agreed',
      'dispatch.moved',
      'dispatch.not-taken-back',
      // Hold and release, retry, reroute, reproduce, cancel.
      'operator-repair.hold-early',
      'operator-repair.again',
      // Reroutes of older versions handed over at once.
      'operator-repair.moved-at-once',
      'replacement.agrees',
      'replacement.refuses',
      'replacement.stays-silent',
      'replacement.is-producing',
      'replacement.agrees-later',
      'replacement.forced',
      'operator-repair.elsewhere',
      'operator-repair.one-more',
      'operator-repair.one-less',
      'operator-repair.let-go',
      'operator-repair.kept',
      'operator-repair.split',
      // Plans in ordinary activities.
      'plan-activities.order-run.first',
      'plan-activities.operator-repair.parked',
      // Records that activities write, and a plan that is stored while the order is cancelled.
      'activities-record.order-run.first',
      'activities-record.cancellation.early',
      'cancellation.while-planned',
      // Continue-as-new: the run before it and the one after it.
      'continue-as-new.parked',
      'continue-as-new.parked.run-2',
      'continue-as-new.continued',
      'continue-as-new.continued.run-2',
      // A workflow task that timed out, and one that a faulty version failed.
      'lost-tasks.timed-out',
      'lost-tasks.failed-task',
      // Records that waited for Postgres over heartbeats and back-off timers.
      'lost-tasks.locked-row',
    ]),
  );
});

test('histories contain no addresses', () => {
  const text = JSON.stringify(
    stored.map(({ history }) => history),
    (_name, value: unknown) =>
      // Payloads are JSON in base64.
      typeof value === 'string' && /^[A-Za-z0-9+/]{24,}={0,2}$/.test(value)
        ? Buffer.from(value, 'base64').toString('utf8')
        : value,
  );
  expect(text).toContain('printOrderId');
  for (const secret of ['Torstrasse', 'ada@example.com', '901820']) expect(text).not.toContain(secret);
});

test('the present workflow code replays all histories, without a refused status change', async () => {
  const errors: string[] = [];
  expect(failuresOf(await replay(stored, { onLoggedError: (message) => errors.push(message) }))).toEqual([]);
  expect(errors).toEqual([]);
}, 120_000);

test('a status change that the transition table does not list is logged as an error', async () => {
  const errors: string[] = [];
  const bundle = changedBundle('shipped: AFTER_SHIPPING', 'shipped: []');
  await replay(
    stored.filter(({ scenario }) => scenario === 'order-run.first'),
    { bundle, onLoggedError: (message) => errors.push(message) },
  );
  expect(errors).toContain('status change refused');
}, 120_000);

describe('an incompatible change of the workflow code is found', () => {
  test.each([
    [
      'an additional timer',
      'run.setHandlers();',
      'run.setHandlers(); await new Promise((resolve) => setTimeout(resolve, 1000));',
    ],
    ['a renamed activity', '.deliverPrintOrder', '.deliverPrintOrderAnew'],
  ])(
    '%s',
    async (_what, from, to) => {
      const outcomes = await replay(stored, { bundle: changedBundle(from, to) });
      const found = [...outcomes.values()].filter((error) => error instanceof DeterminismViolationError);
      expect(found.length).toBeGreaterThan(stored.length / 2);
    },
    120_000,
  );
});
