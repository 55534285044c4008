import { randomUUID } from 'node:crypto';
import { DeterminismViolationError } from '@temporalio/workflow';
import { changedBundle, failuresOf, replay, storedHistories } from '../../support/histories';
import { playScriptedRun } from '../../support/scripted-runs';
import { SCENARIOS } from './scenarios';

/** A deploy must not break running periodic jobs: the current workflow code replays the stored history of every scenario. */

const stored = storedHistories('periodic-jobs');

test('maintenance fails when a part of it has failed, after the other parts', async () => {
  const { result } = await playScriptedRun(`maintenance-${randomUUID()}`, SCENARIOS['maintenance-with-a-failed-part']!);

  expect(result).toMatchObject({
    cause: { message: 'partitions: no lock; objects: 2 objects were not deleted: AccessDenied' },
  });
});

test('every scenario has one history, and every history has a scenario', () => {
  expect(stored.map(({ scenario }) => scenario)).toEqual(Object.keys(SCENARIOS).toSorted());
});

test('the current workflow code replays all histories', async () => {
  expect(failuresOf(await replay(stored))).toEqual([]);
});

test('there is a scenario of the periodic jobs that have no other', () => {
  const played = Object.values(SCENARIOS).map(({ workflow }) => workflow);

  expect([...new Set(played)].sort()).toEqual(['maintenance', 'partnerStockPoll', 'reconcile', 'sumReports']);
});

test.each([
  ['reconcile', '.reconcileOrders(', '.reconcileOrdersAnew('],
  ['maintenance', '.pruneDeadMessages(', '.pruneDeadMessagesAnew('],
  ['stock-poll-of-two-partners', '.pollPartnerStock(', '.pollPartnerStockAnew('],
])('an incompatible change is found in %s', async (scenario, from, to) => {
  const outcomes = await replay(stored, { bundle: changedBundle(from, to) });
  expect(outcomes.get(scenario)).toBeInstanceOf(DeterminismViolationError);
});
