import { isoMicroseconds, type SearchPage } from '../list-position';
import type { GaugePoint } from '../metrics/metrics';
import { onCommit, type Queryable } from '../postgres';
import { OUTBOX_KINDS, type OutboxKind, wakeRelays } from './outbox';

export const OUTBOX_STATES = ['pending', 'dead'] as const;
type OutboxState = (typeof OUTBOX_STATES)[number];

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

/** Returns a page of messages: pending ones by their next attempt, dead ones newest first. */
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

interface OutboxSize {
  readonly kind: OutboxKind;
  readonly pending: number;
  /** Age of the oldest pending row. Null when none is pending. */
  readonly oldestPendingSeconds: number | null;
  readonly dead: number;
  /** Time since the oldest dead row died. Null when none is dead. */
  readonly oldestDeadSeconds: number | null;
}

/** Rows of a kind that are counted. A longer queue is reported as this many. */
export const COUNTED_ROWS = 100_000;

export async function readOutboxSizes(tx: Queryable): Promise<OutboxSize[]> {
  const pending = await tx<{ kind: string; count: number; oldest: number | null }[]>`
    SELECT k.kind, p.count, extract(epoch FROM clock_timestamp() - p.first)::float8 AS oldest
    FROM unnest(${[...OUTBOX_KINDS]}::text[]) AS k (kind), LATERAL (
      SELECT count(*)::int, min(created_at) AS first FROM (
        SELECT created_at FROM outbox WHERE kind = k.kind AND dead_at IS NULL ORDER BY available_at LIMIT ${COUNTED_ROWS}) AS rows
    ) AS p`;
  const dead = await tx<{ kind: string; count: number; oldest: number }[]>`
    SELECT kind, count(*)::int, extract(epoch FROM clock_timestamp() - min(dead_at))::float8 AS oldest
    FROM (SELECT kind, dead_at FROM outbox WHERE dead_at IS NOT NULL ORDER BY dead_at LIMIT ${COUNTED_ROWS}) AS rows GROUP BY kind`;
  return OUTBOX_KINDS.map((kind) => {
    const waiting = pending.find((row) => row.kind === kind);
    const lost = dead.find((row) => row.kind === kind);
    return {
      kind,
      pending: waiting?.count ?? 0,
      oldestPendingSeconds: waiting?.oldest ?? null,
      dead: lost?.count ?? 0,
      oldestDeadSeconds: lost?.oldest ?? null,
    };
  });
}

export async function outboxGauges(tx: Queryable): Promise<GaugePoint[]> {
  return (await readOutboxSizes(tx)).flatMap(({ kind, pending, oldestPendingSeconds, dead }): GaugePoint[] => [
    { name: 'pressline_outbox_pending', labels: { kind }, value: pending },
    { name: 'pressline_outbox_oldest_age_seconds', labels: { kind }, value: oldestPendingSeconds ?? 0 },
    { name: 'pressline_outbox_dead', labels: { kind }, value: dead },
  ]);
}

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
