import { createErrorReporter } from '../error-report';
import type { Logger } from '../logging';
import type { Metrics } from '../metrics/metrics';
import { isUnavailable } from '../unavailable';
import type { Lane } from './relay';

/** Label `outcome` of `pressline_outbox_deliveries_total` for each outcome of a delivery. */
const LABELS = {
  done: 'delivered',
  retry: 'retried',
  dead: 'dead',
  unavailable: 'unavailable',
  wait: 'waiting',
} as const;

/** Returns a lane that counts its deliveries, and reports unexpected exceptions. */
export function measuredLane(lane: Lane, metrics: Metrics, log: Logger): Lane {
  const count = (outcome: string, by?: number) =>
    metrics.count('pressline_outbox_deliveries_total', { kind: lane.kind, outcome }, by);
  for (const outcome of Object.values(LABELS)) count(outcome, 0);
  const report = createErrorReporter(metrics, 'relay');
  return {
    ...lane,
    async deliver(row) {
      try {
        const result = await lane.deliver(row);
        count(LABELS[result.outcome]);
        return result;
      } catch (error) {
        count(LABELS.retry);
        if (row.attempts === 1 && !isUnavailable(error))
          report(
            error,
            log.child({ outboxId: row.id, target: row.target }),
            'an outbox delivery failed unexpectedly',
          );
        throw error;
      }
    },
  };
}
