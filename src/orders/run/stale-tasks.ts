import { LRUCache } from 'lru-cache';
import { orderIdOfWorkflow } from '../../platform/domain/workflows';
import type { Logger } from '../../platform/logging/logging';
import type { Sql } from '../../platform/postgres';
import { flagOrder } from './flags';

/** Abandoned tasks of one run in this process after which its order needs attention. */
const ATTENTION_AFTER = 3;
const COUNTED_RUNS = 10_000;

/**
 * Returns the function that counts the workflow tasks that a worker abandoned because Temporal had timed them out
 * (workflows/stale-workflow-tasks.ts). An order whose run loses three tasks gets the attention reason
 * `workflow_slow`, until its next record. Its tasks are not repeated for ever: after the third failure Temporal gives each
 * attempt more time, up to ten minutes.
 */
export function createStaleTaskCounter({ sql, log }: { readonly sql: Sql; readonly log: Logger }) {
  const counts = new LRUCache<string, number>({ max: COUNTED_RUNS });
  return async ({ workflowId, runId }: { workflowId: string; runId: string }): Promise<void> => {
    const count = (counts.get(runId) ?? 0) + 1;
    counts.set(runId, count);
    log.warn({ workflowId, runId, count }, 'workflow task abandoned: Temporal had timed it out');
    const orderId = orderIdOfWorkflow(workflowId);
    if (count < ATTENTION_AFTER || orderId === null) return;
    try {
      await flagOrder(sql, orderId, 'workflow_slow', `${count} workflow tasks timed out`, { untilNextRecord: true });
    } catch (error) {
      log.error({ err: error, orderId }, 'an order with a slow workflow was not flagged');
    }
  };
}
