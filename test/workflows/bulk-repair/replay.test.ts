import { DeterminismViolationError } from '@temporalio/workflow';
import { changedBundle, failuresOf, replay, storedHistories } from '../../support/histories';
import { SCENARIOS } from './scenarios';

/** A deploy must not break running bulk repairs: the current workflow code replays the stored history of every scenario. */

const stored = storedHistories('bulk-repair');

test('every scenario has one history, and every history has a scenario', () => {
  expect(stored.map(({ scenario }) => scenario)).toEqual(Object.keys(SCENARIOS).toSorted());
});

test('the current workflow code replays all histories', async () => {
  expect(failuresOf(await replay(stored))).toEqual([]);
});

test('an incompatible change is found in every history', async () => {
  const outcomes = await replay(stored, {
    bundle: changedBundle('.repairNextOrders(', '.repairNextOrdersAnew('),
  });
  for (const { scenario } of stored) expect(outcomes.get(scenario)).toBeInstanceOf(DeterminismViolationError);
});
