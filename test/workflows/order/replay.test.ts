import { DeterminismViolationError } from '@temporalio/workflow';
import { BEHAVIOURS } from '../../../sandbox/behaviours';
import { changedBundle, failuresOf, replay, storedHistories } from '../../support/histories';

/** A deploy must not break orders that are running: today's workflow code goes through yesterday's histories. */

const stored = storedHistories('orders');

test('there is a history of every misbehaviour, and of clients’ and operators’ acts', () => {
  const scenarios = stored.map(({ scenario }) => scenario);
  expect(scenarios).toEqual(
    expect.arrayContaining([
      ...Object.keys(BEHAVIOURS).map((name) => `partner-misbehaviour.${name}`),
      'order-run.first',
      'cancellation.agreed',
      'dispatch.moved',
      'dispatch.not-taken-back',
      // Hold and release, retry, reroute, reproduce, cancel.
      'operator-repair.hold-early',
      'operator-repair.again',
      'operator-repair.elsewhere',
      'operator-repair.one-more',
      'operator-repair.one-less',
      'operator-repair.let-go',
      'operator-repair.kept',
      'operator-repair.split',
    ]),
  );
});

test('they hold no addresses', () => {
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

test('today’s code replays them all', async () => {
  expect(failuresOf(await replay(stored))).toEqual([]);
}, 120_000);

describe('a change that would break running orders is found', () => {
  test.each([
    [
      'a step more',
      'run.listen();',
      'run.listen(); await new Promise((resolve) => setTimeout(resolve, 1000));',
    ],
    ['an activity of another name', '.deliverPrintOrder', '.deliverPrintOrderAnew'],
  ])(
    '%s',
    async (_what, from, to) => {
      const outcomes = await replay(stored, changedBundle(from, to));
      const found = [...outcomes.values()].filter((error) => error instanceof DeterminismViolationError);
      expect(found.length).toBeGreaterThan(stored.length / 2);
    },
    120_000,
  );
});
