import type { FileFindingCode, FindingSeverity } from '../../files/domain/file-findings';
import type { Queryable } from '../../platform/postgres';
import { RECENT_ORDERS } from './client-health';

/** What a client's print files often have. */
export interface FileFault {
  readonly code: FileFindingCode;
  readonly severity: FindingSeverity;
  /** Files that have it. A file with several findings of a kind counts once. */
  readonly files: number;
  readonly orders: number;
  /** The latest order that has it, and the finding of its file. */
  readonly orderId: string;
  readonly orderReferenceId: string;
  readonly message: string;
  readonly at: Date;
}

export interface ClientFileFaults {
  /** Checked files of the client's latest orders. */
  readonly files: number;
  /** Most frequent first. */
  readonly faults: readonly FileFault[];
}

/** Returns the warnings and errors of the print files of a client's latest orders, by check. */
export async function clientFileFaults(sql: Queryable, clientId: string): Promise<ClientFileFaults> {
  const [row] = await sql<{ files: number; faults: (Omit<FileFault, 'at'> & { at: string })[] }[]>`
    WITH recent AS (
      SELECT id, order_reference_id, created_at FROM orders
      WHERE client_id = ${clientId} ORDER BY created_at DESC, id DESC LIMIT ${RECENT_ORDERS}
    ), checked AS (
      SELECT f.id, f.checks, o.id AS order_id, o.order_reference_id, o.created_at
      FROM recent o JOIN order_items i ON i.order_id = o.id JOIN order_files f ON f.order_item_id = i.id
      WHERE f.facts IS NOT NULL
    ), found AS (
      SELECT c.*, k ->> 'code' AS code, k ->> 'severity' AS severity, k ->> 'message' AS message
      FROM checked c, jsonb_array_elements(c.checks) k WHERE k ->> 'severity' <> 'ok'
    ), faults AS (
      SELECT code, severity, count(DISTINCT id)::int AS files, count(DISTINCT order_id)::int AS orders,
        (array_agg(order_id ORDER BY created_at DESC, id))[1] AS order_id,
        (array_agg(order_reference_id ORDER BY created_at DESC, id))[1] AS order_reference_id,
        (array_agg(message ORDER BY created_at DESC, id))[1] AS message, max(created_at) AS at
      FROM found GROUP BY code, severity
    )
    SELECT (SELECT count(*)::int FROM checked) AS files, to_jsonb(ARRAY(
      SELECT jsonb_build_object('code', code, 'severity', severity, 'files', files, 'orders', orders, 'orderId', order_id,
        'orderReferenceId', order_reference_id, 'message', message, 'at', at)
      FROM faults ORDER BY files DESC, severity, code)) AS faults`;
  return { files: row!.files, faults: row!.faults.map((fault) => ({ ...fault, at: new Date(fault.at) })) };
}
