import { DeterminismViolationError } from '@temporalio/workflow';
import { changedBundle, failuresOf, replay, storedHistories } from '../../support/histories';

/** A deploy must not break running shipping workflows: the present workflow code replays the histories of older versions. */

const stored = storedHistories('shipping');

test('the present workflow code replays all histories', async () => {
  expect(failuresOf(await replay(stored))).toEqual([]);
});

test('there is a history of every shipping workflow', () => {
  const replayed = stored.map(
    ({ history }) => history.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowType?.name,
  );

  expect([...new Set(replayed)].sort()).toEqual([
    'cancelShippingOrder',
    'shippingOrder',
    'takeBackShipment',
    'trackingSweep',
  ]);
});

test.each([
  ['shipping-order-bought', '.purchaseShippingOrder(', '.purchaseShippingOrderAnew('],
  ['take-back-at-the-second-try', '.takeBackShipment(', '.takeBackShipmentAnew('],
  ['shipping-order-canceled-at-the-second-try', '.cancelShippingOrder(', '.cancelShippingOrderAnew('],
  ['tracking-sweep-of-three-batches', '.sweepTrackings(', '.sweepTrackingsAnew('],
  ['tracking-sweep-of-two-carriers', '.findPartnerCarriers(', '.findPartnerCarriersAnew('],
])('an incompatible change is found in %s', async (scenario, from, to) => {
  const outcomes = await replay(stored, { bundle: changedBundle(from, to) });
  expect(outcomes.get(scenario)).toBeInstanceOf(DeterminismViolationError);
});
