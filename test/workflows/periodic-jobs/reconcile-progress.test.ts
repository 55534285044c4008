import { failuresOf, replay } from '../../support/histories';
import { playScriptedRun } from '../../support/scripted-runs';
import { SERVERS } from './scenarios';

/** How a reconciliation keeps its progress in the state of the workflow. The activities are scripted. */

/** Returns an activity that compares `length` batches, one in each call, and records the cursors of the calls. */
function comparison(length: number, finding: string) {
  const cursors: string[] = [];
  return {
    cursors,
    compare: async ({ after }: { after: string }) => {
      cursors.push(after);
      const n = after === '' ? 1 : Number(after) + 1;
      return { counts: { [finding]: 1 }, next: n < length ? String(n) : '' };
    },
  };
}

const others = {
  reconcileLeftovers: async () => ({ redelivered: 1 }),
};

test('a scheduled run compares a part of both sides, and returns where the next one continues', async () => {
  const runs = comparison(3, 'withoutOrder');
  const orders = comparison(100, 'started');
  const finished: unknown[] = [];
  const { result } = await playScriptedRun('reconcile-in-parts', {
    workflow: 'reconcile',
    args: [],
    steps: {
      ...others,
      beginReconciliation: async () => ({ mark: 0, ...SERVERS }),
      reconcileRuns: runs.compare,
      reconcileOrders: orders.compare,
      finishReconciliation: async (end: unknown) => void finished.push(end),
    },
  });

  const found = { withoutOrder: 3, started: 30, redelivered: 1 };
  expect(result).toEqual({ mark: 1, lost: null, found, ordersAfter: '30', runsAfter: '' });
  expect(finished).toEqual([{ mark: 1, expected: 0, counts: found, servers: SERVERS.servers }]);
  expect(runs.cursors).toEqual(['', '1', '2']);
});

test('after a loss everything is compared: the run continues as new and after a failed activity, and compares nothing twice', async () => {
  const runs = comparison(150, 'lingering');
  const orders = comparison(120, 'started');
  let failures = 0;
  const { result, history } = await playScriptedRun('reconcile-everything', {
    workflow: 'reconcile',
    args: [],
    steps: {
      ...others,
      beginReconciliation: async () => ({ mark: 7, ...SERVERS }),
      reconcileRuns: runs.compare,
      reconcileOrders: async (from: { after: string }) => {
        if (from.after === '60' && failures++ === 0) throw new Error('the worker was killed');
        return await orders.compare(from);
      },
      finishReconciliation: async () => undefined,
    },
  });

  expect(result).toMatchObject({
    mark: 8,
    lost: 'temporal',
    found: { lingering: 150, started: 120, redelivered: 1 },
  });
  const inSequence = (length: number) => ['', ...Array.from({ length: length - 1 }, (_, n) => String(n + 1))];
  expect(runs.cursors).toEqual(inSequence(150));
  expect(orders.cursors).toEqual(inSequence(120));
  expect(history.events!.at(-1)!.workflowExecutionContinuedAsNewEventAttributes).toBeTruthy();
  expect(failuresOf(await replay([{ scenario: 'continued', history }]))).toEqual([]);
});
