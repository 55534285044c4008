import { createErrorReporter, type ErrorReporter } from '../logging/logging';
import type { Metrics } from '../metrics/metrics';
import { OUTBOX_KINDS, type OutboxKind, type OutboxRow } from './outbox';

/** Result of a delivery attempt. `afterMs`: milliseconds until the row is due again. Postgres computes the time. */
export type DeliveryOutcome =
  /** `isSettled`: the delivery has deleted the outbox row together with what it recorded. */
  | { readonly outcome: 'done'; readonly isSettled?: true }
  /** The attempt failed and counts. After MAX_ATTEMPTS of them the row is dead. `isSettled`: the outbox row has the time. */
  | { readonly outcome: 'retry'; readonly afterMs: number; readonly error: string; readonly isSettled?: true }
  /** The row waits, for another message for example. The attempt does not count. `isSettled`: as above. */
  | { readonly outcome: 'wait'; readonly afterMs: number; readonly error: string; readonly isSettled?: true }
  /** The receiver rejected the message for good. */
  | { readonly outcome: 'dead'; readonly error: string }
  /** The receiving server does not respond; the row itself is not at fault. The attempt does not count. */
  | { readonly outcome: 'unavailable'; readonly error: string };

/**
 * Maximum number of attempts that count. With the back-off of `backoffMs`, a row that always fails is dead after about an
 * hour. A claim whose relay dies before the result counts too: the row may be what ends the relay.
 */
export const MAX_ATTEMPTS = 25;

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 5 * 60_000;

/** Returns an exponential back-off in milliseconds, with jitter over its upper half. */
export function backoffMs(attempt: number, first = FIRST_RETRY_MS, longest = LONGEST_RETRY_MS): number {
  const ceiling = Math.min(longest, first * 2 ** Math.min(attempt - 1, 20));
  return ceiling / 2 + Math.random() * (ceiling / 2);
}

export function retryLater(row: OutboxRow, error: string): DeliveryOutcome {
  return { outcome: 'retry', afterMs: backoffMs(row.attempts), error };
}

/**
 * Applies the limit of attempts to an outcome.
 * @param othersDelivered true when the server processed another row during the attempt. An `unavailable` row is then at
 *   fault itself, for example when its workflow is too busy or its message too large, and the attempt counts.
 */
export function limitAttempts(row: OutboxRow, result: DeliveryOutcome, othersDelivered: boolean): DeliveryOutcome {
  const judged = result.outcome === 'unavailable' && othersDelivered ? retryLater(row, result.error) : result;
  if (judged.outcome !== 'retry' || row.attempts < MAX_ATTEMPTS) return judged;
  return { outcome: 'dead', error: `gave up after ${row.attempts} attempts: ${judged.error}` };
}

export interface Lane {
  readonly kind: OutboxKind;
  readonly concurrency: number;
  /** Timeout of a delivery in seconds. The row of a dead relay is due again after it. */
  readonly leaseSeconds: number;
  /**
   * Concurrent deliveries per endpoint, of which those of a client share slots (`roomsOf`), or per client for the starts of orders.
   * Unset: the rows of a target are delivered one after another, in order.
   */
  readonly perKey?: number;
  /**
   * Resolves when a delivered row no longer counts towards the limit of its key. It holds no slot meanwhile. Unset: a row counts
   * until it is delivered. Only for lanes with `perKey`.
   */
  readonly untilUncounted?: (row: OutboxRow) => Promise<void>;
  /** Must not throw for expected failures. A thrown error counts as a retry with back-off. */
  readonly deliver: (row: OutboxRow) => Promise<DeliveryOutcome>;
}

/** Label `outcome` of `pressline_outbox_deliveries_total` for each outcome of an attempt. */
const LABELS = {
  done: 'delivered',
  retry: 'retried',
  dead: 'dead',
  unavailable: 'unavailable',
  wait: 'waiting',
} as const satisfies Record<DeliveryOutcome['outcome'], string>;

export interface RelayObserver {
  /** Called at the end of every attempt, with the outcome that the relay acts on. */
  attempted(kind: OutboxKind, outcome: DeliveryOutcome['outcome']): void;
  /** Reports an unexpected exception, at the first attempt of a row. */
  readonly report: ErrorReporter;
}

export function createRelayObserver(metrics: Metrics): RelayObserver {
  const count = (kind: OutboxKind, outcome: string, by?: number) =>
    metrics.count('pressline_outbox_deliveries_total', { kind, outcome }, by);
  for (const kind of OUTBOX_KINDS) for (const label of Object.values(LABELS)) count(kind, label, 0);
  return {
    attempted: (kind, outcome) => count(kind, LABELS[outcome]),
    report: createErrorReporter(metrics, 'relay'),
  };
}
