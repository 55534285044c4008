import { setTimeout as sleep } from 'node:timers/promises';
import { CarrierUnavailable } from '../carriers/carrier';
import type { Carriers } from '../carriers/carriers';
import type { Sql } from '../platform/postgres';
import { recordTrackingEvents } from './tracking';

/** Tracking numbers asked for at once. */
const BATCH = 50;
/** A carrier is asked at most once in this time: gateways allow some calls a second. */
const PAUSE_MS = 250;
/** A package whose carrier did not answer, or says nothing new, is due again after this. */
const LEASE_MINUTES = 60;

export interface SweepResult {
  readonly checked: number;
  readonly recorded: number;
  /** Adapters that gave no usable answer. */
  readonly away: readonly string[];
}

interface DueTracking {
  trackingNumber: string;
  carrierUid: string;
  methodUid: string;
}

/**
 * Asks carriers about the packages that are due, each carrier at its own pace and in batches. Packages are claimed
 * first, so that sweeps may overlap; what a dead sweep claimed is due again after an hour.
 * @param limit packages looked at in this call; fewer checked means that none is due any more
 */
export async function sweepTrackings(
  { sql, carriers }: { readonly sql: Sql; readonly carriers: Carriers },
  { limit }: { readonly limit: number },
): Promise<SweepResult> {
  const due = await sql<DueTracking[]>`
    UPDATE trackings t SET next_check_at = now() + make_interval(mins => ${LEASE_MINUTES}), checked_at = now()
    FROM shipments s
    WHERE s.id = t.shipment_id AND t.tracking_number IN (
      SELECT tracking_number FROM trackings WHERE next_check_at <= now()
      ORDER BY next_check_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    RETURNING t.tracking_number, t.carrier_uid, s.method_uid`;
  const away: string[] = [];
  let recorded = 0;
  await Promise.all(
    carriers.adapters.map(async (adapter) => {
      const own = due.filter(({ methodUid }) => carriers.forMethod(methodUid) === adapter);
      for (let from = 0; from < own.length; from += BATCH) {
        if (from > 0) await sleep(PAUSE_MS);
        const batch = own.slice(from, from + BATCH);
        try {
          const events = await adapter.track(batch.map(({ trackingNumber }) => trackingNumber));
          for (const carrierUid of new Set(batch.map((each) => each.carrierUid))) {
            const numbers = new Set(
              batch.filter((each) => each.carrierUid === carrierUid).map((each) => each.trackingNumber),
            );
            const ofCarrier = events.filter(({ trackingNumber }) => numbers.has(trackingNumber));
            recorded += (await recordTrackingEvents(sql, carrierUid, ofCarrier)).recorded;
          }
        } catch (error) {
          if (!(error instanceof CarrierUnavailable)) throw error;
          away.push(adapter.uid);
          return;
        }
      }
    }),
  );
  return { checked: due.length, recorded, away };
}
