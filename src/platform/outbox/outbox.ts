import { json, onCommit, type Queryable, type Sql } from '../postgres';
import { currentTraceparent } from '../tracing/spans';

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
  /** Number of delivery attempts, including the current one. Attempts that met an unavailable server do not count. */
  readonly attempts: number;
  readonly createdAt: Date;
  /** Trace of the code that wrote the row (W3C Trace Context). Null without tracing. */
  readonly traceparent: string | null;
}

/** Postgres channel that all relays listen on. The payload of a notification is the kind. */
export const OUTBOX_CHANNEL = 'outbox';

/** Adds messages to the caller's transaction. Relays wake when the transaction commits. */
export async function enqueue(tx: Queryable, ...messages: readonly OutboxMessage[]): Promise<void> {
  if (messages.length === 0) return;
  const batch = messages.map(({ kind, target, payload }) => ({ kind, target, payload }));
  await tx`
    INSERT INTO outbox (kind, target, payload, traceparent)
    SELECT kind, target, payload, ${currentTraceparent()} FROM jsonb_to_recordset(${json(tx, batch)}) AS m (kind text, target text, payload jsonb)`;
  onCommit(tx, (sql) => {
    for (const kind of new Set(messages.map((message) => message.kind))) wakeRelays(sql, kind);
  });
}

/**
 * Minimum time between two claims after wake-ups, and between two notifications of one process. Notifications of several changes
 * share claims, reads and updates.
 */
export const WAKE_EVERY_MS: Readonly<Record<OutboxKind, number>> = {
  start_workflow: 20,
  signal_workflow: 20,
  notification: 250,
};

interface LastNotification {
  at: number;
  isDue: boolean;
}

const lastNotifications = new WeakMap<Sql, Map<OutboxKind, LastNotification>>();

/**
 * Notifies every relay: immediately, then at most once in WAKE_EVERY_MS. Call it after the commit. A NOTIFY inside a transaction
 * takes a database-wide lock at commit, and concurrent transactions would queue for it. A wake-up lost in a crash costs one
 * polling interval.
 */
export function wakeRelays(sql: Sql, kind: OutboxKind): void {
  const kinds = lastNotifications.get(sql) ?? new Map<OutboxKind, LastNotification>();
  lastNotifications.set(sql, kinds);
  const last = kinds.get(kind) ?? { at: Number.NEGATIVE_INFINITY, isDue: false };
  kinds.set(kind, last);
  if (last.isDue) return;
  last.isDue = true;
  const notify = () => {
    Object.assign(last, { at: performance.now(), isDue: false });
    sql`SELECT pg_notify(${OUTBOX_CHANNEL}, ${kind})`.catch(() => undefined);
  };
  const waitMs = last.at + WAKE_EVERY_MS[kind] - performance.now();
  if (waitMs > 0) setTimeout(notify, waitMs);
  else notify();
}
