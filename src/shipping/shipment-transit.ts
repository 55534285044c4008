import { isDeepStrictEqual } from 'node:util';
import { SCANNED_STATUSES, type TrackingStatus, transitOf } from '../consignments/domain/tracking-status';
import { ORDER_SIGNALS, orderWorkflowId, voidPackagesWorkflowId, WORKFLOW_TYPES } from '../platform/domain/workflows';
import { enqueue } from '../platform/outbox/outbox';
import type { Fragment, Queryable, Transaction } from '../platform/postgres';

/** The statuses of the parcels of print orders, and the signals of their changes to the order workflow. */

type Transit = NonNullable<ReturnType<typeof transitOf>>;

interface FollowedParcels {
  /** Null for the parcels that a print partner ships with tracking codes of its own. */
  readonly shipmentId: string | null;
  readonly orderId: string;
  readonly printOrderId: string;
  readonly parcels: readonly {
    readonly number: string;
    /** Null before the carrier has the parcel. */
    readonly transit: Transit | null;
    /** The items with units in the package. Absent for the partner's own codes. */
    readonly itemIds?: readonly string[];
  }[];
  /** True when a carrier reports trouble with a parcel. */
  readonly troubled: boolean;
}

/** Statuses of a parcel that an operator should look at. A returned one shows in the status of its order. */
const TROUBLE: readonly TrackingStatus[] = ['shipping_exception', 'not_picked_up'];

/**
 * Returns the parcels of shipments of print orders, and those with tracking codes that their partners brought and a carrier
 * follows. A package that was left out does not count.
 */
export async function followedParcels(
  tx: Transaction,
  {
    shipmentIds,
    printOrderIds,
  }: { readonly shipmentIds: readonly string[]; readonly printOrderIds: readonly string[] },
): Promise<FollowedParcels[]> {
  const rows = await tx<
    (Pick<FollowedParcels, 'shipmentId' | 'orderId' | 'printOrderId'> & {
      parcels: { number: string; status: TrackingStatus; itemIds?: string[] }[];
    })[]
  >`
    SELECT s.id AS shipment_id, s.order_id, s.print_order_id, jsonb_agg(jsonb_build_object('number', k.tracking_number,
      'status', t.status_uid, 'itemIds', ARRAY(
        SELECT i.id::text FROM order_items i
        WHERE i.order_id = s.order_id AND k.items @> jsonb_build_array(jsonb_build_object('itemReferenceId', i.item_reference_id))
        ORDER BY i.id)) ORDER BY k.position) AS parcels
    FROM shipments s JOIN shipment_packages k ON k.shipment_id = s.id
      JOIN trackings t ON t.tracking_number = k.tracking_number AND t.shipment_id = k.shipment_id
    WHERE s.id = ANY(${[...shipmentIds]}::uuid[]) AND s.print_order_id IS NOT NULL AND s.status = 'bought'
      AND k.left_out_at IS NULL
    GROUP BY s.id
    UNION ALL
    SELECT NULL, p.order_id, p.id, jsonb_agg(jsonb_build_object('number', t.tracking_number, 'status', t.status_uid)
      ORDER BY t.tracking_number, t.generation)
    FROM print_orders p JOIN trackings t ON t.print_order_id = p.id
    WHERE p.id = ANY(${[...printOrderIds]}::bigint[]) AND t.carrier_uid IS NOT NULL
    GROUP BY p.id`;
  return rows.map(({ parcels, ...owner }) => ({
    ...owner,
    parcels: parcels.map(({ status, ...parcel }) => ({ ...parcel, transit: transitOf(status) })),
    troubled: parcels.some(({ status }) => TROUBLE.includes(status)),
  }));
}

/** Signals parcels with changed statuses, and new trouble with parcels, to the order runs. */
export async function signalOrders(
  tx: Transaction,
  before: readonly FollowedParcels[],
  after: readonly FollowedParcels[],
): Promise<void> {
  const messages = after.flatMap(({ shipmentId, orderId, printOrderId, parcels, troubled }) => {
    const previous = before.find((each) => each.shipmentId === shipmentId && each.printOrderId === printOrderId);
    const target = orderWorkflowId(orderId);
    const message = 'a carrier reports trouble with a parcel, or that nobody picks it up';
    const flagged = { type: 'flagged', reason: 'parcel_exception', message } as const;
    const flags =
      troubled && previous?.troubled !== true
        ? [{ kind: 'signal_workflow', target, payload: { signal: ORDER_SIGNALS.flagged, args: [flagged] } } as const]
        : [];
    const isNews = parcels.some(({ transit }) => transit !== null) && !isDeepStrictEqual(parcels, previous?.parcels);
    if (!isNews) return flags;
    const transits = parcels.map(({ transit }) => transit ?? 'registered');
    const event = {
      type: 'tracking',
      eventId: `${shipmentId ?? `print-order-${printOrderId}`}:${transits}`,
      printOrderId,
      ...(shipmentId === null ? {} : { shipmentId }),
      parcels,
    } as const;
    return [
      { kind: 'signal_workflow', target, payload: { signal: ORDER_SIGNALS.tracking, args: [event] } } as const,
      ...flags,
    ];
  });
  await enqueue(tx, ...messages);
}

/** Has the planned shipments of print orders count the packages that were bought for them. @param shipmentIds of any of these */
export async function countPackages(tx: Queryable, shipmentIds: readonly string[]): Promise<void> {
  await tx`
    UPDATE planned_shipments p SET package_count = l.packages, total_weight_grams = l.grams
    FROM (
      SELECT s.print_order_id, count(*) AS packages,
        sum((s.consignment -> 'packages' -> k.position ->> 'grossWeightGrams')::bigint) AS grams
      FROM shipments s JOIN shipment_packages k ON k.shipment_id = s.id
      WHERE s.print_order_id IN (SELECT print_order_id FROM shipments WHERE id = ANY(${[...shipmentIds]}::uuid[]))
        AND s.status = 'bought' AND k.left_out_at IS NULL
      GROUP BY s.print_order_id
    ) l WHERE p.print_order_id = l.print_order_id`;
}

interface PackagesOfShipment {
  readonly shipmentId: string;
  readonly positions: readonly number[];
}

/** Returns the condition that the package `k` with its tracking `t` is in use, and no carrier has scanned it. */
export const isNotScanned = (sql: Queryable): Fragment => sql`
  k.left_out_at IS NULL AND t.tracking_number = k.tracking_number AND t.shipment_id = k.shipment_id
  AND t.status_uid <> ALL(${SCANNED_STATUSES})`;

/**
 * Leaves packages out of bought shipments of print orders: nothing travels with their labels any more. They are not shown
 * and not followed, and a workflow voids them. Packages that a carrier has scanned stay.
 * @returns how many packages were left out
 */
export async function leaveOutPackages(tx: Transaction, unused: readonly PackagesOfShipment[]): Promise<number> {
  const shipmentIds = unused.map(({ shipmentId }) => shipmentId);
  if (shipmentIds.length === 0) return 0;
  let count = 0;
  await tx`SELECT 1 FROM shipments WHERE id = ANY(${shipmentIds}::uuid[]) ORDER BY id FOR UPDATE`;
  const owners = { shipmentIds, printOrderIds: [] };
  const before = await followedParcels(tx, owners);
  for (const { shipmentId, positions } of unused) {
    const leftOut = await tx<{ position: number }[]>`
      UPDATE shipment_packages k SET left_out_at = now() FROM trackings t
      WHERE k.shipment_id = ${shipmentId} AND k.position = ANY(${[...positions]})
        AND ${isNotScanned(tx)}
      RETURNING k.position`;
    if (leftOut.length === 0) continue;
    count += leftOut.length;
    await enqueue(tx, {
      kind: 'start_workflow',
      target: voidPackagesWorkflowId(shipmentId, leftOut[0]!.position),
      payload: {
        workflowType: WORKFLOW_TYPES.takeBackShipment,
        args: [{ shipmentId, positions: leftOut.map(({ position }) => position) }],
        summary: `Labels of shipment ${shipmentId} that are not used`,
      },
    });
  }
  await signalOrders(tx, before, await followedParcels(tx, owners));
  return count;
}
