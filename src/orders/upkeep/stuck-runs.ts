import { isGrpcServiceError } from '@temporalio/client';
import { orderIdOfWorkflow, orderWorkflowId } from '../../platform/domain/workflows';
import { flagOrder } from '../run/flags';
import { type Counts, type ReconcileDeps, settleEach } from './reconciliation';
import { isOrderId, lookUpRun } from './runs';

/** Orders that one reconciliation looks up. The next one continues: orders that are flagged are left out. */
const MOST_LOOKUPS = 500;

/**
 * Flags orders that have not progressed for the time of a stall because their workflow task keeps failing, or because no
 * worker executes their workflow task or activity. No activity runs that could flag them. An order that is prepared, or
 * whose postbacks are not handled, shows it in Postgres, so that this works with every version of Temporal.
 */
export async function flagStuckRuns({ sql, temporal, log, stallAfterMs }: ReconcileDeps): Promise<Counts> {
  const before = new Date(Date.now() - stallAfterMs);
  const orders = await sql<{ id: string }[]>`
    SELECT id FROM orders
    WHERE id IN (
        SELECT id FROM orders WHERE fulfillment_status IN ('created', 'uploading') AND updated_at < ${before}
        UNION SELECT b.order_id FROM postbacks b
        WHERE b.handled_at IS NULL AND b.received_at < ${before})
      AND NOT coalesce('stalled' = ANY(attention), false)
    ORDER BY created_at LIMIT ${MOST_LOOKUPS}`;
  return await settleEach(log, 'orderId', orders, async ({ id }) => {
    const run = await lookUpRun(temporal, orderWorkflowId(id));
    // An execution that has just started, for example again after a loss, has not had the time.
    if (run.status !== 'running' || run.stuck === null || run.startedAt > before) return {};
    const { message, takesSignals } = run.stuck;
    const isNew = await flagOrder(sql, id, 'stalled', message, { untilNextRecord: !takesSignals });
    if (isNew) log.warn({ orderId: id, message }, 'reconciled: an order does not progress');
    return { failing: Number(isNew) };
  });
}

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
  const failing: { readonly id: string; readonly problems: string }[] = [];
  try {
    for await (const { workflowId, searchAttributes } of temporal.workflow.list({ query, pageSize: MOST_FAILING })) {
      const id = orderIdOfWorkflow(workflowId);
      const problems = (searchAttributes.TemporalReportedProblems ?? []).join(', ');
      if (id === null || !isOrderId(id)) log.warn({ workflowId, problems }, 'a workflow task keeps failing');
      else failing.push({ id, problems });
      if (failing.length >= MOST_FAILING) break;
    }
  } catch (error) {
    const cause = isGrpcServiceError(error) ? error : (error as { cause?: unknown }).cause;
    if (!isGrpcServiceError(cause) || cause.code !== INVALID_ARGUMENT) throw error;
  }
  return await settleEach(log, 'orderId', failing, async ({ id, problems }) => {
    const message = `workflow task: ${problems}`;
    const isNew = await flagOrder(sql, id, 'stalled', message, { untilNextRecord: true });
    if (isNew) log.warn({ orderId: id, problems }, 'reconciled: the workflow task of an order keeps failing');
    return { failing: Number(isNew) };
  });
}
