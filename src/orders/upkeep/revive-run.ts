import { inTransaction, json, type Sql, type Transaction } from '../../platform/postgres';
import { type RequestedBy, requestedBy } from '../domain/lifecycle/requests';
import type { RunSettings } from '../run/settings';
import { restartRunIn } from './restart-run';
import { signalUnhandled } from './undelivered-messages';

/**
 * Starts the workflow of an open order again that is gone, in the state that its last record has stored, on request of an operator,
 * and gets the postbacks that it has not handled.
 * @param onRevived is called in the transaction
 * @returns false for a draft, and when the start of the workflow waits
 */
export async function reviveRun(
  sql: Sql,
  settings: RunSettings,
  orderId: string,
  request: RequestedBy,
  onRevived: (tx: Transaction) => Promise<unknown>,
): Promise<boolean> {
  return await inTransaction(sql, async (tx) => {
    await tx`
      UPDATE run_snapshots SET snapshot = jsonb_set(snapshot, '{state,attention}', (snapshot #> '{state,attention}') - 'out_of_step')
      WHERE order_id = ${orderId} AND snapshot IS NOT NULL`;
    if (!(await restartRunIn(tx, settings, orderId, 'ended'))) return false;
    await tx`
      UPDATE orders SET attention = nullif(array_remove(attention, 'out_of_step'), '{}'), updated_at = now() WHERE id = ${orderId}`;
    await tx`
      INSERT INTO order_events (order_id, type, data) VALUES (${orderId}, 'revive', ${json(tx, requestedBy(request))})`;
    await signalUnhandled(tx, orderId);
    await onRevived(tx);
    return true;
  });
}
