import type { CarrierAdapter, CarrierEvent } from '../../carriers/carrier';
import { RATE_CARDS } from '../../carriers/domain/rate-cards';
import { json, type Sql } from '../../platform/postgres';
import { addSweeps, NOTHING_SWEPT, type SweepResult } from '../domain/shipping-runs';
import { CarrierInquiry, recordEvents, type SweepBounds, type SweepDeps } from './carrier-inquiry';
import { markFollowed } from './tracking';

/** Gateways are searched for this long after a code arrived: many codes are known only after the first scan. */
const SEARCH_DAYS = 14;
const SEARCH_HOURS = 6;

interface UnknownCode {
  trackingNumber: string;
  ageDays: number;
}

const BATCH = 50;
/** A code that a sweep has claimed becomes due again after this time when the sweep ends early. */
const LEASE_MINUTES = 60;

/**
 * Searches the gateways for the carriers of partners' tracking codes that are due. A gateway that returns events for a code
 * follows it from then on. Run it while no sweep of a gateway is running, so that the gateways' rates are kept.
 * @throws when Postgres is unavailable
 */
export async function findPartnerCarriers(
  deps: SweepDeps,
  { limit, deadline, report }: SweepBounds,
): Promise<SweepResult> {
  const gateways = deps.carriers.adapters.filter(({ uid }) => RATE_CARDS.every(({ carrierUid }) => carrierUid !== uid));
  const inquiries = gateways.map((gateway) => ({
    gateway,
    inquiry: new CarrierInquiry(gateway, deps.log),
  }));
  let found = NOTHING_SWEPT;
  while (found.checked < limit && Date.now() < deadline) {
    const codes = await claimCodes(deps.sql, Math.min(BATCH, limit - found.checked));
    if (codes.length === 0) break;
    found = addSweeps(found, await searchCarriers(deps, inquiries, codes));
    report(found);
  }
  return found;
}

async function claimCodes(sql: Sql, limit: number): Promise<UnknownCode[]> {
  return await sql<UnknownCode[]>`
    UPDATE trackings SET next_check_at = now() + make_interval(mins => ${LEASE_MINUTES}), checked_at = now()
    WHERE tracking_number = ANY(ARRAY(
      SELECT tracking_number FROM trackings
      WHERE adapter_uid IS NULL AND next_check_at <= now() AND carrier_uid IS NULL
      ORDER BY next_check_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))
      AND carrier_uid IS NULL AND next_check_at <= now()
    RETURNING tracking_number, extract(epoch FROM now() - created_at)::float8 / 86400 AS age_days`;
}

async function searchCarriers(
  deps: SweepDeps,
  inquiries: readonly { readonly gateway: CarrierAdapter; readonly inquiry: CarrierInquiry }[],
  codes: readonly UnknownCode[],
): Promise<SweepResult> {
  const unavailable: string[] = [];
  let [recorded, failed] = [0, 0];
  let unknown = [...codes];
  for (const { gateway, inquiry } of inquiries) {
    for (let from = 0; from < unknown.length; from += gateway.trackingLimits.batch) {
      const batch = unknown.slice(from, from + gateway.trackingLimits.batch);
      const tracked = await inquiry.track(batch.map(({ trackingNumber }) => trackingNumber));
      if (!tracked.isUnavailable) failed += tracked.failed.length;
      const confirmed = await confirm(deps, gateway.uid, tracked.events);
      recorded += confirmed.recorded;
      failed += confirmed.failed;
      if (tracked.isUnavailable) {
        unavailable.push(gateway.uid);
        break;
      }
    }
    const found = new Set(await knownCodes(deps.sql, unknown));
    unknown = unknown.filter(({ trackingNumber }) => !found.has(trackingNumber));
    if (unknown.length === 0) break;
  }
  await searchAgainLater(deps.sql, unknown);
  return { checked: codes.length, recorded, failed, unavailable };
}

/** Sets the gateway that follows the codes of events, and records the events. */
async function confirm(
  deps: SweepDeps,
  adapterUid: string,
  events: readonly CarrierEvent[],
): Promise<{ recorded: number; failed: number }> {
  const { sql } = deps;
  for (const trackingNumber of new Set(events.map((event) => event.trackingNumber))) {
    const { signedBy } = events.find((event) => event.trackingNumber === trackingNumber)!;
    const rows = await sql<{ printOrderId: string }[]>`
      UPDATE trackings SET carrier_uid = ${adapterUid}, carrier_name = ${signedBy}, adapter_uid = ${adapterUid}
      WHERE tracking_number = ${trackingNumber} AND carrier_uid IS NULL
      RETURNING print_order_id::text`;
    await markFollowed(
      sql,
      rows.map(({ printOrderId }) => printOrderId),
    );
  }
  return await recordEvents(deps, adapterUid, events);
}

async function knownCodes(sql: Sql, codes: readonly UnknownCode[]): Promise<string[]> {
  const rows = await sql<{ trackingNumber: string }[]>`
    SELECT tracking_number FROM trackings
    WHERE tracking_number = ANY(${codes.map(({ trackingNumber }) => trackingNumber)})
    GROUP BY tracking_number HAVING bool_and(carrier_uid IS NOT NULL)`;
  return rows.map(({ trackingNumber }) => trackingNumber);
}

async function searchAgainLater(sql: Sql, codes: readonly UnknownCode[]): Promise<void> {
  const due = codes.map(({ trackingNumber, ageDays }) => ({
    tracking_number: trackingNumber,
    hours: ageDays > SEARCH_DAYS ? null : SEARCH_HOURS,
  }));
  await sql`
    UPDATE trackings t SET next_check_at = now() + make_interval(hours => d.hours)
    FROM jsonb_to_recordset(${json(sql, due)}) AS d (tracking_number text, hours int)
    WHERE t.tracking_number = d.tracking_number AND t.carrier_uid IS NULL`;
}
