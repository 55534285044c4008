import { randomToken } from '../ids';
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

/** Returns the channel of one relay. It names the kinds that the relay delivers. At most 63 bytes, the limit of Postgres. */
export function channelOfRelay(kinds: readonly OutboxKind[]): string {
  return [OUTBOX_CHANNEL, ...kinds, randomToken(4)].join(' ');
}

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

/** A relay of this process. */
interface LocalRelay {
  readonly kinds: ReadonlySet<OutboxKind>;
  wake(kind: OutboxKind): void;
}

/** The relays of this process, by the database that they relay from. */
const relaysHere = new Map<string, Set<LocalRelay>>();

function databaseOf({ options: { host, port, database } }: Sql): string {
  return `${host.join()}:${port.join()}/${database}`;
}

/** Calls the relay's `wake` for messages that this process writes. @returns a function that ends this */
export function addRelayOfProcess(sql: Sql, relay: LocalRelay): () => void {
  const database = databaseOf(sql);
  const relays = relaysHere.get(database) ?? new Set();
  relaysHere.set(database, relays.add(relay));
  return () => void relays.delete(relay);
}

/**
 * Wakes a relay. A process that relays messages of this kind wakes its own relay without a statement. Any other process notifies
 * one relay. Call it after the commit. A NOTIFY inside a transaction takes a database-wide lock at commit, and concurrent
 * transactions would queue for it. A wake-up lost in a crash costs one polling interval.
 */
export function wakeRelays(sql: Sql, kind: OutboxKind): void {
  const here = [...(relaysHere.get(databaseOf(sql)) ?? [])].filter(({ kinds }) => kinds.has(kind));
  for (const relay of here) relay.wake(kind);
  if (here.length === 0) notifyRelay(sql, kind);
}

interface LastNotification {
  at: number;
  isDue: boolean;
}

/** The last notification of each kind, by the pool of the process that made it. */
const lastNotifications = new WeakMap<Sql, Map<OutboxKind, LastNotification>>();

/** Notifies one relay: immediately, then at most once in `everyMs` milliseconds. */
export function notifyRelay(sql: Sql, kind: OutboxKind, everyMs = WAKE_EVERY_MS[kind]): void {
  const kinds = lastNotifications.get(sql) ?? new Map<OutboxKind, LastNotification>();
  lastNotifications.set(sql, kinds);
  const last = kinds.get(kind) ?? { at: Number.NEGATIVE_INFINITY, isDue: false };
  kinds.set(kind, last);
  if (last.isDue) return;
  last.isDue = true;
  const notify = () => {
    Object.assign(last, { at: performance.now(), isDue: false });
    notifyOne(sql, kind).catch(() => undefined);
  };
  const waitMs = last.at + everyMs - performance.now();
  if (waitMs > 0) setTimeout(notify, waitMs);
  else notify();
}

/**
 * Notifies one of the relays that deliver a kind, because the claims of all others would find nothing. Their connections are found by
 * their last statement, LISTEN. All relays are notified when none is visible, as to another role.
 */
async function notifyOne(sql: Sql, kind: OutboxKind): Promise<void> {
  await sql`
    SELECT pg_notify(coalesce((
      SELECT channel FROM (
        SELECT substring(query FROM '^listen "(.+)"$') AS channel FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE ${`listen "${OUTBOX_CHANNEL} %`}) AS relays
      WHERE ${kind} = ANY(string_to_array(channel, ' '))
      ORDER BY random() LIMIT 1), ${OUTBOX_CHANNEL}), ${kind})`;
}
