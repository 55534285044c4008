import { DeterminismViolationError } from '@temporalio/workflow';
import { changedBundle, failuresOf, replay, storedHistories } from '../../support/histories';

/** A deploy must not break running bulk repairs: the present workflow code replays the histories of older versions. */

const stored = storedHistories('bulk-repair');

test('the present workflow code replays all histories', async () => {
  expect(stored.map(({ scenario }) => scenario)).toEqual([
    'bulk-repair-canceled',
    'bulk-repair-continued-as-new',
    'bulk-repair-of-three-batches',
  ]);
  expect(failuresOf(await replay(stored))).toEqual([]);
});

test('an incompatible change is found in every history', async () => {
  const outcomes = await replay(stored, {
    bundle: changedBundle('.repairNextOrders(', '.repairNextOrdersAnew('),
  });
  for (const { scenario } of stored) expect(outcomes.get(scenario)).toBeInstanceOf(DeterminismViolationError);
});
