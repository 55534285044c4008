import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { Config } from '../platform/config';
import { shippingOrderWorkflowId, WORKFLOW_TYPES } from '../platform/domain/workflows';
import { isTemporalUnavailable, unavailable } from '../platform/unavailable';
import type { ShippingOrderInput, ShippingOrderOutcome } from './domain/shipping-order-run';

/** How long a request waits for its labels. */
export const ANSWER_SECONDS = 45;
const START_SECONDS = 5;

/**
 * Starts the purchase of a shipping order, or joins one under way, and waits for its outcome.
 * @throws Refusal UNAVAILABLE when Temporal or every worker is away; the purchase then goes on when they are back
 */
export async function runShippingOrder(
  client: Client,
  config: Pick<Config, 'TEMPORAL_TASK_QUEUE'>,
  input: ShippingOrderInput,
): Promise<ShippingOrderOutcome> {
  const workflowId = shippingOrderWorkflowId(input.shippingOrderId);
  try {
    await client.withDeadline(Date.now() + START_SECONDS * 1000, () =>
      start(client, config, workflowId, input),
    );
    return await client.withDeadline(
      Date.now() + ANSWER_SECONDS * 1000,
      async () => (await client.workflow.getHandle(workflowId).result()) as ShippingOrderOutcome,
    );
  } catch (error) {
    if (!isTemporalUnavailable(error)) throw error;
    throw unavailable('The labels could not be bought yet; send the same request again to get them.');
  }
}

async function start(
  client: Client,
  { TEMPORAL_TASK_QUEUE: taskQueue }: Pick<Config, 'TEMPORAL_TASK_QUEUE'>,
  workflowId: string,
  input: ShippingOrderInput,
): Promise<void> {
  try {
    await client.workflow.start(WORKFLOW_TYPES.shippingOrder, {
      workflowId,
      taskQueue,
      args: [input],
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      workflowIdConflictPolicy: 'USE_EXISTING',
      memo: { requestId: input.requestId },
    });
  } catch (error) {
    // It ran before: its result is there to be read.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
