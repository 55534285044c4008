import { onCommit, type Queryable } from '../postgres';
import { type OutboxKind, wakeRelays } from './outbox';

/** Queues dead letters for delivery again, with their attempts reset. Returns their number. */
export async function replayDead(
  sql: Queryable,
  filter: { ids?: readonly string[]; kind?: OutboxKind; target?: string },
): Promise<number> {
  const kinds = await sql<{ kind: OutboxKind; rows: number }[]>`
    WITH replayed AS (
      UPDATE outbox SET dead_at = NULL, attempts = 0, available_at = now(), last_error = NULL
      WHERE dead_at IS NOT NULL
        AND (${filter.ids === undefined} OR id = ANY(${[...(filter.ids ?? [])]}::bigint[]))
        AND (${filter.kind === undefined} OR kind = ${filter.kind ?? ''})
        AND (${filter.target === undefined} OR target = ${filter.target ?? ''})
      RETURNING kind
    )
    SELECT kind, count(*)::int AS rows FROM replayed GROUP BY kind`;
  onCommit(sql, (pool) => {
    for (const { kind } of kinds) wakeRelays(pool, kind);
  });
  return kinds.reduce((sum, { rows }) => sum + rows, 0);
}
