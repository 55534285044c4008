import type { OutboundObserver } from '../http/outbound-observer';
import { ATTEMPT_OUTCOMES } from './metric-table';
import type { Metrics } from './metrics';

/** Counts and times outgoing requests. */
export function createOutboundObserver(metrics: Metrics): OutboundObserver {
  for (const outcome of ATTEMPT_OUTCOMES) {
    for (const kind of ['file', 'receiver'])
      metrics.expectObservations('http_client_request_duration_seconds', { kind, target: '', outcome });
    metrics.count('pressline_notifications_total', { outcome }, 0);
  }
  return (purpose, outcome, seconds) => {
    const target = 'uid' in purpose ? purpose.uid : '';
    metrics.observe('http_client_request_duration_seconds', { kind: purpose.kind, target, outcome }, seconds);
    if (purpose.kind === 'partner' && purpose.delivers)
      metrics.count('pressline_partner_deliveries_total', { partner: target, outcome });
    if (purpose.kind === 'receiver') metrics.count('pressline_notifications_total', { outcome });
  };
}
