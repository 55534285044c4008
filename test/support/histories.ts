import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { temporal as protocol } from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import { projectRoot } from '../../src/platform/project-root';
import { workflowBundle } from './servers';

/**
 * Stored histories of runs, one file a scenario: a worker of any later version must be able to go on with them. Each
 * folder's are recorded anew, after a change that is meant to break what runs, by the test that plays them:
 * - orders: `RECORD_HISTORIES=1 npx jest test/workflows test/api/partner`
 * - procurement: `RECORD_HISTORIES=1 npx jest test/api/procurement/procurement-orders`
 * - shipping: `npx jest --testMatch '**\/record-histories.ts' -t <name>`
 */
const FOLDERS = {
  orders: 'test/workflows/order/histories',
  procurement: 'test/workflows/procurement-order/histories',
  shipping: 'test/workflows/shipping-order/histories',
} as const;

export type HistoryFolder = keyof typeof FOLDERS;
export type History = protocol.api.history.v1.IHistory;

export interface StoredHistory {
  readonly scenario: string;
  readonly history: History;
}

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

const folderOf = (folder: HistoryFolder) => join(projectRoot(), FOLDERS[folder]);

/** Writes a run's history as JSON, without what replay does not look at. */
export async function keepHistory(folder: HistoryFolder, scenario: string, history: History): Promise<void> {
  const plain = History.toObject(History.create(history), { longs: String, enums: String, bytes: String });
  const file = join(folderOf(folder), `${scenario}.json`);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(stripped(plain))}\n`);
}

/** The stored histories of a folder, by scenario. */
export function storedHistories(folder: HistoryFolder): StoredHistory[] {
  return readdirSync(folderOf(folder))
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => ({
      scenario: basename(name, '.json'),
      history: History.fromObject(
        JSON.parse(readFileSync(join(folderOf(folder), name), 'utf8')) as Record<string, unknown>,
      ),
    }));
}

/**
 * Takes workflow code through histories.
 * @param bundle today's code unless given
 * @returns what went wrong, by scenario; undefined where nothing did
 */
export async function replay(
  histories: readonly StoredHistory[],
  bundle: { codePath: string } | { code: string } = workflowBundle(),
): Promise<Map<string, Error | undefined>> {
  const outcomes = new Map<string, Error | undefined>();
  const results = Worker.runReplayHistories(
    { workflowBundle: bundle },
    histories.map(({ scenario, history }) => ({ workflowId: scenario, history })),
  );
  for await (const { workflowId, error } of results) outcomes.set(workflowId, error);
  return outcomes;
}

/** Lines for the scenarios that do not replay. */
export const failuresOf = (outcomes: ReadonlyMap<string, Error | undefined>): string[] =>
  [...outcomes].flatMap(([scenario, error]) =>
    error === undefined ? [] : [`${scenario}: ${error.message}`],
  );

/** Today's workflow code with one place changed; fails when the place is no longer there. */
export function changedBundle(from: string, to: string): { code: string } {
  const code = readFileSync(workflowBundle().codePath, 'utf8');
  if (!code.includes(from)) throw new Error(`the workflow bundle holds no ${from}`);
  return { code: code.replace(from, to) };
}
