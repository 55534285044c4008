import type { Consignment } from '../consignments/domain/consignment';
import type { ObjectStore } from '../platform/objects/object-store';
import type { MadeDocument } from './document-set';

/**
 * Returns the packing slips of a consignment's packages. Each shipment stores its own copy, because slips and shipping
 * documents have different retention periods.
 */
export async function packingSlips(
  objects: ObjectStore,
  { packages }: Pick<Consignment, 'packages'>,
): Promise<MadeDocument[]> {
  const slips: MadeDocument[] = [];
  for (const [index, { packingSlip, packageReferenceId }] of packages.entries()) {
    const found = packingSlip === undefined ? null : await objects.get(packingSlip);
    if (found === null) continue;
    slips.push({
      packagePosition: index,
      type: 'packing_slip',
      documentType: 'packing_slip',
      contentType: found.contentType,
      format: 'pdf',
      fileName: `packing-slip-${packageReferenceId}.pdf`,
      body: found.body,
    });
  }
  return slips;
}
