import type { CarrierEvent } from '../carriers/carrier';
import { CarrierUnavailable } from '../carriers/carrier';
import type { Carriers } from '../carriers/carriers';
import { carrierOfNumber, RATE_CARDS } from '../carriers/domain/rate-cards';
import { randomToken } from '../platform/ids';
import type { Queryable, Sql } from '../platform/postgres';
import { recordTrackingEvents } from './tracking';

/** Tracking of parcels that print partners ship themselves, under tracking codes of their own. */

/** Gateways are asked for a carrier this long after the code arrived: many codes are known only after the first scan. */
const SEARCH_DAYS = 14;
const SEARCH_HOURS = 6;

/** Removes the spaces in which carriers print their numbers. */
const withoutSpaces = (code: string) => code.replace(/\s+/g, '');

/**
 * Registers a tracking code that a partner brought, in the transaction that records it. A built-in carrier is known by the
 * form of the number. For other codes the tracking sweep asks the gateways (`findPartnerCarriers`). A code that is already
 * tracked, for example that of a label of ours, is left as it is.
 */
export async function followPartnerTracking(
  tx: Queryable,
  code: {
    readonly printOrderId: string;
    readonly trackingCode: string;
    readonly trackingLink: string | null;
  },
): Promise<void> {
  const { printOrderId, trackingCode, trackingLink } = code;
  const compact = withoutSpaces(trackingCode);
  const card = carrierOfNumber(compact);
  const inserted = await tx`
    INSERT INTO trackings (tracking_number, short_uid, print_order_id, carrier_uid, carrier_name, tracking_url, next_check_at)
    VALUES (${card === undefined ? trackingCode.trim() : compact}, ${randomToken(9)}, ${printOrderId},
      ${card?.carrierUid ?? null}, ${card?.carrierName ?? null}, ${trackingLink},
      CASE WHEN ${card === undefined} THEN now() END)
    ON CONFLICT (tracking_number) DO NOTHING
    RETURNING 1`;
  if (inserted.length > 0 && card !== undefined) await markFollowed(tx, [printOrderId]);
}

async function markFollowed(sql: Queryable, printOrderIds: readonly string[]): Promise<void> {
  await sql`UPDATE planned_shipments SET tracking_followed = true WHERE print_order_id = ANY(${[...printOrderIds]})`;
}

/** A tracking code without a known carrier. */
export interface UnknownCode {
  readonly trackingNumber: string;
  readonly ageDays: number;
}

/**
 * Asks the gateways for the carriers of partners' tracking codes. A gateway that returns events for a code follows it from
 * then on.
 * @returns recorded events, and the uids of gateways that gave no usable answer
 */
export async function findPartnerCarriers(
  { sql, carriers }: { readonly sql: Sql; readonly carriers: Carriers },
  codes: readonly UnknownCode[],
): Promise<{ recorded: number; away: string[] }> {
  const away: string[] = [];
  let recorded = 0;
  let unknown = [...codes];
  for (const adapter of carriers.adapters) {
    if (unknown.length === 0) break;
    if (RATE_CARDS.some(({ carrierUid }) => carrierUid === adapter.uid)) continue;
    try {
      const events = await adapter.track(unknown.map(({ trackingNumber }) => trackingNumber));
      const found = new Set(events.map(({ trackingNumber }) => trackingNumber));
      recorded += await confirm(sql, adapter.uid, events);
      unknown = unknown.filter(({ trackingNumber }) => !found.has(trackingNumber));
    } catch (error) {
      if (!(error instanceof CarrierUnavailable)) throw error;
      away.push(adapter.uid);
    }
  }
  await searchAgainLater(sql, unknown);
  return { recorded, away };
}

async function confirm(sql: Sql, adapterUid: string, events: readonly CarrierEvent[]): Promise<number> {
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
  return (await recordTrackingEvents(sql, adapterUid, events)).recorded;
}

async function searchAgainLater(sql: Sql, codes: readonly UnknownCode[]): Promise<void> {
  for (const { trackingNumber, ageDays } of codes) {
    const hours = ageDays > SEARCH_DAYS ? null : SEARCH_HOURS;
    await sql`
      UPDATE trackings SET next_check_at = now() + make_interval(hours => ${hours})
      WHERE tracking_number = ${trackingNumber} AND carrier_uid IS NULL`;
  }
}
