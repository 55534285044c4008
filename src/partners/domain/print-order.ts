import type { ProductKind } from '../../catalog/domain/product';
import type { PostalAddress } from '../../consignments/domain/consignment';
import { fromMinor, type RateTable } from '../../platform/domain/money';
import type { AddressBody, PackageBody, PrintOrderBody } from '../message-schemas';
import { PrintOrderError } from './assets';
import type { PrintOrderVersion } from './delivery-target';
import { apparelItem, mountedItem, type PrintOrderItem, paperItem } from './print-order-items';

export { type PrintFile, PrintOrderError } from './assets';
export type { PrintOrderItem } from './print-order-items';

/** Address of a print order. Name and email are required there. */
export type PrintOrderAddress = PostalAddress & {
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
};

export interface PrintOrderInput {
  /** Decimal string. */
  readonly id: string;
  readonly kind: ProductKind;
  readonly version: PrintOrderVersion;
  readonly orderDate: Date;
  /** YYYY-MM-DD. */
  readonly dispatchDate: string;
  /** Packaging workflow of all packages; null when none applies, and when packages have different ones. */
  readonly brandedPackaging: string | null;
  readonly partner: {
    readonly uid: string;
    readonly printHouseUid: string | null;
    readonly currency: string;
  };
  readonly items: readonly PrintOrderItem[];
  /** Planned packages; null when the print order does not list them. */
  readonly packages: readonly PackageBody[] | null;
  readonly shipmentMethodUid: string;
  readonly sender: PrintOrderAddress;
  readonly delivery: PrintOrderAddress;
  /** Declared value and tax. Both are zero when no declaration is needed. */
  readonly customs: {
    readonly priceTotalMinor: number;
    readonly taxMinor: number;
    readonly currency: string;
  };
  /** Converts the prices of parts to the partner's currency. */
  readonly rates: RateTable;
}

/**
 * Builds the print order body in the variant of its kind (schema `SentPrintOrder`). Optional fields
 * without a value are left out. Version 1.0 has no `brandedPackaging`.
 * @throws PrintOrderError for an item of another kind or a file with an unsupported content type
 */
export function buildPrintOrder(input: PrintOrderInput): PrintOrderBody {
  for (const { id, product } of input.items) {
    if (product.kind !== input.kind) {
      throw new PrintOrderError(
        `item ${id} has the kind ${product.kind}, print order ${input.id} the kind ${input.kind}`,
      );
    }
  }
  const isBranded = input.version !== '1.0';
  const head = {
    version: input.version,
    id: input.id,
    orderDate: input.orderDate.toISOString(),
    dispatchDate: input.dispatchDate,
    ...(isBranded && input.brandedPackaging !== null ? { brandedPackaging: input.brandedPackaging } : {}),
  };
  const packages = input.packages?.map(({ brandedPackaging, ...pack }) =>
    isBranded && brandedPackaging !== undefined ? { ...pack, brandedPackaging } : pack,
  );
  const tail = {
    ...(packages === undefined ? {} : { packages }),
    shipping: shippingOf(input),
  };
  switch (input.kind) {
    case 'print':
      return { ...head, items: input.items.map(paperItem), ...tail };
    case 'mounted': {
      const { uid, printHouseUid, currency } = input.partner;
      const prices = { currency, rates: input.rates };
      const items = input.items.map((item) => mountedItem(item, prices));
      return { ...head, printHouseUid: printHouseUid ?? uid, items, ...tail };
    }
    case 'apparel':
      return { ...head, items: input.items.map(apparelItem), ...tail };
  }
}

/** Returns the order update with a print order's changed body. @param revision counts from 2 */
export function withRevision<Body extends PrintOrderBody>(
  { version, id, ...rest }: Body,
  revision: number,
): Body & { revision: number } {
  return { version, id, revision, ...rest } as unknown as Body & { revision: number };
}

function shippingOf({ shipmentMethodUid, sender, delivery, customs }: PrintOrderInput): PrintOrderBody['shipping'] {
  return {
    shipmentMethodUid,
    address: [address('sender', sender), address('delivery', delivery)],
    customs: {
      priceTotal: fromMinor(customs.priceTotalMinor, customs.currency),
      tax: fromMinor(customs.taxMinor, customs.currency),
      currencyCode: customs.currency,
    },
  };
}

function address(type: AddressBody['type'], from: PrintOrderAddress): AddressBody {
  const state = from.state?.trim();
  const optional = {
    companyName: from.company,
    addressLine2: from.addressLine2,
    addressLine3: from.addressLine3,
    // An ISO 3166-2 subdivision code has up to three characters. A longer text is a name.
    stateCode: state !== undefined && /^[A-Z0-9]{1,3}$/.test(state) ? state : undefined,
    administrativeAreaLevel1: state,
    phone: from.phone,
  };
  const given = Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined && value !== ''));
  return {
    type,
    firstName: from.firstName,
    lastName: from.lastName,
    addressLine1: from.addressLine1,
    postalCode: from.postcode,
    city: from.city,
    countryCode: from.country,
    email: from.email,
    ...given,
  };
}
