import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { temporal as protocol } from '@temporalio/proto';
import type { Services } from '../../src/cli/services';
import { orderWorkflowId } from '../../src/orders/domain/run-messages';
import { projectRoot } from '../../src/platform/project-root';

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
  dispatch: ['twenty', 'moved', 'restless'],
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
  'meteringMetadata',
  'workerVersion',
  'taskId',
  'version',
  'taskQueue',
  'retryPolicy',
  'workflowTaskTimeout',
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
  await mkdir(FOLDER, { recursive: true });
  const orders = await sql<{ id: string; orderReferenceId: string }[]>`
    SELECT id, order_reference_id FROM orders
    WHERE ${wanted === null} OR order_reference_id = ANY(${[...(wanted ?? [])]})`;
  for (const { id, orderReferenceId } of orders) {
    const history = await temporal.workflow.getHandle(orderWorkflowId(id)).fetchHistory();
    const text = JSON.stringify(
      stripped(History.toObject(History.create(history), { longs: String, enums: String, bytes: String })),
    );
    await writeFile(join(FOLDER, `${file}.${orderReferenceId}.json`), `${text}\n`);
  }
}

/** The stored histories by scenario, as JSON and as a worker takes them. */
export function storedHistories() {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => {
      const json = JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as Record<string, unknown>;
      return { scenario: basename(name, '.json'), json, history: History.fromObject(json) };
    });
}
