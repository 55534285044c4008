import { DeterminismViolationError } from '@temporalio/workflow';
import { changedBundle, failuresOf, replay, storedHistories } from '../../support/histories';
import { SCENARIOS } from './scenarios';

/** A deploy must not break running shipping workflows: the current workflow code replays the stored history of every scenario. */

const stored = storedHistories('shipping');

test('every scenario has one history, and every history has a scenario', () => {
  expect(stored.map(({ scenario }) => scenario)).toEqual(Object.keys(SCENARIOS).toSorted());
});

test('the current workflow code replays all histories', async () => {
  expect(failuresOf(await replay(stored))).toEqual([]);
});

test('there is a scenario of every shipping workflow', () => {
  const played = Object.values(SCENARIOS).map(({ workflow }) => workflow);

  expect([...new Set(played)].sort()).toEqual([
    'cancelShippingOrder',
    'replaceLabel',
    'shippingOrder',
    'takeBackShipment',
    'trackingSweep',
  ]);
});

test.each([
  ['shipping-order-bought', '.purchaseShippingOrder(', '.purchaseShippingOrderAnew('],
  ['take-back-at-the-second-try', '.takeBackShipment(', '.takeBackShipmentAnew('],
  ['shipping-order-canceled-at-the-second-try', '.cancelShippingOrder(', '.cancelShippingOrderAnew('],
  ['label-replaced-at-the-second-try', '.replaceLabel(', '.replaceLabelAnew('],
  ['tracking-sweep-of-two-carriers', '.findPartnerCarriers(', '.findPartnerCarriersAnew('],
])('an incompatible change is found in %s', async (scenario, from, to) => {
  const outcomes = await replay(stored, { bundle: changedBundle(from, to) });
  expect(outcomes.get(scenario)).toBeInstanceOf(DeterminismViolationError);
});
