import { isoMicroseconds } from '../list-position';
import type { Queryable, Sql } from '../postgres';
import type { OutboxKind } from './outbox';

/** A dead letter without its payload, which can contain data that only the receiver may see. */
export interface DeadRow {
  /** Decimal string. */
  readonly id: string;
  readonly kind: OutboxKind;
  readonly target: string;
  readonly attempts: number;
  readonly createdAt: Date;
  readonly deadAt: Date;
  readonly lastError: string | null;
}

/** Returns dead letters, newest first. @param page `after`: the last row of the previous page */
export async function deadRows(
  sql: Sql,
  page: { readonly limit: number; readonly after: { readonly deadAt: string; readonly id: string } | null },
): Promise<(DeadRow & { readonly position: string })[]> {
  const { limit, after } = page;
  return [
    ...(await sql<(DeadRow & { position: string })[]>`
      SELECT id, kind, target, attempts, created_at, dead_at, last_error,
        ${isoMicroseconds(sql, sql`dead_at`)} AS position
      FROM outbox
      WHERE dead_at IS NOT NULL
        ${after === null ? sql`` : sql`AND (dead_at, id) < (${after.deadAt}::text::timestamptz, ${after.id}::bigint)`}
      ORDER BY dead_at DESC, id DESC LIMIT ${limit}`),
  ];
}

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
