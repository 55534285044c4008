import { SCANNED_STATUSES } from '../consignments/domain/tracking-status';
import { voidPackagesWorkflowId, WORKFLOW_TYPES } from '../platform/domain/workflows';
import { enqueue } from '../platform/outbox/outbox';
import type { Fragment, Queryable, Transaction } from '../platform/postgres';
import { followedParcels, signalOrders } from './followed-parcels';

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
