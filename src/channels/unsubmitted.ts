import type { ObjectStore } from '../platform/objects/object-store';
import { inTransaction, json, type Queryable, type Sql } from '../platform/postgres';
import type { Reason } from './domain/reasons';

/** Orders of channels that never became one: their personal data is erased apart from that of orders. */

const EXPIRED: Reason = { code: 'expired', field: null, message: 'Its personal data was erased.', line: null };
const BATCH = 500;

/** Returns the stored rows of orders to these e-mail addresses, in lower case. */
export async function unsubmittedTo(sql: Queryable, emails: readonly string[]): Promise<Record<string, unknown>[]> {
  const rows = await sql<{ row: Record<string, unknown> }[]>`
    SELECT to_jsonb(o) AS row FROM channel_orders o WHERE order_id IS NULL AND email = ANY(${[...emails]}::text[]) ORDER BY id LIMIT ${BATCH}`;
  return rows.map(({ row }) => row);
}

interface Deps {
  readonly sql: Sql;
  readonly objects: ObjectStore;
}

/**
 * Erases orders that were not submitted: those to e-mail addresses, in lower case, or those that arrived before a time. They are
 * ignored from then on, and the content of their files is deleted. Returns their number.
 */
export async function eraseUnsubmitted(
  { sql, objects }: Deps,
  which: { readonly emails: readonly string[] } | { readonly before: Date },
): Promise<number> {
  for (let erased = 0; ; ) {
    const chosen =
      'emails' in which
        ? sql`email = ANY(${[...which.emails]}::text[])`
        : sql`received_at < ${which.before} AND content_sha256 IS NOT NULL`;
    const orders = await sql<{ id: string; fileId: string | null; objectKey: string | null }[]>`
      SELECT o.id, f.id AS file_id, f.object_key FROM channel_orders o LEFT JOIN channel_files f ON f.id = o.file_id
      WHERE o.order_id IS NULL AND ${chosen} ORDER BY o.id LIMIT ${BATCH}`;
    if (orders.length === 0) return erased;
    await objects.delete([...new Set(orders.flatMap(({ objectKey }) => objectKey ?? []))]);
    await inTransaction(sql, async (tx) => {
      await tx`
        UPDATE channel_files SET object_key = NULL, findings = '[]' WHERE id = ANY(${orders.flatMap(({ fileId }) => fileId ?? [])}::uuid[])`;
      await tx`
        UPDATE channel_orders SET raw = erased_json(raw, ARRAY['decimal']), corrections = NULL, content_sha256 = NULL, email = NULL, waits_for = NULL,
          state = 'ignored', judged_at = now(), reasons = ${json(tx, [EXPIRED])}
        WHERE order_id IS NULL AND id = ANY(${orders.map(({ id }) => id)}::uuid[])`;
    });
    erased += orders.length;
  }
}
