import type { Transaction } from '../../platform/postgres';
import { leaveOutPackages } from '../../shipping/left-out-packages';

/**
 * Leaves packages out of the bought shipments of print orders when they have no items any more: the items were cancelled,
 * rerouted, or got another shipment after a part of the print order had left. The order workflow voids a shipment of which no
 * package is used.
 */
export async function leaveOutUnusedPackages(tx: Transaction, printOrderIds: readonly string[]): Promise<void> {
  // A job belongs to the shipment that it left with. Jobs that left with none belong to the shipment that has no departed job.
  const unused = await tx<{ shipmentId: string; positions: number[] }[]>`
    WITH used AS (
      SELECT s.id AS shipment_id, i.item_reference_id
      FROM shipments s JOIN print_jobs j ON j.print_order_id = s.print_order_id JOIN order_items i ON i.id = j.order_item_id
      WHERE s.print_order_id = ANY(${[...printOrderIds]}::bigint[]) AND s.status = 'bought'
        AND j.status NOT IN ('cancelled', 'superseded')
        AND (j.departed_shipment_id = s.id OR (j.departed_shipment_id IS NULL AND NOT EXISTS (
          SELECT FROM print_jobs d WHERE d.print_order_id = s.print_order_id AND d.departed_shipment_id = s.id)))
    )
    SELECT s.id AS shipment_id, array_agg(k.position) AS positions
    FROM shipments s JOIN shipment_packages k ON k.shipment_id = s.id
    WHERE s.id IN (SELECT shipment_id FROM used) AND k.left_out_at IS NULL
      AND NOT EXISTS (
        SELECT FROM jsonb_array_elements(k.items) content
        JOIN used ON used.shipment_id = s.id AND used.item_reference_id = content ->> 'itemReferenceId')
    GROUP BY s.id`;
  await leaveOutPackages(tx, unused);
}
