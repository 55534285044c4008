import type { ProductKind } from '../../catalog/domain/product';

/** Versions of the print order message (interface "Versioning"); a partner picks one when it subscribes. */
export const PRINT_ORDER_VERSIONS = ['1.0', '1.1'] as const;
export type PrintOrderVersion = (typeof PRINT_ORDER_VERSIONS)[number];

/** Version for partners that picked none: what production systems of the kind have long taken. */
const USUAL_VERSION: Readonly<Record<ProductKind, PrintOrderVersion>> = {
  print: '1.1',
  mounted: '1.1',
  apparel: '1.0',
};

export function printOrderVersion(kind: ProductKind, picked: PrintOrderVersion | null): PrintOrderVersion {
  return picked ?? USUAL_VERSION[kind];
}

/** Where a partner takes print orders of a kind; null while it has not subscribed. */
export function submitUrlFor(
  kind: ProductKind,
  partner: { readonly orderSubmitUrl: string | null; readonly apparelOrderSubmitUrl: string | null },
): string | null {
  return kind === 'apparel'
    ? (partner.apparelOrderSubmitUrl ?? partner.orderSubmitUrl)
    : partner.orderSubmitUrl;
}
