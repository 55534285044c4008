import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import { WORKFLOW_TYPES } from '../../platform/domain/workflows';
import type { RunState } from '../domain/lifecycle/run-state';
import { ORDER_QUERIES } from '../domain/run/run-messages';

/** Questions to Temporal at once: an answer takes some milliseconds, and orders in work need the server too. */
const AT_ONCE = 10;

/** Does `work` for each, some at a time. @returns the results in order */
export async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(from, from + AT_ONCE).map(work))));
  }
  return results;
}

export type RunLookup =
  | {
      readonly is: 'running' /** A task waits for a worker: what the run was sent may not have reached it. */;
      readonly busy: boolean;
    }
  | { readonly is: 'completed' }
  /** Failed, terminated, timed out or cancelled: it did not come to its end by itself. */
  | { readonly is: 'broken-off'; readonly how: string }
  | { readonly is: 'missing' };

/** How a workflow stands. @throws the client's error while Temporal is away */
export async function lookAtRun(client: Client, workflowId: string): Promise<RunLookup> {
  let seen: WorkflowExecutionDescription;
  try {
    seen = await client.workflow.getHandle(workflowId).describe();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { is: 'missing' };
    throw error;
  }
  const { name } = seen.status;
  if (name === 'RUNNING') return { is: 'running', busy: seen.raw.pendingWorkflowTask != null };
  return name === 'COMPLETED' ? { is: 'completed' } : { is: 'broken-off', how: name };
}

/** The state of an order's run, also of one that has ended. @throws QueryNotRegistered and the like for broken runs */
export async function stateOfRun(client: Client, workflowId: string): Promise<RunState> {
  return await client.withDeadline(Date.now() + 30_000, () =>
    client.workflow.getHandle(workflowId).query<RunState>(ORDER_QUERIES.runState),
  );
}

export interface RunPage {
  readonly workflowIds: readonly string[];
  /** Base64; empty after the last page. */
  readonly next: string;
}

const PAGE = 500;

/** A page of the order runs that are running on a task queue. @param after `next` of the page before */
export async function runningOrderRuns(client: Client, taskQueue: string, after: string): Promise<RunPage> {
  const { executions, nextPageToken } = await client.workflowService.listWorkflowExecutions({
    namespace: client.options.namespace,
    query: `WorkflowType = '${WORKFLOW_TYPES.order}' AND ExecutionStatus = 'Running' AND TaskQueue = '${taskQueue.replaceAll("'", "''")}'`,
    pageSize: PAGE,
    nextPageToken: Buffer.from(after, 'base64'),
  });
  return {
    workflowIds: executions.map(({ execution }) => execution!.workflowId!),
    next: Buffer.from(nextPageToken).toString('base64'),
  };
}
