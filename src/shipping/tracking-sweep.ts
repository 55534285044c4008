import { setTimeout as sleep } from 'node:timers/promises';
import { CarrierUnavailable } from '../carriers/carrier';
import type { Carriers } from '../carriers/carriers';
import { nextCheckHours, type TrackingStatus } from '../consignments/domain/tracking-status';
import { json, type Sql } from '../platform/postgres';
import { recordTrackingEvents } from './tracking';

/** Tracking numbers asked for at once. */
const BATCH = 50;
/** A carrier is asked at most once in this time: gateways allow some calls a second. */
const PAUSE_MS = 250;
/** A package whose carrier did not answer is due again after this. */
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
  statusUid: TrackingStatus;
  ageDays: number;
  voided: boolean;
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
    WHERE s.id = t.shipment_id AND t.tracking_number = ANY(ARRAY(
      SELECT tracking_number FROM trackings WHERE next_check_at <= now()
      ORDER BY next_check_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))
    RETURNING t.tracking_number, t.carrier_uid, s.method_uid, t.status_uid,
      extract(epoch FROM now() - t.created_at)::float8 / 86400 AS age_days, s.status = 'voided' AS voided`;
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
          await putOff(sql, batch);
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

/** When packages are due again, by what is known of them; what their carrier has just said of them may change it. */
async function putOff(sql: Sql, batch: readonly DueTracking[]): Promise<void> {
  const due = batch.map(({ trackingNumber, statusUid, ageDays, voided }) => ({
    tracking_number: trackingNumber,
    hours: nextCheckHours(statusUid, ageDays, voided),
  }));
  await sql`
    UPDATE trackings t SET next_check_at = now() + make_interval(hours => d.hours)
    FROM jsonb_to_recordset(${json(sql, due)}) AS d (tracking_number text, hours int)
    WHERE t.tracking_number = d.tracking_number AND t.next_check_at IS NOT NULL`;
}
