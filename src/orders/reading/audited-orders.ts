import { json, type Queryable } from '../../platform/postgres';

/** An entry of the audit log about an order. */
interface OrderEntry {
  readonly id: string;
  readonly orderId: string;
  readonly actor: string;
  readonly at: Date;
  /** False for changes that state no reason. */
  readonly hasReason: boolean;
}

/** Time in which a change writes its entry of the audit log after that of the order's log. */
const WRITTEN_WITHIN = '30 seconds';

/**
 * Returns the reference of the order of each entry, and the reason of the change. The order's log has the reason, which can be
 * erased with the order's personal data; the audit log is never erased.
 */
export async function auditedOrders(
  sql: Queryable,
  entries: readonly OrderEntry[],
): Promise<ReadonlyMap<string, { readonly reference: string; readonly reason: string | null }>> {
  if (entries.length === 0) return new Map();
  const rows = await sql<{ id: string; reference: string; reason: string | null }[]>`
    SELECT w.id, o.order_reference_id AS reference, (
      SELECT e.data ->> 'reason' FROM order_events e
      WHERE w."hasReason" AND e.order_id = o.id AND e.data ->> 'by' IN (w.actor, 'operator ' || w.actor)
        AND e.at BETWEEN w.at - ${WRITTEN_WITHIN}::interval AND w.at
      ORDER BY e.id DESC LIMIT 1) AS reason
    FROM jsonb_to_recordset(${json(sql, entries)}) AS w (id text, "orderId" uuid, actor text, at timestamptz, "hasReason" boolean)
    JOIN orders o ON o.id = w."orderId"`;
  return new Map(rows.map(({ id, ...order }) => [id, order]));
}
