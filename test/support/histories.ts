import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { temporal as protocol } from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import { projectRoot } from '../../src/platform/project-root';
import { workflowBundle } from './servers';

/**
 * Stored workflow histories, one file for each scenario and named by it. The current workflow code must replay all of them, so
 * that a deploy breaks no running workflow. These tests record them:
 * - orders: `RECORD_HISTORIES=1 npx jest test/workflows/order test/api/partner/dispatch`
 * - procurement: `RECORD_HISTORIES=1 npx jest test/api/procurement/procurement-orders`
 * - preflights: `RECORD_HISTORIES=1 npx jest test/workflows/preflight`
 * - shipping, bulk repairs, channels and periodic jobs: `npx jest --testMatch '**\/record-histories.ts'`
 */
const FOLDERS = {
  orders: 'test/workflows/order/histories',
  procurement: 'test/workflows/procurement-order/histories',
  shipping: 'test/workflows/shipping-order/histories',
  'periodic-jobs': 'test/workflows/periodic-jobs/histories',
  'bulk-repair': 'test/workflows/bulk-repair/histories',
  channels: 'test/workflows/channels/histories',
  preflight: 'test/workflows/preflight/histories',
} as const;

export type HistoryFolder = keyof typeof FOLDERS;
export type History = protocol.api.history.v1.IHistory;

export interface StoredHistory {
  readonly scenario: string;
  readonly history: History;
}

/**
 * Histories are stored in the JSON form of protobufjs. The SDK's own conversion needs one protobufjs for all packages. npm
 * installs several when another dependency needs an older one.
 */
const { History } = protocol.api.history.v1;

/** Fields that a replay does not need. They name machines and people, and make the files large. */
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

/** Writes a history as JSON, without the fields that a replay does not need. */
export async function keepHistory(folder: HistoryFolder, scenario: string, history: History): Promise<void> {
  const plain = History.toObject(History.create(history), { longs: String, enums: String, bytes: String });
  const file = join(folderOf(folder), `${scenario}.json`);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(stripped(plain))}\n`);
}

/** Returns the stored histories of a folder, sorted by scenario. */
export function storedHistories(folder: HistoryFolder): StoredHistory[] {
  return readdirSync(folderOf(folder))
    .filter((name) => name.endsWith('.json'))
    .map((name) => basename(name, '.json'))
    .sort()
    .map((scenario) => ({
      scenario,
      history: History.fromObject(
        JSON.parse(readFileSync(join(folderOf(folder), `${scenario}.json`), 'utf8')) as Record<string, unknown>,
      ),
    }));
}

export interface ReplayOptions {
  /** Default: the current workflow code. */
  readonly bundle?: { codePath: string } | { code: string };
  /** Called for each line that a workflow logs as an error. */
  readonly onLoggedError?: (message: string, attributes: unknown) => void;
}

const ignore = { fn: () => undefined };

/**
 * Replays histories.
 * @returns the error of each scenario. Undefined for a scenario that replays
 */
export async function replay(
  histories: readonly StoredHistory[],
  { bundle = workflowBundle(), onLoggedError = () => undefined }: ReplayOptions = {},
): Promise<Map<string, Error | undefined>> {
  const outcomes = new Map<string, Error | undefined>();
  const error = {
    fn: (_info: unknown, message: string, attributes: unknown) => onLoggedError(message, attributes),
    callDuringReplay: true,
  };
  const results = Worker.runReplayHistories(
    {
      workflowBundle: bundle,
      // Replaces the sink of the workflow logger, which is silent during replay.
      sinks: { defaultWorkerLogger: { trace: ignore, debug: ignore, info: ignore, warn: ignore, error } },
    },
    histories.map(({ scenario, history }) => ({ workflowId: scenario, history })),
  );
  for await (const { workflowId, error: failure } of results) outcomes.set(workflowId, failure);
  return outcomes;
}

/** Returns one line for each scenario that does not replay. */
export const failuresOf = (outcomes: ReadonlyMap<string, Error | undefined>): string[] =>
  [...outcomes].flatMap(([scenario, error]) => (error === undefined ? [] : [`${scenario}: ${error.message}`]));

/** Returns the current workflow code with one text replaced. @throws Error when the bundle does not contain `from` */
export function changedBundle(from: string, to: string): { code: string } {
  const code = readFileSync(workflowBundle().codePath, 'utf8');
  if (!code.includes(from)) throw new Error(`the workflow bundle does not contain ${from}`);
  return { code: code.replace(from, to) };
}
