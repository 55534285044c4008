import type { Queryable } from '../../platform/postgres';
import { followPartnerTracking } from '../../shipping/tracking/tracking';
import type { RunEffect } from '../domain/lifecycle/run-events';

/**
 * Stores the parcel whose tracking code a partner has sent for a print job or its whole print order, and has a carrier follow it. A
 * repeated code is that of the same parcel. A code with `shipped` replaces one that came earlier for the same jobs. A partner can repeat the tracking number of a label of ours: that is not its own code.
 */
export async function storePartnerParcel(
  tx: Queryable,
  { printOrderId, jobId, trackingCode, trackingLink, announced }: Extract<RunEffect, { type: 'tracking_code' }>,
): Promise<void> {
  const jobIds = jobId === null ? null : [jobId];
  if (trackingCode === null) {
    await tx`
      UPDATE partner_parcels SET tracking_link = ${trackingLink}
      WHERE print_order_id = ${printOrderId} AND job_ids IS NOT DISTINCT FROM ${jobIds}::bigint[]`;
    return;
  }
  const ofSameJobs = () => tx`
    print_order_id = ${printOrderId} AND job_ids IS NOT DISTINCT FROM ${jobIds}::bigint[] AND tracking_code <> ${trackingCode}`;
  if (!announced) await tx`DELETE FROM partner_parcels WHERE ${ofSameJobs()} AND announced`;
  await tx`
    INSERT INTO partner_parcels AS w (print_order_id, tracking_code, tracking_link, job_ids, announced)
    SELECT ${printOrderId}::bigint, ${trackingCode}, ${trackingLink}, ${jobIds}::bigint[], ${announced}
    WHERE NOT EXISTS (
      SELECT FROM shipment_packages k JOIN shipments h ON h.id = k.shipment_id
      WHERE h.print_order_id = ${printOrderId} AND k.tracking_number = ${trackingCode})
      AND NOT (${announced} AND EXISTS (SELECT FROM partner_parcels WHERE ${ofSameJobs()} AND NOT announced))
    ON CONFLICT (print_order_id, tracking_code) DO UPDATE SET
      tracking_link = coalesce(excluded.tracking_link, w.tracking_link), announced = w.announced AND excluded.announced,
      job_ids = CASE WHEN w.job_ids IS NOT NULL AND excluded.job_ids IS NOT NULL
        THEN ARRAY(SELECT DISTINCT id FROM unnest(w.job_ids || excluded.job_ids) id ORDER BY id) END`;
  await followPartnerTracking(tx, { printOrderId, trackingCode, trackingLink });
}
