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
/** How long a request waits for its cancellation. */
const CANCEL_SECONDS = 30;
/** How long a dispatch request waits for a new label. HTTP clients time out after 30 s. */
const REPLACEMENT_SECONDS = 20;
const START_SECONDS = 5;

export interface WorkflowDeps {
  readonly client: Client;
  readonly config: Pick<Config, 'TEMPORAL_TASK_QUEUE'>;
  readonly publicUrl: string;
}

/**
 * Starts the purchase of a shipping order, or joins a running one, and waits for its outcome.
 * @throws Refusal UNAVAILABLE when Temporal or every worker is unavailable; the purchase then continues when they are back
 */
export async function runShippingOrder(deps: WorkflowDeps, input: ShippingOrderInput): Promise<ShippingOrderOutcome> {
  return await resultOf<ShippingOrderOutcome>(deps, WORKFLOW_TYPES.shippingOrder, {
    workflowId: shippingOrderWorkflowId(input.shippingOrderId),
    input,
    reuse: 'REJECT_DUPLICATE',
    seconds: LABEL_WAIT_SECONDS,
    unavailable: 'The labels could not be bought yet; send the same request again to get them.',
  });
}

/**
 * Starts the cancellation of a shipping order, or joins a running one, and waits for its outcome.
 * @throws Refusal UNAVAILABLE when Temporal, every worker or the carrier is unavailable; a cancellation that was started
 *   continues when they are back
 */
export async function runCancellation(deps: WorkflowDeps, input: ShippingOrderInput): Promise<Cancellation> {
  return await resultOf<Cancellation>(deps, WORKFLOW_TYPES.cancelShippingOrder, {
    workflowId: cancelShippingOrderWorkflowId(input.shippingOrderId),
    input,
    // A carrier that refused to void a label may accept another request.
    reuse: 'ALLOW_DUPLICATE',
    seconds: CANCEL_SECONDS,
    unavailable: 'The labels are not voided yet; send the same request again to get the outcome.',
  });
}

/**
 * Starts the replacement of a label, or joins a running one, and waits for its outcome.
 * @throws Refusal UNAVAILABLE when Temporal, every worker or the carrier is unavailable; a replacement that was started
 *   continues when they are back
 */
export async function runLabelReplacement(
  deps: WorkflowDeps,
  input: LabelToReplace & { readonly requestId: string },
): Promise<ReplacedLabel> {
  return await resultOf<ReplacedLabel>(deps, WORKFLOW_TYPES.replaceLabel, {
    workflowId: replaceLabelWorkflowId(input.shipmentId, input.position),
    input,
    // A carrier that refused may accept another request. A label that was replaced stays so.
    reuse: 'ALLOW_DUPLICATE',
    seconds: REPLACEMENT_SECONDS,
    unavailable: 'The label is not replaced yet; send the same request again to get the new one.',
  });
}

interface Run {
  readonly workflowId: string;
  readonly input: { readonly requestId: string };
  readonly reuse: NonNullable<WorkflowStartOptions['workflowIdReusePolicy']>;
  readonly seconds: number;
  /** Message of the 503 response. */
  readonly unavailable: string;
}

async function resultOf<T>({ client, config, publicUrl }: WorkflowDeps, type: string, run: Run): Promise<T> {
  const { workflowId, input } = run;
  try {
    await client.withDeadline(Date.now() + START_SECONDS * 1000, () =>
      start(client, type, {
        workflowId,
        taskQueue: config.TEMPORAL_TASK_QUEUE,
        args: [input],
        workflowIdReusePolicy: run.reuse,
        workflowIdConflictPolicy: 'USE_EXISTING',
        memo: { requestId: input.requestId },
        staticDetails: workflowDetails(publicUrl, workflowId),
      }),
    );
    return await client.withDeadline(
      Date.now() + run.seconds * 1000,
      async () => (await client.workflow.getHandle(workflowId).result()) as T,
    );
  } catch (error) {
    if (!isTemporalUnavailable(error)) throw error;
    throw unavailable(run.unavailable);
  }
}

async function start(client: Client, type: string, options: WorkflowStartOptions): Promise<void> {
  try {
    await client.workflow.start(type, options);
  } catch (error) {
    // The workflow has completed, and its result can be read.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
