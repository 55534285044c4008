import { DeterminismViolationError } from '@temporalio/workflow';
import { changedBundle, failuresOf, replay, storedHistories } from '../../support/histories';

/** A deploy must not break a periodic job that is running: the present workflow code replays the histories of older versions. */

const stored = storedHistories('periodic-jobs');

test('the present workflow code replays all histories', async () => {
  expect(failuresOf(await replay(stored))).toEqual([]);
});

test('there is a history of the periodic jobs that have no other', () => {
  const replayed = stored.map(
    ({ history }) => history.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowType?.name,
  );

  expect([...new Set(replayed)].sort()).toEqual(['maintenance', 'partnerStockPoll', 'reconcile']);
});

test.each([
  ['reconcile', '.reconcileOrders(', '.reconcileOrdersAnew('],
  ['reconcile-in-one-activity', 'const mark = await work.read', 'const mark = await work.another'],
  ['maintenance', '.pruneDeliveries(', '.pruneDeliveriesAnew('],
  ['stock-poll-of-two-partners', '.pollPartnerStock(', '.pollPartnerStockAnew('],
])('an incompatible change is found in %s', async (scenario, from, to) => {
  const outcomes = await replay(stored, { bundle: changedBundle(from, to) });
  expect(outcomes.get(scenario)).toBeInstanceOf(DeterminismViolationError);
});
