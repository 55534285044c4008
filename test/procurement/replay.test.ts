import { readFileSync } from 'node:fs';
import { Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { storedHistories } from '../support/histories';
import { workflowBundle } from '../support/servers';
import { PROCUREMENT_HISTORIES } from './histories';

/** A deploy must not break procurement orders that are running: today's code goes through yesterday's histories. */

const stored = storedHistories(PROCUREMENT_HISTORIES);

async function replay(
  bundle: { codePath: string } | { code: string },
): Promise<[string, Error | undefined][]> {
  const histories = stored.map(({ scenario, history }) => ({ workflowId: scenario, history }));
  const outcomes: [string, Error | undefined][] = [];
  const results = Worker.runReplayHistories({ workflowBundle: bundle, replayName: 'procurement' }, histories);
  for await (const { workflowId, error } of results) outcomes.push([workflowId, error]);
  return outcomes;
}

it('replays orders that were finished, refused a step, and told the same at once', async () => {
  expect(await replay(workflowBundle())).toEqual([
    ['invoiced', undefined],
    ['receipts-at-once', undefined],
    ['refused', undefined],
  ]);
});

it('would find a change that breaks them', async () => {
  const code = readFileSync(workflowBundle().codePath, 'utf8');
  const changed = code.replace('.takeProcurementStep(', '.takeProcurementStepAnew(');
  expect(changed).not.toBe(code);
  for (const [, error] of await replay({ code: changed }))
    expect(error).toBeInstanceOf(DeterminismViolationError);
});
