import type { ConsignmentPackage } from './consignment';

/** A part of a package that is split, packed anew. */
export interface PackagePart
  extends Pick<ConsignmentPackage, 'packageReferenceId' | 'grossWeightGrams' | 'lengthMm' | 'widthMm' | 'heightMm'> {
  /** The items of which it has all units of the package. */
  readonly itemReferenceIds: readonly string[];
}

/** Returns a package for each part of a package. */
export const splitInto = <Pack extends ConsignmentPackage>(pack: Pack, parts: readonly PackagePart[]): Pack[] =>
  parts.map(({ itemReferenceIds, ...part }) => ({
    ...pack,
    ...part,
    items: pack.items.filter(({ itemReferenceId }) => itemReferenceIds.includes(itemReferenceId)),
  }));

/**
 * Returns the packages that take the place of a bought one: one with its contents, or one for each part. What accompanies
 * the package once, which are the client's packing slip and the shipping price on the invoice, goes into the first part.
 * @param replaces index of the package
 */
export function successorsOf(
  packages: readonly ConsignmentPackage[],
  replaces: number,
  parts: readonly PackagePart[] | undefined,
): ConsignmentPackage[] {
  const { refusals: _, ...former } = packages[replaces]!;
  if (parts === undefined) return [{ ...former, replaces, part: undefined }];
  const paper = former.paper === 'invoice_with_shipping' ? 'invoice' : (former.paper ?? 'delivery_note');
  return splitInto(former, parts).map((pack, index) => ({
    ...pack,
    replaces,
    part: index + 1,
    ...(index === 0 ? {} : { packingSlip: undefined, paper }),
  }));
}
