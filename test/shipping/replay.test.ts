import { Worker } from '@temporalio/worker';
import { workflowBundle } from '../support/servers';
import { HISTORY_NAMES, type History, readHistory } from './history-files';

/** Runs under way when a new version comes must go on: histories of the versions before are replayed by this one. */

const replay = (history: History) => Worker.runReplayHistory({ workflowBundle: workflowBundle() }, history);

test.each(HISTORY_NAMES)('%s', async (name) => {
  await expect(replay(readHistory(name))).resolves.toBeUndefined();
});

test('every workflow of shipping has a history', () => {
  const replayed = HISTORY_NAMES.map(
    (name) => readHistory(name).events?.[0]?.workflowExecutionStartedEventAttributes?.workflowType?.name,
  );

  expect([...new Set(replayed)].sort()).toEqual(['shippingOrder', 'takeBackShipment', 'trackingSweep']);
});

test.each(['shipping-order-bought', 'take-back-at-the-second-try', 'tracking-sweep-of-three-batches'])(
  'a version that takes other steps than %s is noticed',
  async (name) => {
    const history = readHistory(name);
    for (const { activityTaskScheduledEventAttributes: scheduled } of history.events ?? []) {
      if (scheduled) scheduled.activityType = { name: 'anotherStep' };
    }

    await expect(replay(history)).rejects.toThrow(/nondeterminism/i);
  },
);
