import { setTimeout as sleep } from 'node:timers/promises';
import { CarrierUnavailable } from '../carriers/carrier';
import type { Carriers } from '../carriers/carriers';
import { nextCheckHours, type TrackingStatus } from '../consignments/domain/tracking-status';
import { json, type Sql } from '../platform/postgres';
import { findPartnerCarriers } from './partner-tracking';
import { recordTrackingEvents } from './tracking';

/** Tracking numbers per request. */
const BATCH = 50;
/** Pause between two requests to one carrier. Gateways limit calls per second. */
const PAUSE_MS = 250;
/** A package whose carrier does not answer becomes due again after this time. */
const LEASE_MINUTES = 60;

export interface SweepResult {
  readonly checked: number;
  readonly recorded: number;
  /** Uids of adapters that gave no usable answer. */
  readonly away: readonly string[];
}

interface DueTracking {
  trackingNumber: string;
  /** Null for a partner's tracking code without a known carrier. */
  carrierUid: string | null;
  /** Method of the shipment. Null for a partner's tracking code. */
  methodUid: string | null;
  adapterUid: string | null;
  statusUid: TrackingStatus;
  ageDays: number;
  voided: boolean;
}

/**
 * Asks carriers about the packages that are due, in batches, all carriers concurrently. Packages are claimed under a
 * lease of one hour, so sweeps may overlap, and packages of a sweep that died become due again.
 * @param limit packages per call; fewer checked packages mean that no more are due
 */
export async function sweepTrackings(
  { sql, carriers }: { readonly sql: Sql; readonly carriers: Carriers },
  { limit }: { readonly limit: number },
): Promise<SweepResult> {
  const due = await sql<DueTracking[]>`
    UPDATE trackings t SET next_check_at = now() + make_interval(mins => ${LEASE_MINUTES}), checked_at = now()
    FROM (
      SELECT x.tracking_number, s.method_uid, coalesce(s.status = 'voided', false) AS voided
      FROM trackings x LEFT JOIN shipments s ON s.id = x.shipment_id
      WHERE x.tracking_number = ANY(ARRAY(
        SELECT tracking_number FROM trackings WHERE next_check_at <= now()
        ORDER BY next_check_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))
    ) d
    WHERE t.tracking_number = d.tracking_number
    RETURNING t.tracking_number, t.carrier_uid, d.method_uid, t.adapter_uid, t.status_uid,
      extract(epoch FROM now() - t.created_at)::float8 / 86400 AS age_days, d.voided`;
  const search = await findPartnerCarriers(
    { sql, carriers },
    due.filter(({ carrierUid }) => carrierUid === null),
  );
  const away: string[] = [...search.away];
  let { recorded } = search;
  await Promise.all(
    carriers.adapters.map(async (adapter) => {
      const own = due.filter(({ methodUid, adapterUid }) =>
        methodUid === null ? adapterUid === adapter.uid : carriers.forMethod(methodUid) === adapter,
      );
      for (let from = 0; from < own.length; from += BATCH) {
        if (from > 0) await sleep(PAUSE_MS);
        const batch = own.slice(from, from + BATCH);
        try {
          const events = await adapter.track(batch.map(({ trackingNumber }) => trackingNumber));
          await scheduleNextCheck(sql, batch);
          for (const carrierUid of new Set(batch.map((each) => each.carrierUid!))) {
            const numbers = new Set(
              batch.filter((each) => each.carrierUid === carrierUid).map((each) => each.trackingNumber),
            );
            const ofCarrier = events.filter(({ trackingNumber }) => numbers.has(trackingNumber));
            recorded += (await recordTrackingEvents(sql, carrierUid, ofCarrier)).recorded;
          }
        } catch (error) {
          if (!(error instanceof CarrierUnavailable)) throw error;
          if (!away.includes(adapter.uid)) away.push(adapter.uid);
          return;
        }
      }
    }),
  );
  return { checked: due.length, recorded, away };
}

/** Schedules the next check of packages. Events that are recorded afterwards may change it. */
async function scheduleNextCheck(sql: Sql, batch: readonly DueTracking[]): Promise<void> {
  const due = batch.map(({ trackingNumber, statusUid, ageDays, voided }) => ({
    tracking_number: trackingNumber,
    hours: nextCheckHours(statusUid, ageDays, voided),
  }));
  await sql`
    UPDATE trackings t SET next_check_at = now() + make_interval(hours => d.hours)
    FROM jsonb_to_recordset(${json(sql, due)}) AS d (tracking_number text, hours int)
    WHERE t.tracking_number = d.tracking_number AND t.next_check_at IS NOT NULL`;
}
