import { DeterminismViolationError } from '@temporalio/workflow';
import { changedBundle, failuresOf, replay, storedHistories } from '../../support/histories';

/** A deploy must not break running procurement orders: the current workflow code replays the stored history of every scenario. */

const stored = storedHistories('procurement');

it('the histories of a complete order, a refused step and concurrent steps can be replayed', async () => {
  expect(stored.map(({ scenario }) => scenario)).toEqual(['invoiced', 'receipts-at-once', 'refused']);
  expect(failuresOf(await replay(stored))).toEqual([]);
});

it('a replay finds an incompatible change of the workflow code', async () => {
  const outcomes = await replay(stored, {
    bundle: changedBundle('.takeProcurementStep(', '.takeProcurementStepAnew('),
  });
  expect(outcomes.size).toBe(stored.length);
  for (const error of outcomes.values()) expect(error).toBeInstanceOf(DeterminismViolationError);
});
