import { DeterminismViolationError } from '@temporalio/workflow';
import { changedBundle, failuresOf, replay, storedHistories } from '../../support/histories';

/** A deploy must not break running preflights: the current workflow code replays the stored history of every scenario. */

const stored = storedHistories('preflight');

test('the current workflow code replays all histories', async () => {
  expect(stored.map(({ scenario }) => scenario)).toEqual(['done', 'given-up']);
  expect(failuresOf(await replay(stored))).toEqual([]);
});

test('an incompatible change is found in every history', async () => {
  const outcomes = await replay(stored, { bundle: changedBundle('.preflightFile(', '.preflightFileAnew(') });
  for (const { scenario } of stored) expect(outcomes.get(scenario)).toBeInstanceOf(DeterminismViolationError);
});
