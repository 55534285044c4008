import { orderWorkflowId } from '../../platform/domain/workflows';
import { flagOrder } from '../run/flags';
import { settleEach } from './batches';
import type { Counts } from './differences';
import type { ReconcileDeps } from './reconciliation';
import { lookUpRun } from './runs';

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
  return await settleEach(
    log,
    orders,
    ({ id }) => ({ orderId: id }),
    async ({ id }) => {
      const run = await lookUpRun(temporal, orderWorkflowId(id));
      // An execution that has just started, for example again after a loss, has not had the time.
      if (run.status !== 'running' || run.stuck === null || run.startedAt > before) return {};
      const { message, takesSignals } = run.stuck;
      const isNew = await flagOrder(sql, id, 'stalled', message, { untilNextRecord: !takesSignals });
      if (isNew) log.warn({ orderId: id, message }, 'reconciled: an order does not progress');
      return { failing: Number(isNew) };
    },
  );
}
