import { carrierOfNumber } from '../../carriers/domain/rate-cards';
import { FOLLOWED_DAYS } from '../../consignments/domain/tracking-status';
import { randomToken } from '../../platform/ids';
import type { Queryable } from '../../platform/postgres';

/** Tracking of parcels that print partners ship themselves, under tracking codes of their own. */

/** Removes the spaces in which carriers print their numbers. */
const withoutSpaces = (code: string) => code.replace(/\s+/g, '');

/**
 * Registers a tracking code that a partner brought, in the transaction that records it. A built-in carrier is known by the
 * form of the number. For other codes the tracking sweep searches the gateways (tracking-sweep/partner-code-search.ts). A code that
 * was first tracked in the last 90 days, for example that of a label of ours, is left as it is. An older one was used again.
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
  const number = card === undefined ? trackingCode.trim() : compact;
  const inserted = await tx`
    INSERT INTO trackings (tracking_number, generation, short_uid, print_order_id, carrier_uid, carrier_name, tracking_url, next_check_at)
    SELECT ${number}, coalesce(max(generation) + 1, 0), ${randomToken(9)}, ${printOrderId}::bigint,
      ${card?.carrierUid ?? null}, ${card?.carrierName ?? null}, ${trackingLink},
      CASE WHEN ${card === undefined} THEN now() END
    FROM trackings WHERE tracking_number = ${number}
    HAVING coalesce(max(created_at) < now() - make_interval(days => ${FOLLOWED_DAYS}), true)
    ON CONFLICT (tracking_number, generation) DO NOTHING
    RETURNING 1`;
  if (inserted.length > 0 && card !== undefined) await markFollowed(tx, [printOrderId]);
}

/** Records that a carrier follows the parcels of print orders. */
export async function markFollowed(sql: Queryable, printOrderIds: readonly string[]): Promise<void> {
  await sql`UPDATE planned_shipments SET tracking_followed = true WHERE print_order_id = ANY(${[...printOrderIds]})`;
}
