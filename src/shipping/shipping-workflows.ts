import { type Client, WorkflowExecutionAlreadyStartedError, type WorkflowStartOptions } from '@temporalio/client';
import type { Config } from '../platform/config';
import {
  cancelShippingOrderWorkflowId,
  replaceLabelWorkflowId,
  shippingOrderWorkflowId,
  WORKFLOW_TYPES,
} from '../platform/domain/workflows';
import { workflowDetails } from '../platform/http/operator-page-urls';
import { isTemporalUnavailable, unavailable } from '../platform/unavailable';
import type {
  Cancellation,
  LabelToReplace,
  ReplacedLabel,
  ShippingOrderInput,
  ShippingOrderOutcome,
} from './domain/shipping-runs';

/** How long a request waits for its labels. */
export const LABEL_WAIT_SECONDS = 45;
const START_SECONDS = 5;

interface WorkflowDeps {
  readonly client: Client;
  readonly config: Pick<Config, 'TEMPORAL_TASK_QUEUE'>;
  readonly publicUrl: string;
}

interface RequestedWorkflow<Input> {
  readonly type: string;
  readonly idOf: (input: Input) => string;
  readonly reuse: NonNullable<WorkflowStartOptions['workflowIdReusePolicy']>;
  /** How long the request waits for the outcome. */
  readonly seconds: number;
  /** Message of the 503 response. */
  readonly unavailable: string;
}

/**
 * Returns a function that starts a workflow, or joins the running one, and waits for its outcome.
 * The function throws Refusal UNAVAILABLE when Temporal, every worker or the carrier is unavailable. What was started
 * continues when they are back.
 */
function requestedWorkflow<Input extends { readonly requestId: string }, Outcome>(workflow: RequestedWorkflow<Input>) {
  return async ({ client, config, publicUrl }: WorkflowDeps, input: Input): Promise<Outcome> => {
    const workflowId = workflow.idOf(input);
    try {
      await client.withDeadline(Date.now() + START_SECONDS * 1000, () =>
        start(client, workflow.type, {
          workflowId,
          taskQueue: config.TEMPORAL_TASK_QUEUE,
          args: [input],
          workflowIdReusePolicy: workflow.reuse,
          workflowIdConflictPolicy: 'USE_EXISTING',
          memo: { requestId: input.requestId },
          staticDetails: workflowDetails(publicUrl, workflowId),
        }),
      );
      return await client.withDeadline(
        Date.now() + workflow.seconds * 1000,
        async () => (await client.workflow.getHandle(workflowId).result()) as Outcome,
      );
    } catch (error) {
      if (!isTemporalUnavailable(error)) throw error;
      throw unavailable(workflow.unavailable);
    }
  };
}

async function start(client: Client, type: string, options: WorkflowStartOptions): Promise<void> {
  try {
    await client.workflow.start(type, options);
  } catch (error) {
    // The workflow has completed, and its result can be read.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

export const runShippingOrder = requestedWorkflow<ShippingOrderInput, ShippingOrderOutcome>({
  type: WORKFLOW_TYPES.shippingOrder,
  idOf: ({ shippingOrderId }) => shippingOrderWorkflowId(shippingOrderId),
  reuse: 'REJECT_DUPLICATE',
  seconds: LABEL_WAIT_SECONDS,
  unavailable: 'The labels could not be bought yet; send the same request again to get them.',
});

/** Cancels a shipping order. A carrier that refused to void a label may accept another request. */
export const runCancellation = requestedWorkflow<ShippingOrderInput, Cancellation>({
  type: WORKFLOW_TYPES.cancelShippingOrder,
  idOf: ({ shippingOrderId }) => cancelShippingOrderWorkflowId(shippingOrderId),
  reuse: 'ALLOW_DUPLICATE',
  seconds: 30,
  unavailable: 'The labels are not voided yet; send the same request again to get the outcome.',
});

/**
 * Replaces a label. A carrier that refused may accept another request; a label that was replaced stays so. HTTP clients
 * time out after 30 s.
 */
export const runLabelReplacement = requestedWorkflow<LabelToReplace & { readonly requestId: string }, ReplacedLabel>({
  type: WORKFLOW_TYPES.replaceLabel,
  idOf: ({ shipmentId, position }) => replaceLabelWorkflowId(shipmentId, position),
  reuse: 'ALLOW_DUPLICATE',
  seconds: 20,
  unavailable: 'The label is not replaced yet; send the same request again to get the new one.',
});
