import { DeterminismViolationError } from '@temporalio/workflow';
import { changedBundle, failuresOf, replay, storedHistories } from '../../support/histories';
import { SCENARIOS } from './scenarios';

/** A deploy must not break running periodic jobs: the current workflow code replays the stored history of every scenario. */

const stored = storedHistories('periodic-jobs');

test('every scenario has one history, and every history has a scenario', () => {
  expect(stored.map(({ scenario }) => scenario)).toEqual(Object.keys(SCENARIOS).toSorted());
});

test('the current workflow code replays all histories', async () => {
  expect(failuresOf(await replay(stored))).toEqual([]);
});

test('there is a scenario of the periodic jobs that have no other', () => {
  const played = Object.values(SCENARIOS).map(({ workflow }) => workflow);

  expect([...new Set(played)].sort()).toEqual(['maintenance', 'partnerStockPoll', 'reconcile']);
});

test.each([
  ['reconcile', '.reconcileOrders(', '.reconcileOrdersAnew('],
  ['maintenance', '.pruneDeadMessages(', '.pruneDeadMessagesAnew('],
  ['stock-poll-of-two-partners', '.pollPartnerStock(', '.pollPartnerStockAnew('],
])('an incompatible change is found in %s', async (scenario, from, to) => {
  const outcomes = await replay(stored, { bundle: changedBundle(from, to) });
  expect(outcomes.get(scenario)).toBeInstanceOf(DeterminismViolationError);
});
