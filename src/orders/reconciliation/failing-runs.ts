import { isGrpcServiceError } from '@temporalio/client';
import { orderIdOfWorkflow } from '../../platform/domain/workflows';
import { flagOrder } from '../run/flags';
import { settleEach } from './batches';
import type { Counts } from './differences';
import type { ReconcileDeps } from './reconciliation';
import { isOrderId } from './runs';

/** Workflows that one reconciliation flags. More have one cause, and the alert on failing workflow tasks names it. */
const MOST_FAILING = 1_000;
/** gRPC status of a query with an attribute that the server does not know. */
const INVALID_ARGUMENT = 3;

/**
 * Flags the orders whose workflow task keeps failing, for example because of a bug in workflow code. The workflow cannot
 * raise the flag itself. Temporal 1.30 and later mark such workflows; earlier ones do not, and nothing is flagged.
 */
export async function flagFailingRuns({ sql, temporal, log, taskQueue }: ReconcileDeps): Promise<Counts> {
  const query =
    `TaskQueue = '${taskQueue}' AND ExecutionStatus = 'Running' AND TemporalReportedProblems IN ` +
    "('category=WorkflowTaskFailed', 'category=WorkflowTaskTimedOut')";
  const failing: { readonly orderId: string; readonly problems: string }[] = [];
  try {
    for await (const { workflowId, searchAttributes } of temporal.workflow.list({ query, pageSize: MOST_FAILING })) {
      const orderId = orderIdOfWorkflow(workflowId);
      const problems = (searchAttributes.TemporalReportedProblems ?? []).join(', ');
      if (orderId === null || !isOrderId(orderId)) log.warn({ workflowId, problems }, 'a workflow task keeps failing');
      else failing.push({ orderId, problems });
      if (failing.length >= MOST_FAILING) break;
    }
  } catch (error) {
    const cause = isGrpcServiceError(error) ? error : (error as { cause?: unknown }).cause;
    if (!isGrpcServiceError(cause) || cause.code !== INVALID_ARGUMENT) throw error;
  }
  return await settleEach(
    log,
    failing,
    ({ orderId }) => ({ orderId }),
    async ({ orderId, problems }) => {
      const message = `workflow task: ${problems}`;
      const isNew = await flagOrder(sql, orderId, 'stalled', message, { untilNextRecord: true });
      if (isNew) log.warn({ orderId, problems }, 'reconciled: the workflow task of an order keeps failing');
      return { failing: Number(isNew) };
    },
  );
}
