import { json, type Queryable, type Sql } from '../postgres';

/**
 * Kinds of outgoing messages: workflow starts and signals for Temporal, notifications for clients.
 * A row is written in the transaction of the change that it announces, and is delivered at least once after the commit.
 */
export const OUTBOX_KINDS = ['start_workflow', 'signal_workflow', 'notification'] as const;
export type OutboxKind = (typeof OUTBOX_KINDS)[number];

export interface OutboxMessage {
  readonly kind: OutboxKind;
  /** Workflow id or webhook endpoint id. Rows of one target do not delay rows of another. */
  readonly target: string;
  readonly payload: object;
}

export interface OutboxRow extends OutboxMessage {
  /** Decimal string. */
  readonly id: string;
  /** Number of delivery attempts, including the current one. */
  readonly attempts: number;
  readonly createdAt: Date;
}

/** Postgres channel that relays listen on. The payload of a notification is the kind. */
export const OUTBOX_CHANNEL = 'outbox';

/** Adds messages to the caller's transaction. Relays wake when the transaction commits. */
export async function enqueue(tx: Queryable, ...messages: readonly OutboxMessage[]): Promise<void> {
  if (messages.length === 0) return;
  const batch = messages.map(({ kind, target, payload }) => ({ kind, target, payload }));
  await tx`
    INSERT INTO outbox (kind, target, payload)
    SELECT kind, target, payload FROM jsonb_to_recordset(${json(tx, batch)}) AS m (kind text, target text, payload jsonb)`;
  for (const kind of new Set(messages.map((message) => message.kind))) {
    await tx`SELECT pg_notify(${OUTBOX_CHANNEL}, ${kind})`;
  }
}

/**
 * Creates a function that wakes relays outside a transaction: immediately, then at most once in `everyMs` milliseconds.
 * Use it for frequent messages. A NOTIFY inside a transaction takes a database-wide lock at commit, and concurrent
 * submissions would queue for it. A wake-up lost in a crash costs one polling interval.
 */
export function createNotifyThrottle(sql: Sql, everyMs = 20): (kind: OutboxKind) => void {
  const pending = new Set<OutboxKind>();
  const last = new Map<OutboxKind, number>();
  const notify = (kind: OutboxKind) => {
    pending.delete(kind);
    last.set(kind, performance.now());
    sql`SELECT pg_notify(${OUTBOX_CHANNEL}, ${kind})`.catch(() => undefined);
  };
  return (kind) => {
    if (pending.has(kind)) return;
    const wait = (last.get(kind) ?? -everyMs) + everyMs - performance.now();
    if (wait <= 0) {
      notify(kind);
      return;
    }
    pending.add(kind);
    setTimeout(notify, wait, kind);
  };
}

export interface ClaimOptions {
  readonly limit: number;
  /** Length of the lease in seconds. A claimed row is due again after it when its relay has died. */
  readonly leaseSeconds: number;
}

/** Claims due rows, oldest first. Skips rows that another relay has locked. */
export async function claim(
  sql: Sql,
  kind: OutboxKind,
  { limit, leaseSeconds }: ClaimOptions,
): Promise<OutboxRow[]> {
  // ARRAY evaluates the subquery once. With IN, the planner may evaluate it per row and claim every row.
  return await sql<OutboxRow[]>`
    UPDATE outbox SET attempts = attempts + 1, available_at = now() + make_interval(secs => ${leaseSeconds})
    WHERE id = ANY(ARRAY(
      SELECT id FROM outbox
      WHERE kind = ${kind} AND dead_at IS NULL AND available_at <= now()
      ORDER BY available_at
      LIMIT ${limit}
      FOR UPDATE SKIP LOCKED
    ))
    RETURNING id, kind, target, payload, attempts, created_at`;
}

/**
 * Claims at most `perTarget` due rows of each target that is not in `busy`, so that a target with a long queue gets no more
 * slots than a target with one row.
 */
export async function claimFairly(
  sql: Sql,
  kind: OutboxKind,
  { limit, leaseSeconds, perTarget, busy }: ClaimOptions & { perTarget: number; busy: readonly string[] },
): Promise<OutboxRow[]> {
  return await sql<OutboxRow[]>`
    WITH RECURSIVE due_target (target) AS (
      -- Loose index scan: one step per target, whatever the number of waiting rows.
      (SELECT target FROM outbox WHERE kind = ${kind} AND dead_at IS NULL ORDER BY target LIMIT 1)
      UNION ALL
      SELECT (SELECT o.target FROM outbox o
              WHERE o.kind = ${kind} AND o.dead_at IS NULL AND o.target > d.target ORDER BY o.target LIMIT 1)
      FROM due_target d WHERE d.target IS NOT NULL
    ), picked AS (
      SELECT o.id FROM due_target d
      CROSS JOIN LATERAL (
        SELECT id FROM outbox
        WHERE kind = ${kind} AND dead_at IS NULL AND target = d.target AND available_at <= now()
        ORDER BY available_at
        LIMIT ${perTarget}
        FOR UPDATE SKIP LOCKED
      ) o
      WHERE d.target IS NOT NULL AND d.target <> ALL(${[...busy]})
      LIMIT ${limit}
    )
    UPDATE outbox SET attempts = attempts + 1, available_at = now() + make_interval(secs => ${leaseSeconds})
    WHERE id = ANY(ARRAY(SELECT id FROM picked))
    RETURNING id, kind, target, payload, attempts, created_at`;
}

/** Deletes delivered rows. */
export async function settleDone(sql: Sql, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await sql`DELETE FROM outbox WHERE id = ANY(${[...ids]}::bigint[])`;
}

/** Schedules the next attempt of a row. */
export async function settleRetry(sql: Sql, id: string, retryAt: Date, error: string): Promise<void> {
  await sql`UPDATE outbox SET available_at = ${retryAt}, last_error = ${error.slice(0, 500)} WHERE id = ${id}`;
}

/** Makes a row a dead letter. It is not delivered until an operator replays it. */
export async function settleDead(sql: Sql, id: string, error: string): Promise<void> {
  await sql`UPDATE outbox SET dead_at = now(), last_error = ${error.slice(0, 500)} WHERE id = ${id}`;
}

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
        to_char(dead_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS position
      FROM outbox
      WHERE dead_at IS NOT NULL
        ${after === null ? sql`` : sql`AND (dead_at, id) < (${after.deadAt}::text::timestamptz, ${after.id}::bigint)`}
      ORDER BY dead_at DESC, id DESC LIMIT ${limit}`),
  ];
}

/** Queues dead letters for delivery again, with their attempts reset. Returns their number. */
export async function replayDead(
  sql: Queryable,
  filter: { ids?: readonly string[]; kind?: OutboxKind },
): Promise<number> {
  const rows = await sql`
    UPDATE outbox SET dead_at = NULL, attempts = 0, available_at = now(), last_error = NULL
    WHERE dead_at IS NOT NULL
      AND (${filter.ids === undefined} OR id = ANY(${[...(filter.ids ?? [])]}::bigint[]))
      AND (${filter.kind === undefined} OR kind = ${filter.kind ?? ''})`;
  return rows.count;
}
