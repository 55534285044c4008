import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import pLimit from 'p-limit';
import { z } from 'zod';
import { WORKFLOW_TYPES } from '../../platform/domain/workflows';
import { NO_SLOT } from '../../platform/temporal/slot-shares';
import { ORDER_QUERIES, type RunView } from '../domain/run/run-messages';

export const PAGE = 500;

/** Concurrent requests to Temporal. A request takes a few milliseconds, and running orders need the server too. */
const CONCURRENCY = 10;

/**
 * Maps items to results, `CONCURRENCY` at a time. Results keep the order of the items.
 * @throws the first error; items that have not started by then do not start
 */
export async function mapConcurrently<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const limit = pLimit(CONCURRENCY);
  try {
    return await limit.map(items, work);
  } catch (error) {
    limit.clearQueue();
    throw error;
  }
}

/** Returns true for the text of a UUID. The id of a workflow that was started manually may have any text. */
export const isOrderId = (text: string): boolean => z.guid().safeParse(text).success;

/** A step that does not begin. `takesSignals`: the workflow can handle a signal meanwhile. */
export interface StuckStep {
  readonly message: string;
  readonly takesSignals: boolean;
}

export type RunLookup =
  /**
   * `busy`: a workflow task waits for a worker, so the workflow may not have handled its latest signals.
   * `working`: an activity runs, or waits for its next attempt.
   * `stuck`: what keeps failing or waits for a worker, when an order has not progressed for a long time.
   */
  | {
      readonly status: 'running';
      readonly runId: string;
      readonly startedAt: Date;
      readonly historyLength: number;
      readonly busy: boolean;
      readonly working: boolean;
      readonly stuck: StuckStep | null;
    }
  | { readonly status: 'completed' }
  /** The execution failed, timed out, or was terminated or cancelled. */
  | { readonly status: 'failed'; readonly how: string }
  | { readonly status: 'missing' };

/**
 * Returns the status of a workflow execution.
 * @throws the client's error when Temporal is unavailable
 */
export async function lookUpRun(client: Client, workflowId: string): Promise<RunLookup> {
  let seen: WorkflowExecutionDescription;
  try {
    seen = await client.workflow.getHandle(workflowId).describe();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { status: 'missing' };
    throw error;
  }
  const { name } = seen.status;
  if (name === 'RUNNING') {
    const { pendingWorkflowTask, pendingActivities } = seen.raw;
    return {
      status: 'running',
      runId: seen.runId,
      startedAt: seen.startTime,
      historyLength: seen.historyLength,
      busy: pendingWorkflowTask != null,
      working: (pendingActivities ?? []).length > 0,
      stuck: stuckStep(seen.raw),
    };
  }
  return name === 'COMPLETED' ? { status: 'completed' } : { status: 'failed', how: name };
}

const { PendingActivityState } = temporal.api.enums.v1;

function stuckStep({
  pendingWorkflowTask: task,
  pendingActivities,
}: WorkflowExecutionDescription['raw']): StuckStep | null {
  if (task != null) {
    const attempt = task.attempt ?? 1;
    const why = attempt > 1 ? `attempt ${attempt} after failures or timeouts` : 'no worker executes it';
    return { message: `workflow task: ${why}`, takesSignals: false };
  }
  const waiting = (pendingActivities ?? []).find(
    ({ state, attempt, lastFailure }) =>
      state === PendingActivityState.PENDING_ACTIVITY_STATE_SCHEDULED &&
      (attempt === 1 || lastFailure?.applicationFailureInfo?.type === NO_SLOT),
  );
  if (waiting === undefined) return null;
  return { message: `${waiting.activityType?.name}: no slot of a worker is free for it`, takesSignals: true };
}

/** Time in which a worker replays a workflow and responds to a query. */
const QUERY_TIMEOUT_MS = 30_000;

/**
 * Returns the state of an order workflow, running or completed.
 * @throws QueryNotRegisteredError and other query errors, and Error after a timeout, when the workflow cannot be replayed;
 *   the client's error when Temporal is unavailable
 */
export async function viewOfRun(client: Client, workflowId: string): Promise<RunView> {
  const end = Date.now() + QUERY_TIMEOUT_MS;
  try {
    return await client.withDeadline(end, () =>
      client.workflow.getHandle(workflowId).query<RunView>(ORDER_QUERIES.runState),
    );
  } catch (error) {
    // A worker is running: the caller is one of its activities. A query without a response is the fault of this workflow.
    if (Date.now() >= end) throw new Error(`${workflowId} did not respond to a query in time`);
    throw error;
  }
}

/**
 * Returns those of the given workflow ids whose execution is running, as Temporal's visibility store shows it. One request
 * replaces hundreds of `lookUpRun` calls. The store lags behind by about a second, and after a restore of Temporal it may
 * show executions that no longer exist.
 */
export async function runningAmong(client: Client, workflowIds: readonly string[]): Promise<Set<string>> {
  if (workflowIds.length === 0) return new Set();
  const ids = idsQuery(workflowIds);
  // Nearly always all are running, and a count costs a small part of a list. Only an execution that has just continued as
  // new may be counted twice; a missing one beside it is then found by the next reconciliation.
  const { count } = await client.workflow.count(`${ids} AND ExecutionStatus = 'Running'`);
  if (count >= workflowIds.length) return new Set(workflowIds);
  const running = new Set<string>();
  let nextPageToken: Uint8Array = new Uint8Array();
  do {
    const page = await client.workflowService.listWorkflowExecutions({
      namespace: client.options.namespace,
      query: ids,
      pageSize: PAGE,
      nextPageToken,
    });
    for (const { execution, status } of page.executions) {
      if (status === RUNNING) running.add(execution!.workflowId!);
    }
    ({ nextPageToken } = page);
  } while (nextPageToken.length > 0);
  return running;
}

/**
 * Returns the part of a list filter that selects these workflow ids. Without the range, a store in SQLite reads all workflows
 * of the namespace, because it has no statistics to prefer the index of workflow ids. Ids of orders have one length and the
 * characters 0-9a-f, so every store sorts them alike. An id that a store places outside the range is looked up separately.
 */
function idsQuery(workflowIds: readonly string[]): string {
  const sorted = workflowIds.toSorted();
  const range = `WorkflowId BETWEEN ${quoted(sorted[0]!)} AND ${quoted(sorted.at(-1)!)}`;
  return `WorkflowId IN (${workflowIds.map(quoted).join(', ')}) AND ${range}`;
}

const RUNNING = temporal.api.enums.v1.WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_RUNNING;

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

export interface RunPage {
  readonly workflowIds: readonly string[];
  /** Base64; empty after the last page. */
  readonly next: string;
}

/**
 * Returns a page of the running order workflows of a task queue.
 * @param after `next` of the previous page; empty for the first
 */
export async function runningOrderRuns(client: Client, taskQueue: string, after: string): Promise<RunPage> {
  const { executions, nextPageToken } = await client.workflowService.listWorkflowExecutions({
    namespace: client.options.namespace,
    query: `WorkflowType = '${WORKFLOW_TYPES.order}' AND ExecutionStatus = 'Running' AND TaskQueue = ${quoted(taskQueue)}`,
    pageSize: PAGE,
    nextPageToken: Buffer.from(after, 'base64'),
  });
  return {
    workflowIds: executions.map(({ execution }) => execution!.workflowId!),
    next: Buffer.from(nextPageToken).toString('base64'),
  };
}
