import { json, onCommit, type Queryable, type Sql } from '../postgres';

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
  onCommit(tx, (sql) => {
    for (const kind of new Set(messages.map((message) => message.kind))) wakeRelays(sql, kind);
  });
}

/** Minimum time between two notifications of one kind by one process. */
const NOTIFY_EVERY_MS = 20;

/** The kinds of a pool that relays were notified of, and when. A timer is set for a kind that is in `pending`. */
interface Notified {
  readonly last: Map<OutboxKind, number>;
  readonly pending: Set<OutboxKind>;
}

const notifiedByPool = new WeakMap<Sql, Notified>();

/**
 * Wakes the relays of all processes: immediately, then at most once in 20 ms. Call it after the commit. A NOTIFY inside a
 * transaction takes a database-wide lock at commit, and concurrent transactions would queue for it. A wake-up lost in a crash
 * costs one polling interval.
 */
export function wakeRelays(sql: Sql, kind: OutboxKind): void {
  const { last, pending } = notifiedByPool.get(sql) ?? { last: new Map(), pending: new Set() };
  notifiedByPool.set(sql, { last, pending });
  if (pending.has(kind)) return;
  const notify = () => {
    pending.delete(kind);
    last.set(kind, performance.now());
    sql`SELECT pg_notify(${OUTBOX_CHANNEL}, ${kind})`.catch(() => undefined);
  };
  const wait = (last.get(kind) ?? Number.NEGATIVE_INFINITY) + NOTIFY_EVERY_MS - performance.now();
  if (wait <= 0) {
    notify();
    return;
  }
  pending.add(kind);
  setTimeout(notify, wait);
}
