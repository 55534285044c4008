import type { ConsignmentPackage } from '../../consignments/domain/consignment';
import { json, type Transaction } from '../../platform/postgres';
import { countPackages, leaveOutPackages } from '../../shipping/shipment-transit';
import { DEPARTED } from '../domain/lifecycle/statuses';
import { withUnitsLeft } from '../domain/packing';

interface BoughtShipment {
  readonly shipmentId: string;
  readonly packages: readonly ConsignmentPackage[];
  /** Units of the shipment that still travel, by item reference. */
  readonly units: Readonly<Record<string, number>>;
  readonly leftOut: readonly number[] | null;
}

/**
 * Takes units out of the bought packages of print orders that no longer travel in them: they were cancelled, rerouted, or
 * got another shipment after a part of the print order had left. Packages without units are left out. The documents of
 * changed shipments are made again at the next dispatch request. The order workflow voids a shipment of which no package
 * is used.
 */
export async function removeEndedUnits(tx: Transaction, printOrderIds: readonly string[]): Promise<void> {
  // A job belongs to the shipment that it left with. Jobs that left with none belong to the shipment that has no departed job.
  const shipments = await tx<BoughtShipment[]>`
    WITH used AS (
      SELECT s.id AS shipment_id, i.item_reference_id, sum(j.quantity - j.cancelled_quantity)::int AS units
      FROM shipments s JOIN print_jobs j ON j.print_order_id = s.print_order_id JOIN order_items i ON i.id = j.order_item_id
      WHERE s.print_order_id = ANY(${[...printOrderIds]}::bigint[]) AND s.status = 'bought'
        AND j.status NOT IN ('cancelled', 'superseded')
        AND (j.departed_shipment_id = s.id OR (j.departed_shipment_id IS NULL AND NOT EXISTS (
          SELECT FROM print_jobs d WHERE d.print_order_id = s.print_order_id AND d.departed_shipment_id = s.id)))
      GROUP BY s.id, i.item_reference_id
    )
    SELECT s.id AS shipment_id, s.consignment -> 'packages' AS packages,
      (SELECT jsonb_object_agg(item_reference_id, units) FROM used WHERE used.shipment_id = s.id) AS units,
      (SELECT array_agg(k.position) FROM shipment_packages k WHERE k.shipment_id = s.id AND k.left_out_at IS NOT NULL) AS left_out
    FROM shipments s WHERE s.id IN (SELECT shipment_id FROM used WHERE units > 0)
    ORDER BY s.id FOR UPDATE OF s`;
  const changed = shipments.map(changesOf).filter(({ positions }) => positions.length > 0);
  if (changed.length === 0) return;
  await leaveOutPackages(
    tx,
    changed.map(({ shipmentId, packages, positions }) => ({
      shipmentId,
      positions: positions.filter((position) => packages[position]!.items.length === 0),
    })),
  );
  for (const { shipmentId, packages, positions } of changed) {
    const contents = positions.map((position) => ({
      position,
      items: packages[position]!.items.map(({ itemReferenceId, quantity }) => ({ itemReferenceId, quantity })),
    }));
    await tx`
      UPDATE shipment_packages k SET items = c.items
      FROM jsonb_to_recordset(${json(tx, contents)}) AS c (position int, items jsonb)
      WHERE k.shipment_id = ${shipmentId} AND k.position = c.position`;
    await tx`
      UPDATE shipments SET documents_outdated = true, consignment = jsonb_set(consignment, '{packages}', ${json(tx, packages)})
      WHERE id = ${shipmentId}`;
  }
  await countPackages(
    tx,
    changed.map(({ shipmentId }) => shipmentId),
  );
}

/**
 * Has the papers of all parcels that have not left made again: units of one print order decide about the IOSS of others, and the
 * next paper has a shipping price that is on none.
 */
export async function renewPapers(tx: Transaction, orderId: string): Promise<void> {
  await tx`
    UPDATE shipments s SET documents_outdated = true
    WHERE s.order_id = ${orderId} AND s.status = 'bought'
      AND NOT EXISTS (SELECT FROM print_jobs d WHERE d.departed_shipment_id = s.id)
      AND EXISTS (SELECT FROM print_jobs j WHERE j.print_order_id = s.print_order_id
        AND j.status <> ALL(${['cancelled', 'superseded', ...DEPARTED]}))`;
}

/** Returns the packages with the units that still travel, and the positions of those that have changed. */
function changesOf({ shipmentId, packages, units, leftOut }: BoughtShipment) {
  const inUse = packages.map((pack, position) => (leftOut?.includes(position) ? { ...pack, items: [] } : pack));
  const next = withUnitsLeft(inUse, new Map(Object.entries(units)));
  return { shipmentId, packages: next, positions: [...next.keys()].filter((index) => next[index] !== inUse[index]) };
}
