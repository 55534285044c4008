import type { CarrierEvent } from '../../carriers/carrier';
import { carrierOfNumber } from '../../carriers/domain/rate-cards';
import {
  FOLLOWED_DAYS,
  furthest,
  nextCheckHours,
  SCANNED_STATUSES,
  type TrackingStatus,
} from '../../consignments/domain/tracking-status';
import { enqueueOrderNotifications } from '../../notifications/enqueue';
import { randomToken, sha256 } from '../../platform/ids';
import { columnsOf, inTransaction, json, type Queryable, type Sql, type Transaction } from '../../platform/postgres';
import { followedParcels, signalOrders } from '../shipment-transit';

export interface RecordedEvents {
  /** New checkpoints. */
  readonly recorded: number;
  /** Events that were recorded before. */
  readonly repeated: number;
  /** Tracking numbers without a package of this carrier. */
  readonly unknown: readonly string[];
}

const eventKey = (event: CarrierEvent) =>
  event.eventId ??
  sha256(`${event.statusUid}\n${event.occurredAt}\n${event.message}\n${event.location ?? ''}`).toString('base64url');

interface TrackedPackage {
  trackingNumber: string;
  /** Counts the uses of the number, from 0. */
  generation: number;
  createdAt: Date;
  /** Null for a tracking code that a print partner brought. */
  shipmentId: string | null;
  printOrderId: string | null;
  statusUid: TrackingStatus;
  polled: boolean;
  ageDays: number;
  /** Day before the label was bought, YYYY-MM-DD. An earlier expected delivery date is the carrier's mistake. */
  dayBefore: string;
}

/**
 * Records a carrier's events as checkpoints and updates the statuses of packages. The result does not depend on the order
 * or repetition of events, and a status never regresses. The same transaction signals status changes of a print order's
 * packages to the order run and updates the order's delivery dates. When a carrier scans a package with a voided label of
 * a print order, the label is valid again.
 * @param carrierUid packages of other carriers are ignored
 */
export async function recordTrackingEvents(
  sql: Sql,
  carrierUid: string,
  events: readonly CarrierEvent[],
): Promise<RecordedEvents> {
  if (events.length === 0) return { recorded: 0, repeated: 0, unknown: [] };
  return await inTransaction(sql, async (tx) => {
    const packages = await lockPackages(tx, carrierUid, [...new Set(events.map((event) => event.trackingNumber))]);
    const ofPackages = events.flatMap((event) => {
      const scanned = packageOfEvent(packages, event);
      return scanned === undefined ? [] : [{ ...event, generation: scanned.generation, scanned }];
    });
    const scanned = [...new Set(ofPackages.map((event) => event.scanned))];
    const owners = {
      shipmentIds: distinctIds(scanned, 'shipmentId'),
      printOrderIds: distinctIds(scanned, 'printOrderId'),
    };
    const before = await followedParcels(tx, owners);
    const recorded = await insertCheckpoints(tx, ofPackages);
    if (recorded > 0) {
      await updateStatuses(tx, scanned);
      await restoreScannedLabels(tx, scanned);
      await signalOrders(tx, before, await followedParcels(tx, owners));
      await updateDeliveryEstimates(tx, owners.shipmentIds, owners.printOrderIds);
    }
    const unknown = [
      ...new Set(
        events.filter((event) => packageOfEvent(packages, event) === undefined).map((event) => event.trackingNumber),
      ),
    ];
    return { recorded, repeated: ofPackages.length - recorded, unknown };
  });
}

/** Difference between the clocks of Pressline and of a carrier, at most. */
const CLOCK_SKEW_MS = 24 * 60 * 60 * 1000;

/**
 * Returns the package that an event is about. Carriers use numbers again: an event belongs to the last package that got the
 * number before the event. Older events than the first package are taken for it.
 */
function packageOfEvent(
  packages: readonly TrackedPackage[],
  { trackingNumber, occurredAt }: CarrierEvent,
): TrackedPackage | undefined {
  const uses = packages.filter((each) => each.trackingNumber === trackingNumber);
  const latest = Date.parse(occurredAt) + CLOCK_SKEW_MS;
  return uses.findLast(({ createdAt }) => createdAt.getTime() <= latest) ?? uses[0];
}

/** Locks the orders, shipments and trackings of packages, and returns the packages, the oldest first. */
async function lockPackages(
  tx: Transaction,
  carrierUid: string,
  numbers: readonly string[],
): Promise<TrackedPackage[]> {
  await tx`
    SELECT 1 FROM orders WHERE id IN (
      SELECT coalesce(s.order_id, p.order_id) FROM trackings t
      LEFT JOIN shipments s ON s.id = t.shipment_id LEFT JOIN print_orders p ON p.id = t.print_order_id
      WHERE t.tracking_number = ANY(${[...numbers]}) AND t.carrier_uid = ${carrierUid}
    ) ORDER BY id FOR NO KEY UPDATE`;
  await tx`
    SELECT 1 FROM shipments WHERE id IN (
      SELECT shipment_id FROM trackings WHERE tracking_number = ANY(${[...numbers]}) AND carrier_uid = ${carrierUid}
    ) ORDER BY id FOR UPDATE`;
  await tx`
    SELECT 1 FROM trackings WHERE print_order_id IN (
      SELECT print_order_id FROM trackings WHERE tracking_number = ANY(${[...numbers]}) AND carrier_uid = ${carrierUid}
    ) ORDER BY tracking_number, generation FOR UPDATE`;
  return await tx<TrackedPackage[]>`
    SELECT tracking_number, generation, created_at, shipment_id, print_order_id::text, status_uid,
      next_check_at IS NOT NULL AS polled,
      extract(epoch FROM now() - created_at)::float8 / 86400 AS age_days,
      (created_at - interval '1 day')::date::text AS day_before
    FROM trackings WHERE tracking_number = ANY(${[...numbers]}) AND carrier_uid = ${carrierUid}
    ORDER BY tracking_number, generation`;
}

const distinctIds = (packages: readonly TrackedPackage[], name: 'shipmentId' | 'printOrderId') => [
  ...new Set(packages.map((each) => each[name]).filter((id) => id !== null)),
];

async function insertCheckpoints(
  tx: Transaction,
  events: readonly (CarrierEvent & { readonly generation: number })[],
): Promise<number> {
  const rows = events.map((event) => columnsOf({ ...event, eventKey: eventKey(event) }));
  const inserted = await tx`
    INSERT INTO tracking_checkpoints (tracking_number, generation, tracked_since, event_key, status_uid, message,
      description, location, expected_delivery_date, signed_by, occurred_at)
    SELECT tracking_number, generation, t.created_at, c.event_key, c.status_uid, c.message, c.description, c.location,
      c.expected_delivery_date, c.signed_by, c.occurred_at
    FROM jsonb_populate_recordset(NULL::tracking_checkpoints, ${json(tx, rows)}) AS c
    JOIN trackings t USING (tracking_number, generation)
    ON CONFLICT (tracking_number, generation, event_key, tracked_since) DO NOTHING`;
  return inserted.count;
}

async function updateStatuses(tx: Transaction, packages: readonly TrackedPackage[]): Promise<void> {
  const numbers = packages.map(({ trackingNumber }) => trackingNumber);
  const checkpoints = await tx<
    {
      trackingNumber: string;
      generation: number;
      statusUid: TrackingStatus;
      occurredAt: Date;
      expectedDeliveryDate: string | null;
    }[]
  >`
    SELECT c.tracking_number, c.generation, c.status_uid, c.occurred_at, c.expected_delivery_date::text
    FROM trackings t JOIN tracking_checkpoints c
      ON c.tracking_number = t.tracking_number AND c.generation = t.generation AND c.tracked_since = t.created_at
    WHERE t.tracking_number = ANY(${numbers}) ORDER BY c.occurred_at, c.id`;
  const updates = packages.map(({ trackingNumber, generation, ageDays, polled, dayBefore }) => {
    const own = checkpoints.filter(
      (checkpoint) => checkpoint.trackingNumber === trackingNumber && checkpoint.generation === generation,
    );
    const statusUid = furthest(
      own.map((each) => ({ statusUid: each.statusUid, occurredAt: each.occurredAt.toISOString() })),
    );
    return {
      tracking_number: trackingNumber,
      generation,
      status_uid: statusUid,
      expected_delivery_date:
        own.findLast(({ expectedDeliveryDate: day }) => day !== null && day >= dayBefore)?.expectedDeliveryDate ?? null,
      hours: polled ? nextCheckHours(statusUid, ageDays) : null,
    };
  });
  await tx`
    UPDATE trackings t SET status_uid = u.status_uid, expected_delivery_date = u.expected_delivery_date,
      next_check_at = now() + make_interval(hours => u.hours), updated_at = now()
    FROM jsonb_to_recordset(${json(tx, updates)})
      AS u (tracking_number text, generation int, status_uid text, expected_delivery_date date, hours int)
    WHERE (t.tracking_number, t.generation) = (u.tracking_number, u.generation)`;
}

/** Restores voided labels of print orders that a carrier has scanned: they are in use. */
async function restoreScannedLabels(tx: Transaction, packages: readonly TrackedPackage[]): Promise<void> {
  const uses = packages.map(({ trackingNumber, generation }) => ({ number: trackingNumber, generation }));
  await tx`
    WITH scanned AS (
      SELECT tracking_number, shipment_id FROM trackings
      WHERE (tracking_number, generation) IN (SELECT u.number, u.generation
          FROM jsonb_to_recordset(${json(tx, uses)}) AS u (number text, generation int))
        AND status_uid = ANY(${SCANNED_STATUSES})
    ), restored AS (
      UPDATE shipment_packages k SET left_out_at = NULL FROM scanned
      WHERE k.tracking_number = scanned.tracking_number AND k.shipment_id = scanned.shipment_id
        AND k.left_out_at IS NOT NULL
    )
    UPDATE shipments s SET status = 'bought', voided_at = NULL FROM scanned
    WHERE s.id = scanned.shipment_id AND s.status = 'voided' AND s.print_order_id IS NOT NULL`;
}

/**
 * Sets the delivery dates of print orders to the dates that carriers expect, from the earliest parcel to the latest, and
 * enqueues notifications where they change. The dates promised first are kept beside them. Parcels without an estimate
 * are assumed to arrive with the others.
 * @param shipmentIds shipments that the transaction has locked
 * @param printOrderIds print orders whose partners ship with tracking codes of their own
 */
async function updateDeliveryEstimates(
  tx: Transaction,
  shipmentIds: readonly string[],
  printOrderIds: readonly string[],
): Promise<void> {
  const estimates = await tx<{ orderId: string; printOrderId: string; first: string; last: string }[]>`
    WITH expected AS (
      SELECT s.order_id, s.print_order_id, min(t.expected_delivery_date) AS first, max(t.expected_delivery_date) AS last
      FROM shipments s JOIN trackings t ON t.shipment_id = s.id
      WHERE s.id = ANY(${[...shipmentIds]}) AND s.print_order_id IS NOT NULL AND s.status = 'bought'
      GROUP BY s.id
      UNION ALL
      SELECT p.order_id, p.id, min(t.expected_delivery_date), max(t.expected_delivery_date)
      FROM print_orders p JOIN trackings t ON t.print_order_id = p.id
      WHERE p.id = ANY(${[...printOrderIds]}::bigint[])
      GROUP BY p.id
    )
    SELECT e.order_id, e.print_order_id::text, e.first::text, e.last::text
    FROM expected e
    JOIN orders o ON o.id = e.order_id
    JOIN planned_shipments p ON p.print_order_id = e.print_order_id
    WHERE (p.min_delivery_date, p.max_delivery_date) <> (e.first, e.last)
    ORDER BY o.id`;
  for (const { orderId, printOrderId, first, last } of estimates) {
    await tx`
      UPDATE planned_shipments SET min_delivery_date = ${first}, max_delivery_date = ${last},
        min_delivery_days = greatest(0, min_delivery_days + (${first}::date - min_delivery_date)),
        max_delivery_days = greatest(0, max_delivery_days + (${last}::date - max_delivery_date))
      WHERE print_order_id = ${printOrderId}`;
    await tx`UPDATE orders SET updated_at = now() WHERE id = ${orderId}`;
    await enqueueOrderNotifications(tx, { orderId });
  }
}

const withoutSpaces = (code: string) => code.replace(/\s+/g, '');

/**
 * Registers a tracking code that a partner brought, in the transaction that records it. A built-in carrier is known by the
 * form of the number. For other codes the tracking sweep searches the gateways. A code that
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

export async function markFollowed(sql: Queryable, printOrderIds: readonly string[]): Promise<void> {
  await sql`UPDATE planned_shipments SET tracking_followed = true WHERE print_order_id = ANY(${[...printOrderIds]})`;
}
