import { readFileSync } from 'node:fs';
import { Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { BEHAVIOURS } from '../../sandbox/behaviours';
import { storedHistories } from '../support/histories';
import { workflowBundle } from '../support/servers';

/** A deploy must not break orders that are running: today's workflow code goes through yesterday's histories. */

const stored = storedHistories();

/** Replays every history. @returns what went wrong, by scenario */
async function replay(
  bundle: { codePath: string } | { code: string },
): Promise<Map<string, Error | undefined>> {
  const outcomes = new Map<string, Error | undefined>();
  const histories = stored.map(({ scenario, history }) => ({ workflowId: scenario, history }));
  const results = Worker.runReplayHistories({ workflowBundle: bundle, replayName: 'stored' }, histories);
  for await (const { workflowId, error } of results) outcomes.set(workflowId, error);
  return outcomes;
}

/** Today's workflow code with one place changed; fails when the place is no longer there. */
function changedBundle(from: string, to: string): { code: string } {
  const code = readFileSync(workflowBundle().codePath, 'utf8');
  if (!code.includes(from)) throw new Error(`the workflow bundle holds no ${from}`);
  return { code: code.replace(from, to) };
}

test('there is a history of every misbehaviour, and of clients’ and operators’ acts', () => {
  const scenarios = stored.map(({ scenario }) => scenario);
  expect(scenarios).toEqual(
    expect.arrayContaining([
      ...Object.keys(BEHAVIOURS).map((name) => `partner-misbehaviour.${name}`),
      'order-run.first',
      'cancellation.agreed',
      'dispatch.moved',
      'dispatch.not-taken-back',
      // Hold and release, retry, reroute, reproduce, cancel.
      'operator-repair.hold-early',
      'operator-repair.again',
      'operator-repair.elsewhere',
      'operator-repair.one-more',
      'operator-repair.one-less',
      'operator-repair.split',
    ]),
  );
});

test('they hold no addresses', () => {
  const text = JSON.stringify(
    stored.map(({ json }) => json),
    (_name, value: unknown) =>
      // Payloads are JSON in base64.
      typeof value === 'string' && /^[A-Za-z0-9+/]{24,}={0,2}$/.test(value)
        ? Buffer.from(value, 'base64').toString('utf8')
        : value,
  );
  for (const secret of ['Torstrasse', 'ada@example.com', '901820']) expect(text).not.toContain(secret);
});

test('today’s code replays them all', async () => {
  const failed = [...(await replay(workflowBundle()))].filter(([, error]) => error !== undefined);
  expect(failed.map(([scenario, error]) => `${scenario}: ${error!.message}`)).toEqual([]);
}, 120_000);

describe('a change that would break running orders is found', () => {
  test.each([
    [
      'a step more',
      'run.listen();',
      'run.listen(); await new Promise((resolve) => setTimeout(resolve, 1000));',
    ],
    ['an activity of another name', '.deliverPrintOrder', '.deliverPrintOrderAnew'],
  ])(
    '%s',
    async (_what, from, to) => {
      const outcomes = await replay(changedBundle(from, to));
      const found = [...outcomes.values()].filter((error) => error instanceof DeterminismViolationError);
      expect(found.length).toBeGreaterThan(stored.length / 2);
    },
    120_000,
  );
});
