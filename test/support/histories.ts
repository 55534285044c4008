import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { temporal as protocol } from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import type { Services } from '../../src/cli/services';
import { orderWorkflowId } from '../../src/orders/domain/run-messages';
import { projectRoot } from '../../src/platform/project-root';
import { workflowBundle } from './servers';

/**
 * Histories of order runs, one a scenario, as the tests that play the scenarios left them. A worker of any later
 * version must be able to go on with them. Recorded anew, after a change that is meant to break running orders, by
 *   RECORD_HISTORIES=1 npx jest test/workflows test/api/partner
 */
const FOLDER = join(projectRoot(), 'test', 'workflows', 'histories');

/** By test file: the references of the orders whose runs are kept; all of them when null. */
const SCENARIOS: Readonly<Record<string, readonly string[] | null>> = {
  'partner-misbehaviour': null,
  cancellation: ['early', 'agreed', 'refused', 'by-word'],
  'operator-repair': [
    'hold-early',
    'hold-late',
    'parked',
    'again',
    'elsewhere',
    'divided',
    'both-again',
    'one-more',
    'short',
    'one-less',
    'split',
    'refused',
    'five-keys',
  ],
  'order-run': ['first'],
  dispatch: ['twenty', 'moved', 'not-taken-back', 'restless'],
};

/**
 * Written as protobufjs has it. The SDK's own conversion to JSON needs one protobufjs for all its packages, and npm
 * gives each its own when another dependency wants an older one.
 */
const { History } = protocol.api.history.v1;

/** What replay looks at; the rest names machines and people, and makes files large. */
const LEFT_OUT = new Set([
  'identity',
  'memo',
  'header',
  'links',
  'userMetadata',
  'requestId',
  'schedulerRequestId',
  'searchAttributes',
  'stackTrace',
  'meteringMetadata',
  'workerVersion',
  'taskId',
  'version',
  'retryPolicy',
  'startToCloseTimeout',
  'heartbeatTimeout',
  'scheduleToCloseTimeout',
  'scheduleToStartTimeout',
]);

function stripped(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stripped);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => (LEFT_OUT.has(name) ? [] : [[name, stripped(inner)]])),
  );
}

/** Keeps the histories of a test file's scenarios; called when its stack is closed. */
export async function recordHistories({ sql, temporal }: Services): Promise<void> {
  const file = basename(expect.getState().testPath ?? '', '.test.ts');
  const wanted = SCENARIOS[file];
  if (wanted === undefined) return;
  const orders = await sql<{ id: string; orderReferenceId: string }[]>`
    SELECT id, order_reference_id FROM orders
    WHERE ${wanted === null} OR order_reference_id = ANY(${[...(wanted ?? [])]})`;
  for (const { id, orderReferenceId } of orders) {
    const run = temporal.workflow.getHandle(orderWorkflowId(id));
    await keepHistory(run, join(FOLDER, `${file}.${orderReferenceId}.json`));
  }
}

/** Writes a run's history to a file, without what replay does not look at. */
export async function keepHistory(run: WorkflowHandle, file: string): Promise<void> {
  const history = History.create(await run.fetchHistory());
  const text = JSON.stringify(
    stripped(History.toObject(history, { longs: String, enums: String, bytes: String })),
  );
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${text}\n`);
}

/** Of a stack with more runs than this the first ones are replayed. */
const REPLAYED = 60;

/**
 * Replays the runs of a stack when it is closed: `REPLAY_RUNS=1 npx jest` looks whether the workflow code goes the
 * same way again through whatever any test has put it through.
 * @throws Error naming the orders whose runs do not replay
 */
export async function replayRuns({ sql, temporal }: Services): Promise<void> {
  const orders = await sql<{ id: string; orderReferenceId: string }[]>`
    SELECT id, order_reference_id FROM orders WHERE order_type = 'order' ORDER BY created_at LIMIT ${REPLAYED}`;
  const histories = await Promise.all(
    orders.map(async ({ id, orderReferenceId }) => {
      const run = temporal.workflow.getHandle(orderWorkflowId(id));
      const history = await run.fetchHistory().catch(() => null);
      return history === null ? [] : [{ workflowId: orderReferenceId, history }];
    }),
  );
  const failed: string[] = [];
  const results = Worker.runReplayHistories({ workflowBundle: workflowBundle() }, histories.flat());
  for await (const { workflowId, error } of results) {
    if (error !== undefined) failed.push(`${workflowId}: ${error.message}`);
  }
  if (failed.length > 0) throw new Error(`runs that do not replay: ${failed.join('; ')}`);
}

/** The stored histories of a folder by scenario, as JSON and as a worker takes them. */
export function storedHistories(folder = FOLDER) {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => {
      const json = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Record<string, unknown>;
      return { scenario: basename(name, '.json'), json, history: History.fromObject(json) };
    });
}
