import { randomUUID } from 'node:crypto';
import { DeterminismViolationError } from '@temporalio/workflow';
import { changedBundle, failuresOf, type HistoryFolder, replay, storedHistories } from '../support/histories';
import { playScriptedRun } from '../support/scripted-runs';
import { SCENARIOS as BULK_REPAIRS } from './bulk-repair/scenarios';
import { SCENARIOS as CHANNELS } from './channels/scenarios';
import { SCENARIOS as PERIODIC_JOBS } from './periodic-jobs/scenarios';
import { SCENARIOS as SHIPPING } from './shipping-order/scenarios';

/** A deploy must not break running workflows: the current workflow code replays the stored history of every scenario. */

const SCENARIOS: Readonly<Record<Exclude<HistoryFolder, 'orders'>, readonly string[]>> = {
  'bulk-repair': Object.keys(BULK_REPAIRS),
  channels: Object.keys(CHANNELS),
  'periodic-jobs': Object.keys(PERIODIC_JOBS),
  preflight: ['done', 'given-up'],
  procurement: ['invoiced', 'receipts-at-once', 'refused'],
  shipping: Object.keys(SHIPPING),
};

describe.each(Object.keys(SCENARIOS) as (keyof typeof SCENARIOS)[])('of the workflows %s', (folder) => {
  test('every scenario has one history, and every history has a scenario', () => {
    expect(storedHistories(folder).map(({ scenario }) => scenario)).toEqual(SCENARIOS[folder].toSorted());
  });

  test('the current workflow code replays all histories', async () => {
    expect(failuresOf(await replay(storedHistories(folder)))).toEqual([]);
  });
});

test.each<[HistoryFolder, scenario: string, activity: string]>([
  ['bulk-repair', 'all', 'repairNextOrders'],
  ['channels', 'all', 'submitChannelOrders'],
  ['preflight', 'all', 'preflightFile'],
  ['procurement', 'all', 'takeProcurementStep'],
  ['periodic-jobs', 'reconcile', 'reconcileOrders'],
  ['periodic-jobs', 'maintenance', 'pruneDeadMessages'],
  ['periodic-jobs', 'channel-poll', 'channelsToPoll'],
  ['periodic-jobs', 'stock-poll-of-two-partners', 'pollPartnerStock'],
  ['shipping', 'shipping-order-bought', 'purchaseShippingOrder'],
  ['shipping', 'take-back-at-the-second-try', 'takeBackShipment'],
  ['shipping', 'shipping-order-canceled-at-the-second-try', 'cancelShippingOrder'],
  ['shipping', 'label-replaced-at-the-second-try', 'replaceLabel'],
  ['shipping', 'tracking-sweep-of-two-carriers', 'findPartnerCarriers'],
])('in the histories %s, %s, a renamed activity %s is found', async (folder, scenario, activity) => {
  const stored = storedHistories(folder).filter((each) => ['all', each.scenario].includes(scenario));
  const outcomes = await replay(stored, { bundle: changedBundle(`.${activity}(`, `.${activity}Anew(`) });
  expect(outcomes.size).toBe(stored.length);
  for (const error of outcomes.values()) expect(error).toBeInstanceOf(DeterminismViolationError);
});

test.each([
  [PERIODIC_JOBS, ['channelPoll', 'maintenance', 'partnerStockPoll', 'reconcile', 'sumReports']],
  [SHIPPING, ['cancelShippingOrder', 'replaceLabel', 'shippingOrder', 'takeBackShipment', 'trackingSweep']],
])('there is a scenario of every workflow that no other test records', (scenarios, workflows) => {
  const played = Object.values(scenarios).map(({ workflow }) => workflow);
  expect([...new Set(played)].sort()).toEqual(workflows);
});

test('maintenance fails when a part of it has failed, after the other parts', async () => {
  const scenario = PERIODIC_JOBS['maintenance-with-a-failed-part']!;
  const { result } = await playScriptedRun(`maintenance-${randomUUID()}`, scenario);
  expect(result).toMatchObject({
    cause: { message: 'partitions: no lock; objects: 2 objects were not deleted: AccessDenied' },
  });
});
