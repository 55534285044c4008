import { DeterminismViolationError } from '@temporalio/workflow';
import { changedBundle, failuresOf, replay, storedHistories } from '../../support/histories';

/** A deployment must not break running procurement orders: the current code replays the stored histories. */

const stored = storedHistories('procurement');

it('replays a finished order, refused steps and concurrent equal receipts', async () => {
  expect(stored.map(({ scenario }) => scenario)).toEqual(['invoiced', 'receipts-at-once', 'refused']);
  expect(failuresOf(await replay(stored))).toEqual([]);
});

it('detects a change that breaks replay', async () => {
  const outcomes = await replay(stored, changedBundle('.takeProcurementStep(', '.takeProcurementStepAnew('));
  expect(outcomes.size).toBe(stored.length);
  for (const error of outcomes.values()) expect(error).toBeInstanceOf(DeterminismViolationError);
});
