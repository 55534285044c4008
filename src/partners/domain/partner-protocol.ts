import type { ProductKind } from '../../catalog/domain/product';

/** Versions of the print order (docs/partners.md). A partner selects one when it subscribes. */
export const PRINT_ORDER_VERSIONS = ['1.0', '1.1'] as const;
export type PrintOrderVersion = (typeof PRINT_ORDER_VERSIONS)[number];

/** Version for partners that selected none. */
const DEFAULT_VERSION: Readonly<Record<ProductKind, PrintOrderVersion>> = {
  print: '1.1',
  mounted: '1.1',
  apparel: '1.0',
};

export function printOrderVersion(kind: ProductKind, selected: PrintOrderVersion | null): PrintOrderVersion {
  return selected ?? DEFAULT_VERSION[kind];
}

/** Returns the address for print orders of a kind, or null before the partner has subscribed. */
export function submitUrlFor(
  kind: ProductKind,
  partner: { readonly orderSubmitUrl: string | null; readonly apparelOrderSubmitUrl: string | null },
): string | null {
  return kind === 'apparel' ? (partner.apparelOrderSubmitUrl ?? partner.orderSubmitUrl) : partner.orderSubmitUrl;
}

/** What partners report about print orders. */
export const POSTBACK_STATUSES = ['received', 'error', 'printed', 'shipped', 'cancelled'] as const;
export type PostbackStatus = (typeof POSTBACK_STATUSES)[number];
