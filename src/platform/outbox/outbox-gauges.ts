import type { GaugePoint } from '../metrics/metrics';
import type { Queryable } from '../postgres';
import { readOutboxSizes } from './outbox-sizes';

/** Reads the sizes and ages of the outbox as gauges. */
export async function outboxGauges(tx: Queryable): Promise<GaugePoint[]> {
  return (await readOutboxSizes(tx)).flatMap(
    ({ kind, pending, oldestPendingSeconds, dead }): GaugePoint[] => [
      { name: 'pressline_outbox_pending', labels: { kind }, value: pending },
      { name: 'pressline_outbox_oldest_age_seconds', labels: { kind }, value: oldestPendingSeconds ?? 0 },
      { name: 'pressline_outbox_dead', labels: { kind }, value: dead },
    ],
  );
}
