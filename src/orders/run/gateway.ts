import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Client,
  isGrpcServiceError,
  QueryNotRegisteredError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow';
import { tsToDate } from '@temporalio/common/lib/time';
import { orderWorkflowId } from '../../platform/domain/workflows';
import { type ErrorCode, Refusal } from '../../platform/errors';
import type { Sql } from '../../platform/postgres';
import { sendUpdate } from '../../platform/temporal/updates';
import { isUnavailable, unavailable } from '../../platform/unavailable';
import { type RepairRequest, RUN_REFUSALS } from '../domain/lifecycle/requests';
import type { RunRefusal } from '../domain/lifecycle/rules/guards';
import { ENDED_ORDERS, type OrderStatus } from '../domain/lifecycle/statuses';
import {
  type CancelRequest,
  type CancelResult,
  type DispatchRequest,
  type DispatchResult,
  ORDER_QUERIES,
  ORDER_UPDATES,
  type RunView,
} from '../domain/run/run-messages';
import { flagOrder } from './flags';

/** Time that a request waits for the workflow. A carrier may need several seconds for a label, and HTTP clients time out after 30 s. */
const RESPONSE_MS = 25_000;
/** Time without a response after which Temporal counts as unavailable. The SDK's default is 20 s. */
const REACHABLE_MS = 4_000;
const STATE_MS = 2_000;
/** Time that a request waits for the start of an order that was submitted a moment ago. */
const START_MS = 5_000;
const LOOK_EVERY_MS = 100;
const FETCH_FILES = 'fetchOrderFiles';

const CODE_OF: Readonly<Record<string, ErrorCode>> = {
  [RUN_REFUSALS.conflict]: 'CONFLICT',
  [RUN_REFUSALS.notReady]: 'CONFLICT',
  [RUN_REFUSALS.invalid]: 'VALIDATION_ERROR',
  [RUN_REFUSALS.carrier]: 'PUBLIC_API_ERROR',
  [RUN_REFUSALS.unavailable]: 'UNAVAILABLE',
};
/** Type of the failure with which the server ends an update that the workflow had accepted when it ended. */
const ENDED_MEANWHILE = 'AcceptedUpdateCompletedWorkflow';

interface FailingStep {
  readonly step: string;
  readonly attempts: number;
  readonly message: string;
  /** Null while the next attempt is made. */
  readonly nextAttemptAt: Date | null;
}

/**
 * Sends updates and queries to order workflows for API requests.
 * Every method throws Refusal: `CONFLICT` when the workflow refuses or the order has ended, `VALIDATION_ERROR`,
 * `PUBLIC_API_ERROR` when the carrier refuses, `UNAVAILABLE` when the order has not started yet, or Temporal or every worker
 * is unavailable. An order whose workflow is gone is flagged: a repair gets `CONFLICT`, everything else `UNAVAILABLE`.
 */
export type RunGateway = ReturnType<typeof createRunGateway>;

export function createRunGateway(client: Client, sql: Sql) {
  const describe = (orderId: string, timeoutMs: number) =>
    client.withDeadline(Date.now() + timeoutMs, () => client.workflow.getHandle(orderWorkflowId(orderId)).describe());
  /** Calls the workflow of an order, and waits for the start of one that was submitted a moment ago. */
  async function whenStarted<T>(orderId: string, call: () => Promise<T>, isRepair = false): Promise<T> {
    for (const end = Date.now() + START_MS; ; ) {
      try {
        return await call();
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw refusalOf(error) ?? error;
        if (!(await awaitsStart(sql, orderId))) throw notRunning();
        const gone = await goneRun(orderId);
        if (gone !== null) {
          await flagOrder(sql, orderId, 'out_of_step', `the workflow is gone: ${gone}`, { untilNextRecord: true });
          if (isRepair)
            throw new Refusal('CONFLICT', {
              message: `The order’s workflow is gone (${gone}). An admin can revive it.`,
            });
          throw unavailable('The order waits for an operator. Try again later.');
        }
        if (Date.now() > end) throw unavailable('The order has not started yet. Try again shortly.');
        await sleep(LOOK_EVERY_MS);
      }
    }
  }
  /**
   * Returns how the workflow of an open order ended, or `missing`. Null: it runs, it has completed, its start waits, or the order
   * has ended. Needs no worker.
   */
  async function goneRun(orderId: string): Promise<string | null> {
    let how = 'missing';
    try {
      how = (await describe(orderId, REACHABLE_MS)).status.name;
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw refusalOf(error) ?? error;
    }
    if (how === 'RUNNING' || how === 'COMPLETED' || !(await awaitsStart(sql, orderId))) return null;
    const waiting = await sql`
      SELECT FROM outbox WHERE kind = 'start_workflow' AND target = ${orderWorkflowId(orderId)} AND dead_at IS NULL LIMIT 1`;
    return waiting.length > 0 ? null : how;
  }
  async function update<T>(orderId: string, name: string, argument: object, updateId?: string): Promise<T> {
    const handle = client.workflow.getHandle(orderWorkflowId(orderId));
    return await whenStarted(
      orderId,
      async () => {
        // This call fails fast while Temporal is unavailable. Without it the SDK keeps retrying the update after the caller
        // has timed out, and the update takes effect when Temporal is available again.
        await client.withDeadline(Date.now() + REACHABLE_MS, () => client.workflowService.getSystemInfo({}));
        return await sendUpdate(client, RESPONSE_MS, () =>
          handle.executeUpdate<T, [object]>(name, {
            args: [argument],
            ...(updateId === undefined ? {} : { updateId }),
          }),
        );
      },
      name === ORDER_UPDATES.repair,
    );
  }
  /** Concurrent requests for one print order share one update: a workflow accepts ten updates at a time. */
  const pending = new Map<string, Promise<DispatchResult>>();
  function dispatch(orderId: string, request: DispatchRequest): Promise<DispatchResult> {
    const { printOrderId } = request;
    const dispatching =
      pending.get(printOrderId) ??
      update<DispatchResult>(orderId, ORDER_UPDATES.dispatch, request).finally(() => pending.delete(printOrderId));
    pending.set(printOrderId, dispatching);
    return dispatching;
  }
  /** Ends the back-off between attempts to fetch the files of an order. The attempts count from one again, the window does not. */
  async function fetchFilesNow(orderId: string): Promise<void> {
    await withRefusals(async () => {
      const { raw } = await describe(orderId, REACHABLE_MS);
      const isFailing = (raw.pendingActivities ?? []).some(
        ({ activityType, lastFailure }) => activityType?.name === FETCH_FILES && lastFailure != null,
      );
      if (!isFailing) return;
      await client.withDeadline(Date.now() + REACHABLE_MS, () =>
        client.workflowService.resetActivity({
          namespace: client.options.namespace,
          execution: { workflowId: orderWorkflowId(orderId) },
          type: FETCH_FILES,
        }),
      );
    });
  }
  return {
    dispatch,
    /** Returns when the order's workflow is running. Needs no worker. */
    checkRunning: (orderId: string) =>
      whenStarted(orderId, async () => {
        const { status } = await describe(orderId, REACHABLE_MS);
        if (status.name !== 'RUNNING') throw notRunning();
      }),
    changeShipping: (orderId: string, changeId: string) =>
      update<{ revision: number }>(orderId, ORDER_UPDATES.changeShipping, { changeId }, changeId),
    /** @param cancelId a repeated call with the same id is one cancel, unless it was refused: then it is tried once more */
    cancel: async (orderId: string, request: CancelRequest, cancelId?: string) =>
      await update<CancelResult>(orderId, ORDER_UPDATES.cancel, request, cancelId).catch((error: unknown) => {
        if (cancelId === undefined || !(error instanceof Refusal && error.code === 'CONFLICT')) throw error;
        return update<CancelResult>(orderId, ORDER_UPDATES.cancel, request);
      }),
    /** @param repairId a repeated call with the same id is one repair */
    repair: async (orderId: string, request: RepairRequest, repairId: string) => {
      const done = await update<{ fulfillmentStatus: OrderStatus }>(orderId, ORDER_UPDATES.repair, request, repairId);
      if (request.action === 'retry') await fetchFilesNow(orderId);
      return done;
    },
    /** See `goneRun`. Null also while Temporal does not respond. */
    goneRun: (orderId: string) =>
      goneRun(orderId).catch((error: unknown) => {
        if (error instanceof Refusal) return null;
        throw error;
      }),
    /** Returns the steps of the order that have failed and are tried again. Needs no worker. */
    failingSteps: (orderId: string) =>
      withRefusals(async (): Promise<FailingStep[]> => {
        const { raw } = await describe(orderId, STATE_MS);
        const failing = (raw.pendingActivities ?? []).filter(({ lastFailure }) => lastFailure != null);
        return await Promise.all(
          failing.map(async ({ activityType, attempt, lastFailure, nextAttemptScheduleTime }) => ({
            step: activityType?.name ?? '',
            attempts: attempt ?? 1,
            message: (await decodeOptionalFailureToOptionalError(client.options.loadedDataConverter, lastFailure))!
              .message,
            nextAttemptAt: nextAttemptScheduleTime == null ? null : tsToDate(nextAttemptScheduleTime),
          })),
        );
      }),
    /** Waits at most two seconds. Without a response, operators see the state in Postgres. */
    state: (orderId: string) =>
      withRefusals(() =>
        client.withDeadline(Date.now() + STATE_MS, () =>
          client.workflow.getHandle(orderWorkflowId(orderId)).query<RunView>(ORDER_QUERIES.runState),
        ),
      ),
  };
}

async function withRefusals<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw refusalOf(error) ?? error;
  }
}

function refusalOf(error: unknown): Refusal | null {
  if (error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure) {
    const { type, message, details } = error.cause;
    if (type === ENDED_MEANWHILE) return notRunning();
    const code = CODE_OF[type ?? ''];
    if (code === undefined) return null;
    if (code === 'UNAVAILABLE') return unavailable(sentence(message));
    const reference = (details?.[0] as { reference?: string } | undefined)?.reference;
    return new Refusal(code, {
      message: sentence(message),
      ...(reference === undefined
        ? {}
        : { errors: [{ code: 'VALIDATION_ERROR' as const, message: sentence(message), reference }] }),
    });
  }
  if (error instanceof WorkflowNotFoundError) return notRunning();
  // The SDK throws it for every failed query, also when the workflow cannot be replayed.
  if (error instanceof QueryNotRegisteredError) return unavailable();
  // Other gRPC statuses count too: a query that no worker polls for, for example, is FAILED_PRECONDITION.
  const isFromTemporal = isGrpcServiceError((error as Error).cause ?? error);
  return isFromTemporal || isUnavailable(error) ? unavailable() : null;
}

function notRunning(): Refusal {
  return new Refusal('CONFLICT', { message: 'The order workflow is not running: the order has ended.' });
}

/**
 * Returns true for an order that has not ended. Without a workflow, its start waits in the outbox, or for the next
 * reconciliation.
 */
async function awaitsStart(sql: Sql, orderId: string): Promise<boolean> {
  const rows = await sql`
    SELECT FROM orders
    WHERE id = ${orderId} AND fulfillment_status <> ALL(${['draft', ...ENDED_ORDERS]}) AND tracking_ended_at IS NULL`;
  return rows.length > 0;
}

export function refuseWith(why: RunRefusal): void {
  if (why !== null) throw new Refusal(CODE_OF[why.type]!, { message: sentence(why.message) });
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
