import { basename } from 'node:path';
import type { Client } from '@temporalio/client';
import type { Services } from '../../cli/composition-root';
import { BEHAVIOURS } from '../../sandbox/behaviours';
import { orderWorkflowId } from '../../src/platform/domain/workflows';
import { NOT_PROVOKED } from '../workflows/order/partners/not-provoked';
import { failuresOf, type History, keepHistory, replay } from './histories';

/** References of the orders whose histories are stored, by test file. */
const SCENARIOS: Readonly<Record<string, readonly string[]>> = {
  'partner-misbehaviour': Object.keys(BEHAVIOURS).filter((name) => !NOT_PROVOKED.some((each) => each === name)),
  cancellation: ['early', 'while-planned', 'agreed', 'refused', 'one-of-two'],
  'cancel-units': ['early-units', 'agreed-client', 'refused-operator', 'asked-twice'],
  'operator-repair': [
    'hold-early',
    'parked',
    'again',
    'elsewhere',
    'divided',
    'both-again',
    'one-more',
    'let-go',
    'five-keys',
  ],
  'operator-changes': ['forgotten', 'fewer-units'],
  reroute: ['agrees', 'refuses', 'stays-silent', 'forced'],
  'order-run': ['first'],
  'order-updates': ['moved-twice', 'moved-in-delivery', 'no-update-address', 'file-replaced'],
  untracked: ['untracked', 'tracked'],
  'partly-shipped': ['own-code', 'two-labels', 'two-partners'],
  'file-checks': ['accepted', 'replaced'],
  'continue-as-new': ['parked', 'continued'],
  'lost-tasks': ['timed-out', 'failed-task', 'locked-row'],
  dispatch: ['twenty', 'moved', 'not-taken-back', 'restless'],
};

/** The names of all scenarios of orders, and of their stored histories. */
export const ORDER_SCENARIOS = Object.entries(SCENARIOS).flatMap(([file, references]) =>
  references.map((reference) => `${file}.${reference}`),
);

/**
 * Stores the histories of a test file's scenarios: of an order that continued as new those of the first two runs. Called when
 * the stack of the file is closed.
 */
export async function recordHistories({ sql, temporal }: Services): Promise<void> {
  const file = basename(expect.getState().testPath ?? '', '.test.ts');
  const orders = await sql<{ id: string; orderReferenceId: string }[]>`
    SELECT id, order_reference_id FROM orders WHERE order_reference_id = ANY(${[...(SCENARIOS[file] ?? [])]})`;
  for (const { id, orderReferenceId } of orders) {
    const [first, second] = await historiesOfRuns(temporal, id);
    await keepHistory('orders', `${file}.${orderReferenceId}`, first!);
    if (second !== undefined) await keepHistory('orders', `${file}.${orderReferenceId}${SECOND_RUN}`, second);
  }
}

/** End of the name of a history whose run continues that of the scenario. */
export const SECOND_RUN = '.run-2';

/** Returns the histories of an order's runs. There are several after continue-as-new. */
export async function historiesOfRuns(temporal: Client, orderId: string): Promise<History[]> {
  const workflowId = orderWorkflowId(orderId);
  const { raw } = await temporal.workflow.getHandle(workflowId).describe();
  const histories: History[] = [];
  let runId: string | null | undefined = raw.workflowExecutionInfo!.firstRunId;
  while (runId) {
    const history: History = await temporal.workflow.getHandle(workflowId, runId).fetchHistory();
    histories.push(history);
    runId = history.events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
  }
  return histories;
}

/** Largest number of runs that are replayed for a stack. */
const REPLAYED = 60;

/**
 * Replays the runs of a stack when it is closed. `REPLAY_RUNS=1 npx jest` checks that the workflow code is deterministic in
 * every situation that a test creates.
 * @throws Error with the orders whose runs do not replay
 */
export async function replayRuns({ sql, temporal }: Services): Promise<void> {
  const orders = await sql<{ id: string; orderReferenceId: string }[]>`
    SELECT id, order_reference_id FROM orders WHERE order_type = 'order' ORDER BY created_at LIMIT ${REPLAYED}`;
  const histories = await Promise.all(
    orders.map(async ({ id, orderReferenceId }) => {
      const run = temporal.workflow.getHandle(orderWorkflowId(id));
      const history = await run.fetchHistory().catch(() => null);
      return history === null ? [] : [{ scenario: orderReferenceId, history }];
    }),
  );
  const failed = failuresOf(await replay(histories.flat()));
  if (failed.length > 0) throw new Error(`runs that do not replay: ${failed.join('; ')}`);
}

/**
 * Checks that no run of a stack has tried a status change that the transition table does not list.
 * @throws Error with the refused changes
 */
export async function expectNoRefusedChange({ sql }: Services): Promise<void> {
  const refused = await sql<{ orderId: string; data: object }[]>`
    SELECT order_id, data FROM order_events WHERE type = 'status_change_refused'`;
  if (refused.length > 0) throw new Error(`refused status changes: ${JSON.stringify(refused)}`);
}
