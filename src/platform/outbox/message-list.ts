import { isoMicroseconds, type SearchPage } from '../list-position';
import type { Queryable } from '../postgres';
import { OUTBOX_KINDS, type OutboxKind } from './outbox';

export const OUTBOX_STATES = ['pending', 'dead'] as const;
export type OutboxState = (typeof OUTBOX_STATES)[number];

/** A message of the outbox without its payload, which can contain data that only the receiver may see. */
export interface OutboxListItem {
  /** Decimal string. */
  readonly id: string;
  readonly kind: OutboxKind;
  readonly target: string;
  readonly attempts: number;
  readonly createdAt: Date;
  readonly availableAt: Date;
  readonly deadAt: Date | null;
  readonly lastError: string | null;
  /** Of a notification: the row of the delivery log. */
  readonly deliveryId: string | null;
  readonly position: string;
}

/**
 * Returns a page of messages: pending ones by their next attempt, dead ones newest first.
 * @param page `after`: position of the previous page's last message
 */
export async function listMessages(
  sql: Queryable,
  filter: {
    readonly state: OutboxState;
    readonly kind?: OutboxKind | undefined;
    readonly target?: string | undefined;
  },
  page: SearchPage,
): Promise<readonly OutboxListItem[]> {
  const { limit, after } = page;
  const isDead = filter.state === 'dead';
  const time = isDead ? sql`dead_at` : sql`available_at`;
  const order = isDead ? sql`dead_at DESC, id DESC` : sql`available_at, id`;
  const kinds = filter.kind === undefined ? [...OUTBOX_KINDS] : [filter.kind];
  // One look-up for each kind: the index of pending messages begins with the kind.
  return await sql<OutboxListItem[]>`
    SELECT m.* FROM unnest(${kinds}::text[]) k (kind)
    CROSS JOIN LATERAL (
      SELECT id, kind, target, attempts, created_at, available_at, dead_at, last_error, payload ->> 'deliveryId' AS delivery_id,
        ${isoMicroseconds(sql, time)} AS position
      FROM outbox
      WHERE kind = k.kind AND dead_at IS ${isDead ? sql`NOT NULL` : sql`NULL`}
        ${filter.target === undefined ? sql`` : sql`AND target = ${filter.target}`}
        ${after === null ? sql`` : sql`AND (${time}, id) ${isDead ? sql`<` : sql`>`} (${after.time}::text::timestamptz, ${after.id}::bigint)`}
      ORDER BY ${order} LIMIT ${limit}) m
    ORDER BY ${order} LIMIT ${limit}`;
}
