import { createErrorReporter, type ErrorReporter } from '../logging/error-report';
import type { Metrics } from '../metrics/metrics';
import type { DeliveryOutcome } from './delivery-outcome';
import { OUTBOX_KINDS, type OutboxKind } from './outbox';

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

/** Returns the observer that counts the attempts of a relay and reports unexpected exceptions. */
export function createRelayObserver(metrics: Metrics): RelayObserver {
  const count = (kind: OutboxKind, outcome: string, by?: number) =>
    metrics.count('pressline_outbox_deliveries_total', { kind, outcome }, by);
  for (const kind of OUTBOX_KINDS) for (const label of Object.values(LABELS)) count(kind, label, 0);
  return {
    attempted: (kind, outcome) => count(kind, LABELS[outcome]),
    report: createErrorReporter(metrics, 'relay'),
  };
}
