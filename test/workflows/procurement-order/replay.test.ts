import { DeterminismViolationError } from '@temporalio/workflow';
import { changedBundle, failuresOf, replay, storedHistories } from '../../support/histories';

/** A deploy must not break procurement orders that are running: today's code goes through yesterday's histories. */

const stored = storedHistories('procurement');

it('replays orders that were finished, refused a step, and told the same at once', async () => {
  expect(stored.map(({ scenario }) => scenario)).toEqual(['invoiced', 'receipts-at-once', 'refused']);
  expect(failuresOf(await replay(stored))).toEqual([]);
});

it('would find a change that breaks them', async () => {
  const outcomes = await replay(stored, changedBundle('.takeProcurementStep(', '.takeProcurementStepAnew('));
  expect(outcomes.size).toBe(stored.length);
  for (const error of outcomes.values()) expect(error).toBeInstanceOf(DeterminismViolationError);
});
