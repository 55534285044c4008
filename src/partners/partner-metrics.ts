import { ATTEMPT_OUTCOMES } from '../platform/metrics/metric-table';
import type { Metrics } from '../platform/metrics/metrics';
import type { Sql } from '../platform/postgres';
import { POSTBACK_STATUSES } from './domain/postback-status';
import { listPartners } from './partner-rows';

/** Outcomes of a postback: new, known already, refused, or not stored because of an error. */
export const POSTBACK_OUTCOMES = ['accepted', 'duplicate', 'refused', 'failed'] as const;
export type PostbackOutcome = (typeof POSTBACK_OUTCOMES)[number];

/** Exposes the counters of all partners as 0. A partner that is added later is exposed from its first message. */
export async function expectPartners(sql: Sql, metrics: Metrics): Promise<void> {
  for (const { uid } of await listPartners(sql)) {
    for (const outcome of ATTEMPT_OUTCOMES) {
      metrics.count('pressline_partner_deliveries_total', { partner: uid, outcome }, 0);
      metrics.expectObservations('http_client_request_duration_seconds', {
        kind: 'partner',
        target: uid,
        outcome,
      });
    }
    for (const status of POSTBACK_STATUSES)
      for (const outcome of POSTBACK_OUTCOMES)
        metrics.count('pressline_postbacks_total', { partner: uid, status, outcome }, 0);
  }
}
