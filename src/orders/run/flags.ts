import { ORDER_SIGNALS, orderWorkflowId } from '../../platform/domain/workflows';
import { enqueue } from '../../platform/outbox/outbox';
import { inTransaction, json, type Sql } from '../../platform/postgres';
import type { AttentionReason } from '../domain/lifecycle/attention';
import type { EventOf } from '../domain/lifecycle/run-events';

/**
 * Flags an order for attention from outside its workflow, and signals the workflow, so that its next records keep the
 * flag until it is resolved or dismissed.
 * @param message what was found, for the order's log and the Temporal UI
 * @param options untilNextRecord: the workflow cannot handle a signal now. Its next record, which proves that it can,
 *   clears the flag
 * @returns false when the order was already flagged for this reason
 */
export async function flagOrder(
  sql: Sql,
  orderId: string,
  reason: AttentionReason,
  message: string,
  { untilNextRecord = false } = {},
): Promise<boolean> {
  return await inTransaction(sql, async (tx) => {
    const flagged = await tx`
      UPDATE orders SET attention = array_append(attention, ${reason}::text), updated_at = now()
      WHERE id = ${orderId} AND NOT coalesce(${reason} = ANY(attention), false)`;
    if (flagged.count === 0) return false;
    await tx`
      INSERT INTO order_events (order_id, type, data) VALUES (${orderId}, 'flagged', ${json(tx, { reason, message })})`;
    const event: EventOf<'flagged'> = { type: 'flagged', reason, message };
    const payload = { signal: ORDER_SIGNALS.flagged, args: [event] };
    if (!untilNextRecord) await enqueue(tx, { kind: 'signal_workflow', target: orderWorkflowId(orderId), payload });
    return true;
  });
}
