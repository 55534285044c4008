import { ORDER_SIGNALS, orderWorkflowId } from '../../platform/domain/workflows';
import { enqueue } from '../../platform/outbox/outbox';
import { inTransaction, json, type Queryable, type Sql, type Transaction } from '../../platform/postgres';
import type { AttentionReason } from '../domain/lifecycle/attention-reasons';
import type { OutsideEvent } from '../domain/lifecycle/run-events';
import { ENDED_ORDERS } from '../domain/lifecycle/statuses';

/** Which earlier message of a flag is replaced. */
interface Replaced {
  readonly text: string;
  readonly olderThanMs: number;
}

interface FlagOptions {
  readonly untilNextRecord?: boolean;
  readonly replaces?: Replaced;
  readonly unlessEnded?: boolean;
}

/**
 * Flags an order for attention from outside its workflow, and signals the workflow, so that its next records keep the
 * flag until it is resolved or dismissed.
 * @param message what was found, for the order's log and the Temporal UI
 * @param options untilNextRecord: the workflow cannot handle a signal now. Its next record, which proves that it can,
 *   clears the flag. replaces: the earlier message of the reason is replaced when it is this text, which says less, or
 *   another one than `message` and as many milliseconds old. unlessEnded: a step of the order's run found it, and an
 *   order that has ended is not flagged, because no record of the run would clear the flag
 * @returns false when the order was already flagged for this reason, with a message that is not replaced, or has ended
 */
export async function flagOrder(
  sql: Sql,
  orderId: string,
  reason: AttentionReason,
  message: string,
  options: FlagOptions = {},
): Promise<boolean> {
  return await inTransaction(sql, (tx) => flagOrderIn(tx, orderId, reason, message, options));
}

/** The same in the transaction of the caller. */
export async function flagOrderIn(
  tx: Transaction,
  orderId: string,
  reason: AttentionReason,
  message: string,
  { untilNextRecord = false, replaces, unlessEnded = false }: FlagOptions = {},
): Promise<boolean> {
  const flagged = await tx`
      UPDATE orders SET attention = array_append(array_remove(attention, ${reason}::text), ${reason}::text), updated_at = now()
      WHERE id = ${orderId} AND NOT (${unlessEnded} AND (
        fulfillment_status = ANY(${[...ENDED_ORDERS]}) OR tracking_ended_at IS NOT NULL
      )) AND (NOT coalesce(${reason} = ANY(attention), false) OR (
        SELECT data ->> 'message' = ${replaces?.text ?? null}
          OR data ->> 'message' <> ${message} AND at <= now() - make_interval(secs => ${replaces?.olderThanMs ?? null} / 1000.0)
        FROM order_events
        WHERE order_id = ${orderId} AND type = 'flagged' AND data ->> 'reason' = ${reason} ORDER BY id DESC LIMIT 1))`;
  if (flagged.count === 0) return false;
  await tx`
      INSERT INTO order_events (order_id, type, data) VALUES (${orderId}, 'flagged', ${json(tx, { reason, message })})`;
  if (!untilNextRecord) await signal(tx, orderId, { type: 'flagged', reason, message });
  return true;
}

/** Signals the run of an order, which keeps its facts. */
export async function signal(tx: Transaction, orderId: string, event: OutsideEvent): Promise<void> {
  const payload = { signal: ORDER_SIGNALS.flagged, args: [event] };
  await enqueue(tx, { kind: 'signal_workflow', target: orderWorkflowId(orderId), payload });
}

/** Returns true for an order with a run, which keeps the order's flags. */
export async function hasRun(tx: Queryable, orderId: string): Promise<boolean> {
  return (await tx`SELECT FROM run_snapshots WHERE order_id = ${orderId}`).length > 0;
}

/** Clears a flag from outside, whose cause no longer exists. The run of the order does the same. */
export async function clearFlag(tx: Transaction, orderId: string, reason: AttentionReason): Promise<void> {
  const cleared = await tx`
    UPDATE orders SET attention = nullif(array_remove(attention, ${reason}::text), '{}'), updated_at = now()
    WHERE id = ${orderId} AND ${reason} = ANY(attention)`;
  if (cleared.count > 0 && (await hasRun(tx, orderId))) await signal(tx, orderId, { type: 'flag_cleared', reason });
}
