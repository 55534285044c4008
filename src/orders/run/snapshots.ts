import { type Fragment, json, type Queryable } from '../../platform/postgres';
import { initialSnapshot, type RecordKey, type RunSnapshot } from '../domain/run/run-record';

/** Snapshots of order runs. An order has one while it is open: the last record of its run stores it. */

/** Returns the statement that stores a snapshot. @param snapshot null: the order has ended */
export function keepSnapshot(sql: Queryable, orderId: string, snapshot: RunSnapshot | null): Fragment {
  if (snapshot === null) return sql`DELETE FROM run_snapshots WHERE order_id = ${orderId}`;
  return sql`
    INSERT INTO run_snapshots (order_id, snapshot) VALUES (${orderId}, ${json(sql, snapshot)})
    ON CONFLICT (order_id) DO UPDATE SET snapshot = excluded.snapshot`;
}

/** The run of an order as its last record has stored it. */
export interface StoredRun extends RecordKey {
  readonly snapshot: RunSnapshot | null;
}

/** Returns the stored run of an order: of one that has recorded nothing the initial one. Undefined when there is no such order. */
export async function storedRun(sql: Queryable, orderId: string): Promise<StoredRun | undefined> {
  const [row] = await sql<
    {
      position: string;
      version: string;
      snapshot: RunSnapshot | null;
      items: readonly { readonly id: string; readonly quantity: number }[] | null;
    }[]
  >`
    SELECT o.run_position AS position, o.run_version AS version, s.snapshot,
      CASE WHEN o.run_version = 0 THEN (
        SELECT jsonb_agg(jsonb_build_object('id', i.id::text, 'quantity', i.quantity) ORDER BY i.position)
        FROM order_items i WHERE i.order_id = o.id) END AS items
    FROM orders o LEFT JOIN run_snapshots s ON s.order_id = o.id
    WHERE o.id = ${orderId}`;
  if (row === undefined) return undefined;
  const { position, version, items } = row;
  const snapshot = row.snapshot ?? (items === null ? null : initialSnapshot(items));
  return { position: Number(position), version: Number(version), snapshot };
}
