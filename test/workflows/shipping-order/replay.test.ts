import { DeterminismViolationError } from '@temporalio/workflow';
import { changedBundle, failuresOf, replay, storedHistories } from '../../support/histories';

/** Runs under way when a new version comes must go on: histories of the versions before are replayed by this one. */

const stored = storedHistories('shipping');

test('today’s code replays them all', async () => {
  expect(failuresOf(await replay(stored))).toEqual([]);
});

test('every workflow of shipping has a history', () => {
  const replayed = stored.map(
    ({ history }) => history.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowType?.name,
  );

  expect([...new Set(replayed)].sort()).toEqual(['shippingOrder', 'takeBackShipment', 'trackingSweep']);
});

test.each([
  ['shipping-order-bought', '.purchaseShippingOrder(', '.purchaseShippingOrderAnew('],
  ['take-back-at-the-second-try', '.takeBackShipment(', '.takeBackShipmentAnew('],
  ['tracking-sweep-of-three-batches', '{ sweepTrackings }', '{ another: sweepTrackings }'],
])('a version that takes other steps than %s is noticed', async (scenario, from, to) => {
  const outcomes = await replay(stored, changedBundle(from, to));
  expect(outcomes.get(scenario)).toBeInstanceOf(DeterminismViolationError);
});
