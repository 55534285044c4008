import type { CarrierAdapter } from '../../carriers/carrier';
import { nextCheckHours, type TrackingStatus } from '../../consignments/domain/tracking-status';
import { json, type Sql } from '../../platform/postgres';
import { addSweeps, NOTHING_SWEPT, type SweepResult } from '../domain/shipping-runs';
import { CarrierInquiry, recordEvents, type SweepBounds, type SweepDeps } from './carrier-inquiry';

/** Time after which a package without a usable response, or of a sweep that ended, becomes due again. */
const LEASE_MINUTES = 60;
/** The same for packages that were not requested, because their carrier is unavailable. */
const NOT_REQUESTED_MINUTES = 4;

export async function carriersToSweep({ sql, carriers }: Omit<SweepDeps, 'log'>): Promise<string[]> {
  const due = await sql<{ uid: string }[]>`
    SELECT uid FROM unnest(${carriers.adapters.map(({ uid }) => uid)}::text[]) AS a (uid)
    WHERE EXISTS (SELECT FROM trackings t WHERE t.adapter_uid = a.uid AND t.next_check_at <= now())`;
  return due.map(({ uid }) => uid);
}

/**
 * Reads the tracking of a carrier's packages that are due, in batches and at its rate, until none is due, the carrier is
 * unavailable, or a bound is reached. Each batch is claimed under a lease of one hour, so sweeps may overlap.
 * @throws when Postgres is unavailable
 */
export async function sweepCarrier(
  deps: SweepDeps,
  adapterUid: string,
  { limit, deadline, report }: SweepBounds,
): Promise<SweepResult> {
  const adapter = deps.carriers.byUid(adapterUid);
  let swept = NOTHING_SWEPT;
  if (adapter === undefined) return swept;
  const inquiry = new CarrierInquiry(adapter, deps.log);
  while (swept.checked < limit && swept.unavailable.length === 0 && Date.now() < deadline) {
    const claimed = await claim(deps.sql, adapterUid, Math.min(adapter.trackingLimits.batch, limit - swept.checked));
    if (claimed.length === 0) break;
    swept = addSweeps(swept, await sweepBatch(deps, adapter, inquiry, claimed));
    report(swept);
  }
  return swept;
}

interface DueTracking {
  trackingNumber: string;
  generation: number;
  carrierUid: string;
  statusUid: TrackingStatus;
  ageDays: number;
  voided: boolean;
}

async function claim(sql: Sql, adapterUid: string, limit: number): Promise<DueTracking[]> {
  return await sql<DueTracking[]>`
    WITH due AS MATERIALIZED (
      SELECT tracking_number, generation, shipment_id FROM trackings
      WHERE adapter_uid = ${adapterUid} AND next_check_at <= now()
      ORDER BY next_check_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )
    UPDATE trackings t SET next_check_at = now() + make_interval(mins => ${LEASE_MINUTES}), checked_at = now()
    FROM (
      SELECT due.tracking_number, due.generation, coalesce(s.status = 'voided', false) AS voided
      FROM due LEFT JOIN shipments s ON s.id = due.shipment_id
    ) d
    WHERE (t.tracking_number, t.generation) = (d.tracking_number, d.generation)
    RETURNING t.tracking_number, t.generation, t.carrier_uid, t.status_uid,
      extract(epoch FROM now() - t.created_at)::float8 / 86400 AS age_days, d.voided`;
}

async function sweepBatch(
  { sql, log }: SweepDeps,
  adapter: CarrierAdapter,
  inquiry: CarrierInquiry,
  claimed: readonly DueTracking[],
): Promise<SweepResult> {
  const tracked = await inquiry.track(claimed.map(({ trackingNumber }) => trackingNumber));
  const responded = new Set(tracked.responded);
  // A package without a response is due again after its lease when the carrier is unavailable, and later when the package is bad.
  const settled = tracked.isUnavailable ? responded : new Set([...responded, ...tracked.failed]);
  await scheduleNextCheck(
    sql,
    claimed.filter(({ trackingNumber }) => settled.has(trackingNumber)),
  );
  await makeDueSoon(sql, adapter.uid, tracked.notRequested);
  const carrierOf = new Map(claimed.map((each) => [each.trackingNumber, each.carrierUid]));
  const byCarrier = Map.groupBy(tracked.events, ({ trackingNumber }) => carrierOf.get(trackingNumber));
  let [recorded, unrecorded] = [0, 0];
  for (const [carrierUid, events] of byCarrier) {
    if (carrierUid === undefined) continue;
    const outcome = await recordEvents({ sql, log }, carrierUid, events);
    recorded += outcome.recorded;
    unrecorded += outcome.failed;
  }
  return {
    checked: claimed.length,
    recorded,
    failed: unrecorded + (tracked.isUnavailable ? 0 : tracked.failed.length),
    unavailable: tracked.isUnavailable ? [adapter.uid] : [],
  };
}

/** Schedules the next check of packages. Events that are recorded afterwards may change it. */
async function scheduleNextCheck(sql: Sql, batch: readonly DueTracking[]): Promise<void> {
  const due = batch.map(({ trackingNumber, generation, statusUid, ageDays, voided }) => ({
    tracking_number: trackingNumber,
    generation,
    hours: nextCheckHours(statusUid, ageDays, voided),
  }));
  await sql`
    UPDATE trackings t SET next_check_at = now() + make_interval(hours => d.hours)
    FROM jsonb_to_recordset(${json(sql, due)}) AS d (tracking_number text, generation int, hours int)
    WHERE (t.tracking_number, t.generation) = (d.tracking_number, d.generation) AND t.next_check_at IS NOT NULL`;
}

async function makeDueSoon(sql: Sql, adapterUid: string, numbers: readonly string[]): Promise<void> {
  if (numbers.length === 0) return;
  await sql`
    UPDATE trackings SET next_check_at = now() + make_interval(mins => ${NOT_REQUESTED_MINUTES})
    WHERE tracking_number = ANY(${[...numbers]}) AND adapter_uid = ${adapterUid} AND next_check_at IS NOT NULL`;
}
