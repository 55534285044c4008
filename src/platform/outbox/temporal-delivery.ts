import {
  type Client,
  isGrpcServiceError,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { NamespaceNotFoundError, type TypedSearchAttributes } from '@temporalio/common';
import { workflowDetails } from '../http/operator-page-urls';
import type { Sql } from '../postgres';
import { isTemporalUnavailable } from '../unavailable';
import type { DeliveryOutcome, Lane } from './lane';
import type { OutboxRow } from './outbox';

/** Payload of a `start_workflow` row. The target of the row is the workflow id. */
export interface WorkflowStart {
  readonly workflowType: string;
  readonly args: readonly unknown[];
  readonly memo?: Readonly<Record<string, unknown>>;
  readonly summary?: string;
  /** Whose turn the workflow's tasks take. Activities without a key of their own have the same. */
  readonly fairnessKey?: string;
  /** True when an earlier execution of the workflow id was terminated for this one. */
  readonly replacesTerminated?: boolean;
  /** Run id of the completed execution that this one follows. No other completed execution is repeated. */
  readonly replacesRun?: string;
}

export interface WorkflowSignal {
  readonly signal: string;
  readonly args: readonly unknown[];
}

export interface TemporalDeliveryOptions {
  readonly client: Client;
  readonly sql: Sql;
  readonly taskQueue: string;
  /** Base URL of the console, to which the static details of workflows link. */
  readonly publicUrl: string;
  /** Returns why no workflow may start, or null. */
  readonly startHold?: () => Promise<string | null>;
  /** Unset: starts count towards the limit of their client until they are delivered. */
  readonly startedWorkflows?: StartedWorkflows;
  readonly searchAttributes?: (start: WorkflowStart) => TypedSearchAttributes | undefined;
}

export interface StartedWorkflows {
  /** Number of workflows of one client that this process starts before earlier ones no longer count. */
  readonly perClient: number;
  /** Resolves when a started workflow no longer counts. */
  untilUncounted(workflowId: string, clientId: string): Promise<void>;
}

export function temporalLanes(options: TemporalDeliveryOptions): Lane[] {
  const { client, sql, startedWorkflows } = options;
  const lane = (kind: Lane['kind'], deliver: Lane['deliver']) => ({
    kind,
    concurrency: 32,
    leaseSeconds: 30,
    deliver: (row: OutboxRow) => delivered(client, () => deliver(row)),
  });
  return [
    {
      ...lane('start_workflow', (row) => start(options, row)),
      perKey: startedWorkflows?.perClient ?? STARTS_PER_CLIENT,
      ...(startedWorkflows && {
        untilUncounted: async ({ target, payload }) => {
          const { fairnessKey } = payload as WorkflowStart;
          if (fairnessKey) await startedWorkflows.untilUncounted(target, fairnessKey);
        },
      }),
    },
    lane('signal_workflow', (row) => signal(sql, client.workflow.getHandle(row.target), row)),
  ];
}

/**
 * Starts under way for one client. Half of the slots: the starts of a client with many orders leave the others to those of other
 * clients.
 */
const STARTS_PER_CLIENT = 16;

/** Well below the lease. Without a deadline, the client would retry an unavailable server for longer. */
const DEADLINE_MS = 10_000;

/** gRPC statuses with which Temporal rejects a message. The same message is rejected again. */
const REJECTED: Readonly<Record<number, string>> = {
  3: 'INVALID_ARGUMENT',
  5: 'NOT_FOUND',
  9: 'FAILED_PRECONDITION',
};

/** PERMISSION_DENIED and UNAUTHENTICATED: Temporal rejects this process, not the message. */
const LOCKED_OUT = new Set([7, 16]);

/**
 * Texts of Temporal's frontend for a search attribute that it does not know. A frontend reads a new attribute some seconds
 * after its registration, so the first starts in a new namespace meet this. The status is INVALID_ARGUMENT, without details.
 */
const UNKNOWN_SEARCH_ATTRIBUTE = /no mapping defined for search attribute|search attribute \S+ is not defined/i;

async function delivered(client: Client, work: () => Promise<DeliveryOutcome>): Promise<DeliveryOutcome> {
  try {
    return await client.withDeadline(Date.now() + DEADLINE_MS, work);
  } catch (error) {
    return outcomeOfError(error);
  }
}

/**
 * Returns the outcome of an attempt that failed.
 * @throws the error, when it does not come from Temporal's server or its status says nothing about the cause. The attempt
 *   then counts
 */
export function outcomeOfError(error: unknown): DeliveryOutcome {
  const { message } = error as Error;
  // A missing namespace affects every message. It is missing until someone creates or restores it.
  if (error instanceof NamespaceNotFoundError) return { outcome: 'unavailable', error: message };
  const cause = isGrpcServiceError(error) ? error : (error as { cause?: unknown } | null | undefined)?.cause;
  if (isTemporalUnavailable(error) || (isGrpcServiceError(cause) && LOCKED_OUT.has(cause.code)))
    return { outcome: 'unavailable', error: message };
  const rejection = isGrpcServiceError(cause) ? REJECTED[cause.code] : undefined;
  if (!isGrpcServiceError(cause) || rejection === undefined) throw error;
  if (UNKNOWN_SEARCH_ATTRIBUTE.test(cause.details)) return { outcome: 'unavailable', error: cause.details };
  return { outcome: 'dead', error: `Temporal rejected the message (${rejection}): ${cause.details}` };
}

async function start(
  { client, taskQueue, publicUrl, searchAttributes, startHold }: TemporalDeliveryOptions,
  row: OutboxRow,
): Promise<DeliveryOutcome> {
  const hold = (await startHold?.()) ?? null;
  if (hold !== null) return { outcome: 'unavailable', error: `no workflow starts: ${hold}` };
  const message = row.payload as WorkflowStart;
  const typedSearchAttributes = searchAttributes?.(message);
  if (message.replacesRun !== undefined) {
    const latest = await latestRun(client.workflow.getHandle(row.target));
    if (latest !== null && latest.runId !== message.replacesRun) return { outcome: 'done' };
    if (latest?.status.name === 'RUNNING') {
      return { outcome: 'wait', afterMs: SHORTEST_WAIT_MS, error: 'the execution that it follows is still running' };
    }
  }
  try {
    await client.workflow.start(message.workflowType, {
      workflowId: row.target,
      taskQueue,
      args: [...message.args],
      workflowIdReusePolicy: reusePolicyOf(message),
      workflowIdConflictPolicy: 'USE_EXISTING',
      ...(message.memo ? { memo: { ...message.memo } } : {}),
      ...(message.summary ? { staticSummary: message.summary } : {}),
      ...(message.fairnessKey ? { priority: { fairnessKey: message.fairnessKey } } : {}),
      staticDetails: workflowDetails(publicUrl, row.target),
      ...(typedSearchAttributes ? { typedSearchAttributes } : {}),
    });
  } catch (error) {
    // Already started, perhaps completed: the row was delivered, and its deletion was lost.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
  return { outcome: 'done' };
}

function reusePolicyOf({ replacesRun, replacesTerminated }: WorkflowStart) {
  if (replacesRun !== undefined) return 'ALLOW_DUPLICATE';
  return replacesTerminated ? 'ALLOW_DUPLICATE_FAILED_ONLY' : 'REJECT_DUPLICATE';
}

/** Attempts to signal a workflow that neither exists nor is about to start. They last about two minutes. */
const UNKNOWN_WORKFLOW_ATTEMPTS = 8;
/** Limits of the time between two attempts of a signal whose workflow has not started. */
const SHORTEST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

async function signal(sql: Sql, handle: WorkflowHandle, row: OutboxRow): Promise<DeliveryOutcome> {
  const message = row.payload as WorkflowSignal;
  try {
    await handle.signal(message.signal, ...message.args);
    return { outcome: 'done' };
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    // An execution that follows a terminated one comes first.
    if (await isStartWaiting(sql, row.target)) {
      // The longer the start takes, the less often the signal is attempted.
      const waitMs = Math.min(Math.max((Date.now() - row.createdAt.getTime()) / 4, SHORTEST_WAIT_MS), LONGEST_WAIT_MS);
      return { outcome: 'wait', afterMs: waitMs, error: 'the workflow has not started yet' };
    }
    if (await hasEnded(handle)) return { outcome: 'done' };
    const message = 'no workflow has this id';
    if (row.attempts >= UNKNOWN_WORKFLOW_ATTEMPTS) return { outcome: 'dead', error: message };
    // The start may have been delivered after the signal was attempted.
    return { outcome: 'retry', afterMs: 500 * 2 ** row.attempts, error: message };
  }
}

async function isStartWaiting(sql: Sql, workflowId: string): Promise<boolean> {
  const rows = await sql`
    SELECT FROM outbox WHERE kind = 'start_workflow' AND target = ${workflowId} AND dead_at IS NULL LIMIT 1`;
  return rows.length > 0;
}

/** Returns true when the workflow has completed. A later signal has no receiver, which is not an error. */
async function hasEnded(handle: WorkflowHandle): Promise<boolean> {
  const latest = await latestRun(handle);
  return latest !== null && latest.status.name !== 'RUNNING';
}

async function latestRun(handle: WorkflowHandle) {
  try {
    return await handle.describe();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}
