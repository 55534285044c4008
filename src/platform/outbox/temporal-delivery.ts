import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from '@temporalio/client';
import type { TypedSearchAttributes } from '@temporalio/common';
import { isTemporalUnavailable } from '../unavailable';
import type { OutboxRow } from './outbox';
import type { DeliveryOutcome, Lane } from './relay';

/** Payload of a `start_workflow` row. The target of the row is the workflow id. */
export interface WorkflowStart {
  readonly workflowType: string;
  readonly args: readonly unknown[];
  readonly memo?: Readonly<Record<string, unknown>>;
  readonly summary?: string;
}

/** Payload of a `signal_workflow` row. The target of the row is the workflow id. */
export interface WorkflowSignal {
  readonly signal: string;
  readonly args: readonly unknown[];
}

export interface TemporalDeliveryOptions {
  readonly client: Client;
  readonly taskQueue: string;
  /** Returns the initial search attributes of a workflow. */
  readonly searchAttributes?: (start: WorkflowStart) => TypedSearchAttributes | undefined;
}

/** Returns the lanes that deliver workflow starts and signals to Temporal. */
export function temporalLanes(options: TemporalDeliveryOptions): Lane[] {
  const { client, taskQueue } = options;
  return [
    {
      kind: 'start_workflow',
      concurrency: 32,
      leaseSeconds: 30,
      deliver: (row) => delivered(client, () => start(client, taskQueue, row, options.searchAttributes)),
    },
    {
      kind: 'signal_workflow',
      concurrency: 32,
      leaseSeconds: 30,
      deliver: (row) => delivered(client, () => signal(client.workflow.getHandle(row.target), row)),
    },
  ];
}

/** Well below the lease. Without a deadline, the client would retry an unavailable server for longer. */
const DEADLINE_MS = 10_000;

async function delivered(client: Client, work: () => Promise<DeliveryOutcome>): Promise<DeliveryOutcome> {
  try {
    return await client.withDeadline(Date.now() + DEADLINE_MS, work);
  } catch (error) {
    if (isTemporalUnavailable(error)) return { outcome: 'unavailable', error: (error as Error).message };
    throw error;
  }
}

async function start(
  client: Client,
  taskQueue: string,
  row: OutboxRow,
  searchAttributes: TemporalDeliveryOptions['searchAttributes'],
): Promise<DeliveryOutcome> {
  const message = row.payload as WorkflowStart;
  const typedSearchAttributes = searchAttributes?.(message);
  try {
    await client.workflow.start(message.workflowType, {
      workflowId: row.target,
      taskQueue,
      args: [...message.args],
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      workflowIdConflictPolicy: 'USE_EXISTING',
      ...(message.memo ? { memo: { ...message.memo } } : {}),
      ...(message.summary ? { staticSummary: message.summary } : {}),
      ...(typedSearchAttributes ? { typedSearchAttributes } : {}),
    });
  } catch (error) {
    // Already started, perhaps completed: the row was delivered, and its deletion was lost.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
  return { outcome: 'done' };
}

async function signal(handle: WorkflowHandle, row: OutboxRow): Promise<DeliveryOutcome> {
  const message = row.payload as WorkflowSignal;
  try {
    await handle.signal(message.signal, ...message.args);
    return { outcome: 'done' };
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    if (await hasEnded(handle)) return { outcome: 'done' };
    // Not started yet: its start message is still in the outbox.
    if (row.attempts < 8)
      return {
        outcome: 'retry',
        at: new Date(Date.now() + 500 * 2 ** row.attempts),
        error: 'the workflow has not started yet',
      };
    return { outcome: 'dead', error: 'no workflow has this id' };
  }
}

/** Returns true when the workflow has completed. A later signal has no receiver, which is not an error. */
async function hasEnded(handle: WorkflowHandle): Promise<boolean> {
  try {
    return (await handle.describe()).status.name !== 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
