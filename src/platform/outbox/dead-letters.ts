import type { Queryable } from '../postgres';
import type { OutboxKind } from './outbox';

/** Queues dead letters for delivery again, with their attempts reset. Returns their number. */
export async function replayDead(
  sql: Queryable,
  filter: { ids?: readonly string[]; kind?: OutboxKind; target?: string },
): Promise<number> {
  const rows = await sql`
    UPDATE outbox SET dead_at = NULL, attempts = 0, available_at = now(), last_error = NULL
    WHERE dead_at IS NOT NULL
      AND (${filter.ids === undefined} OR id = ANY(${[...(filter.ids ?? [])]}::bigint[]))
      AND (${filter.kind === undefined} OR kind = ${filter.kind ?? ''})
      AND (${filter.target === undefined} OR target = ${filter.target ?? ''})`;
  return rows.count;
}
