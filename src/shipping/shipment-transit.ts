import { SCANNED_STATUSES, type TrackingStatus, transitOf } from '../consignments/domain/tracking-status';
import { ORDER_SIGNALS, orderWorkflowId, voidPackagesWorkflowId, WORKFLOW_TYPES } from '../platform/domain/workflows';
import { enqueue } from '../platform/outbox/outbox';
import type { Fragment, Queryable, Transaction } from '../platform/postgres';

/** The combined statuses of the parcels of a print order, and the signals of their changes to the order workflow. */

type Transit = NonNullable<ReturnType<typeof transitOf>>;

interface ShipmentTransit {
  /** Null for the parcels that a print partner ships with tracking codes of its own. */
  shipmentId: string | null;
  orderId: string;
  printOrderId: string;
  transit: Transit | null;
  /** True when a carrier reports trouble with a parcel. */
  troubled: boolean;
}

/** Statuses of a parcel that an operator should look at. A returned one shows in the status of its order. */
const TROUBLE: readonly TrackingStatus[] = ['shipping_exception', 'not_picked_up'];

/**
 * Returns the combined status of each print order's shipment, and of the tracking codes that its partner brought: `delivered`
 * when all packages are, `returned` when all have a final status and at least one was returned, `in_transit` as soon as
 * one moves. A package that was left out does not count.
 */
export async function shipmentTransits(
  tx: Transaction,
  {
    shipmentIds,
    printOrderIds,
  }: { readonly shipmentIds: readonly string[]; readonly printOrderIds: readonly string[] },
): Promise<ShipmentTransit[]> {
  const rows = await tx<
    { shipmentId: string | null; orderId: string; printOrderId: string; statuses: TrackingStatus[] }[]
  >`
    SELECT s.id AS shipment_id, s.order_id, s.print_order_id, array_agg(t.status_uid) AS statuses
    FROM shipments s JOIN shipment_packages k ON k.shipment_id = s.id
      JOIN trackings t ON t.tracking_number = k.tracking_number AND t.shipment_id = k.shipment_id
    WHERE s.id = ANY(${[...shipmentIds]}::uuid[]) AND s.print_order_id IS NOT NULL AND s.status = 'bought'
      AND k.left_out_at IS NULL
    GROUP BY s.id
    UNION ALL
    SELECT NULL, p.order_id, p.id, array_agg(t.status_uid)
    FROM print_orders p JOIN trackings t ON t.print_order_id = p.id
    WHERE p.id = ANY(${[...printOrderIds]}::bigint[]) AND t.carrier_uid IS NOT NULL
    GROUP BY p.id`;
  return rows.map(({ shipmentId, orderId, printOrderId, statuses }) => {
    const each = statuses.map(transitOf);
    const ended = each.every((transit) => transit === 'delivered' || transit === 'returned');
    const combined = ended
      ? each.includes('returned')
        ? 'returned'
        : 'delivered'
      : each.some(Boolean)
        ? 'in_transit'
        : null;
    return {
      shipmentId,
      orderId,
      printOrderId,
      transit: combined,
      troubled: statuses.some((status) => TROUBLE.includes(status)),
    };
  });
}

/** Signals changed shipment statuses, and new trouble with parcels, to the order runs. */
export async function signalOrders(
  tx: Transaction,
  before: readonly ShipmentTransit[],
  after: readonly ShipmentTransit[],
): Promise<void> {
  const messages = after.flatMap(({ shipmentId, orderId, printOrderId, transit, troubled }) => {
    const previous = before.find((each) => each.shipmentId === shipmentId && each.printOrderId === printOrderId);
    const message = 'a carrier reports trouble with a parcel, or that nobody picks it up';
    const flagged = { type: 'flagged', reason: 'parcel_exception', message } as const;
    const flags =
      troubled && previous?.troubled !== true
        ? [
            {
              kind: 'signal_workflow',
              target: orderWorkflowId(orderId),
              payload: { signal: ORDER_SIGNALS.flagged, args: [flagged] },
            } as const,
          ]
        : [];
    if (transit === null || transit === (previous?.transit ?? null)) return flags;
    const eventId = `${shipmentId ?? `print-order-${printOrderId}`}:${transit}`;
    const event = {
      type: 'tracking',
      eventId,
      printOrderId,
      transit,
      ...(shipmentId === null ? {} : { shipmentId }),
    } as const;
    return [
      {
        kind: 'signal_workflow',
        target: orderWorkflowId(orderId),
        payload: { signal: ORDER_SIGNALS.tracking, args: [event] },
      } as const,
      ...flags,
    ];
  });
  await enqueue(tx, ...messages);
}

/** Packages of one shipment by position. */
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
  const before = await shipmentTransits(tx, owners);
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
  await signalOrders(tx, before, await shipmentTransits(tx, owners));
  return count;
}
