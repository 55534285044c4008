import type { Consignment, ConsignmentPackage, PostalAddress } from '../../../src/consignments/domain/consignment';
import { BERLIN, CHICAGO } from './sample-addresses';

/** Returns a package with two framed posters. */
export function packageOf(change: Partial<ConsignmentPackage> = {}): ConsignmentPackage {
  return {
    packageReferenceId: 'pkg-1',
    grossWeightGrams: 850,
    lengthMm: 400,
    widthMm: 300,
    heightMm: 60,
    items: [
      {
        itemReferenceId: 'item-1',
        description: 'Framed poster 30x40 cm',
        quantity: 2,
        unitValue: { minor: 2_450, currency: 'EUR' },
        unitWeightGrams: 380,
        hsCode: '491191',
        countryOfOrigin: 'DE',
      },
    ],
    ...change,
  };
}

/** Returns a consignment of `count` equal packages from Berlin. */
export function consignmentTo(
  receiver: PostalAddress = CHICAGO,
  change: Partial<Consignment> & { count?: number } = {},
): Consignment {
  const { count = 1, ...rest } = change;
  return {
    sender: { ...BERLIN, taxIds: { eoriNumber: 'DE123456789012345', vatNumber: 'DE123456789' } },
    receiver,
    packages: Array.from({ length: count }, (_, index) => packageOf({ packageReferenceId: `pkg-${index + 1}` })),
    currency: 'EUR',
    brandName: 'Northern Walls',
    reference: 'ORDER-2026-000123',
    ...rest,
  };
}
