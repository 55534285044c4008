import { DeterminismViolationError } from '@temporalio/workflow';
import { changedBundle, failuresOf, replay, storedHistories } from '../../support/histories';

/** Running workflows must continue after a deploy, so the histories of earlier versions are replayed with the current code. */

const stored = storedHistories('shipping');

test('the current code replays every stored history', async () => {
  expect(failuresOf(await replay(stored))).toEqual([]);
});

test('every shipping workflow has a stored history', () => {
  const replayed = stored.map(
    ({ history }) => history.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowType?.name,
  );

  expect([...new Set(replayed)].sort()).toEqual(['shippingOrder', 'takeBackShipment', 'trackingSweep']);
});

test.each([
  ['shipping-order-bought', '.purchaseShippingOrder(', '.purchaseShippingOrderAnew('],
  ['take-back-at-the-second-try', '.takeBackShipment(', '.takeBackShipmentAnew('],
  ['tracking-sweep-of-three-batches', '{ sweepTrackings }', '{ another: sweepTrackings }'],
])('a version with other steps than %s is detected', async (scenario, from, to) => {
  const outcomes = await replay(stored, changedBundle(from, to));
  expect(outcomes.get(scenario)).toBeInstanceOf(DeterminismViolationError);
});
