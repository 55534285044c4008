import {
  type Client,
  isGrpcServiceError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { orderWorkflowId } from '../../platform/domain/workflows';
import { type ErrorCode, Refusal } from '../../platform/errors';
import { sendUpdate } from '../../platform/temporal/updates';
import { isUnavailable, unavailable } from '../../platform/unavailable';
import type { RunRefusal } from '../domain/lifecycle/guards';
import type { RunState } from '../domain/lifecycle/run-state';
import type { OrderStatus } from '../domain/lifecycle/statuses';
import {
  type CancelRequest,
  type DispatchResult,
  ORDER_QUERIES,
  ORDER_UPDATES,
  type RepairRequest,
  RUN_REFUSALS,
} from '../domain/run/run-messages';

/** How long a request waits for a run's answer: a label may take its carrier a while, and HTTP clients give up at 30 s. */
const ANSWER_MS = 25_000;
/** How long Temporal may be silent before it counts as away; the SDK by itself tries for 20 s. */
const REACHABLE_MS = 4_000;
const STATE_MS = 2_000;

const CODE_OF: Readonly<Record<string, ErrorCode>> = {
  [RUN_REFUSALS.conflict]: 'CONFLICT',
  [RUN_REFUSALS.notReady]: 'CONFLICT',
  [RUN_REFUSALS.invalid]: 'VALIDATION_ERROR',
  [RUN_REFUSALS.carrier]: 'PUBLIC_API_ERROR',
  [RUN_REFUSALS.unavailable]: 'UNAVAILABLE',
};

/**
 * Speaks to order runs on behalf of requests.
 * Every method throws Refusal: `CONFLICT` when the run says no or has ended, `VALIDATION_ERROR`, `PUBLIC_API_ERROR`
 * for a carrier's no, `UNAVAILABLE` when Temporal or every worker is away.
 */
export interface RunGateway {
  dispatch(orderId: string, printOrderId: string): Promise<DispatchResult>;
  changeShipping(orderId: string, changeId: string): Promise<{ revision: number }>;
  cancel(orderId: string, request: CancelRequest): Promise<{ fulfillmentStatus: OrderStatus }>;
  /** @param actId acts of one id are one act */
  repair(orderId: string, request: RepairRequest, actId: string): Promise<{ fulfillmentStatus: OrderStatus }>;
  /** Waits two seconds at most: pages show what Postgres has without it. */
  state(orderId: string): Promise<RunState>;
}

export function createRunGateway(client: Client): RunGateway {
  async function update<T>(orderId: string, name: string, argument: object, updateId?: string): Promise<T> {
    const handle = client.workflow.getHandle(orderWorkflowId(orderId));
    return await asked(async () => {
      // Asked first, so that an absent Temporal is known at once, and nothing is done behind the caller's back when
      // it comes back: the SDK goes on trying a call that its caller has given up.
      await client.withDeadline(Date.now() + REACHABLE_MS, () => client.workflowService.getSystemInfo({}));
      return await sendUpdate(client, ANSWER_MS, () =>
        handle.executeUpdate<T, [object]>(name, {
          args: [argument],
          ...(updateId === undefined ? {} : { updateId }),
        }),
      );
    });
  }
  /** Requests of one print order share one update: a run takes ten at once, and an impatient partner sends more. */
  const dispatching = new Map<string, Promise<DispatchResult>>();
  function dispatch(orderId: string, printOrderId: string): Promise<DispatchResult> {
    const asking =
      dispatching.get(printOrderId) ??
      update<DispatchResult>(orderId, ORDER_UPDATES.dispatch, { printOrderId }).finally(() =>
        dispatching.delete(printOrderId),
      );
    dispatching.set(printOrderId, asking);
    return asking;
  }
  return {
    dispatch,
    changeShipping: (orderId, changeId) =>
      update(orderId, ORDER_UPDATES.changeShipping, { changeId }, changeId),
    cancel: (orderId, request) => update(orderId, ORDER_UPDATES.cancel, request),
    repair: (orderId, request, actId) => update(orderId, ORDER_UPDATES.repair, request, actId),
    state: (orderId) =>
      asked(() =>
        client.withDeadline(Date.now() + STATE_MS, () =>
          client.workflow.getHandle(orderWorkflowId(orderId)).query<RunState>(ORDER_QUERIES.runState),
        ),
      ),
  };
}

async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw refusalOf(error) ?? error;
  }
}

function refusalOf(error: unknown): Refusal | null {
  if (error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure) {
    const { type, message, details } = error.cause;
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
  // Not started yet, or ended: either way nothing can be changed now.
  if (error instanceof WorkflowNotFoundError) {
    return new Refusal('CONFLICT', {
      message: 'The order has no run that could do this: it has ended, or is about to begin.',
    });
  }
  // Other gRPC statuses count too: a query that no worker polls for, for example, is FAILED_PRECONDITION.
  const isFromTemporal = isGrpcServiceError((error as Error).cause ?? error);
  return isFromTemporal || isUnavailable(error) ? unavailable() : null;
}

/** @throws Refusal for what a run would refuse for this reason */
export function refuseWith(why: RunRefusal): void {
  if (why !== null) throw new Refusal(CODE_OF[why.type]!, { message: sentence(why.message) });
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
