import { ATTEMPT_OUTCOMES, type AttemptOutcome } from '../platform/metrics/metric-table';
import type { Metrics } from '../platform/metrics/metrics';
import type { CarrierAdapter } from './carrier';

/**
 * Returns an adapter that counts purchases and tracking checks.
 * @param isRemote the adapter calls another server, so its calls are timed as outgoing requests
 */
export function measuredCarrier(adapter: CarrierAdapter, metrics: Metrics, isRemote: boolean): CarrierAdapter {
  const carrier = adapter.uid;
  for (const outcome of ATTEMPT_OUTCOMES) {
    metrics.count('pressline_labels_total', { carrier, outcome }, 0);
    metrics.count('pressline_tracking_checks_total', { carrier, outcome }, 0);
    if (isRemote)
      metrics.expectObservations('http_client_request_duration_seconds', {
        kind: 'carrier',
        target: carrier,
        outcome,
      });
  }
  async function measured<T>(
    call: () => Promise<T>,
    outcomeOf: (result: T) => AttemptOutcome,
    count?: (outcome: AttemptOutcome) => void,
  ): Promise<T> {
    const startedAt = performance.now();
    let outcome: AttemptOutcome = 'failed';
    try {
      const result = await call();
      outcome = outcomeOf(result);
      return result;
    } finally {
      const seconds = (performance.now() - startedAt) / 1_000;
      if (isRemote)
        metrics.observe('http_client_request_duration_seconds', { kind: 'carrier', target: carrier, outcome }, seconds);
      count?.(outcome);
    }
  }
  const accepted = () => 'accepted' as const;
  const byOk = ({ ok }: { readonly ok: boolean }) => (ok ? 'accepted' : 'refused');
  return {
    uid: carrier,
    quote: (consignment) => measured(() => adapter.quote(consignment), accepted),
    buy: (request) =>
      measured(
        () => adapter.buy(request),
        byOk,
        (outcome) => metrics.count('pressline_labels_total', { carrier, outcome }),
      ),
    ...(adapter.labelOf === undefined ? {} : { labelOf: adapter.labelOf.bind(adapter) }),
    void: (purchase) => measured(() => adapter.void(purchase), byOk),
    trackingLimits: adapter.trackingLimits,
    track: (trackingNumbers) =>
      measured(
        () => adapter.track(trackingNumbers),
        accepted,
        (outcome) => metrics.count('pressline_tracking_checks_total', { carrier, outcome }),
      ),
  };
}
