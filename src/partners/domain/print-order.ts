import type { ProductKind, ResolvedAttribute, ResolvedProduct } from '../../catalog/domain/product';
import type { PostalAddress } from '../../consignments/domain/consignment';
import { convertMinor, fromMinor, type RateTable } from '../../platform/domain/money';
import type {
  AddressBody,
  AttributeBody,
  BundleBody,
  BundlePartBody,
  OrderItemBody,
  PrintOrderBody,
} from '../schemas';
import { apparelAssets, type PrintFile, PrintOrderError, paperAssets } from './assets';
import type { PrintOrderVersion } from './print-order-handoff';

export { type PrintFile, PrintOrderError } from './assets';

export interface PrintOrderItem {
  /** Decimal string. Postbacks and cancellations refer to the item by this id. */
  readonly id: string;
  readonly quantity: number;
  readonly product: ResolvedProduct;
  readonly files: readonly PrintFile[];
}

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
  /** Packaging workflow; null when none applies. */
  readonly brandedPackaging: string | null;
  readonly partner: {
    readonly uid: string;
    readonly printHouseUid: string | null;
    readonly currency: string;
  };
  readonly items: readonly PrintOrderItem[];
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
 * Builds the print order body in the variant of its kind (interface "Partner-bound print order"). Optional fields
 * without a value are left out. Version 1.0 has no `brandedPackaging`; apparel has none in either version.
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
  const head = {
    version: input.version,
    id: input.id,
    orderDate: input.orderDate.toISOString(),
    dispatchDate: input.dispatchDate,
  };
  const branded =
    input.version === '1.0' || input.brandedPackaging === null
      ? {}
      : { brandedPackaging: input.brandedPackaging };
  const shipping = shippingOf(input);
  switch (input.kind) {
    case 'print':
      return { ...head, ...branded, items: input.items.map(paperItem), shipping };
    case 'mounted':
      return {
        ...head,
        ...branded,
        printHouseUid: input.partner.printHouseUid ?? input.partner.uid,
        items: input.items.map((item) => bundle(item, input)),
        shipping,
      };
    case 'apparel':
      return { ...head, items: input.items.map(apparelItem), shipping };
  }
}

function paperItem({ id, quantity, product, files }: PrintOrderItem): OrderItemBody {
  return {
    id,
    count: quantity,
    type: 'print',
    product: { modelUid: product.modelUid, desc: product.name, attributes: attributesOf(product.attributes) },
    assets: paperAssets(files),
  };
}

function bundle(
  { id, quantity, product, files }: PrintOrderItem,
  { partner, rates }: PrintOrderInput,
): BundleBody {
  if (product.parts.length === 0) throw new PrintOrderError(`item ${id}: ${product.productUid} has no parts`);
  const parts = product.parts.map((part): BundlePartBody => {
    const eur = part.unitPriceMinorEur;
    return {
      // All parts have the item's id, so a postback about any part covers the item.
      ...(part.type === 'service' ? {} : { id }),
      count: part.quantity * quantity,
      type: part.type === 'print' ? 'print' : 'stock',
      product: { modelUid: part.modelUid, desc: part.name, attributes: attributesOf(part.attributes) },
      unit_price: fromMinor(convertMinor(eur, 'EUR', partner.currency, rates), partner.currency),
      assets: part.type === 'print' ? paperAssets(files) : null,
    };
  });
  return { type: parts.length > 1 ? 'product_bundle' : parts[0]!.type, parts };
}

function apparelItem({ id, quantity, product, files }: PrintOrderItem): OrderItemBody {
  const blank = product.parts.find(({ partnerSku }) => partnerSku !== null)?.partnerSku;
  if (blank == null)
    throw new PrintOrderError(`item ${id}: apparel ${product.productUid} has no blank garment`);
  const { location, assets } = apparelAssets(files, product);
  return {
    id,
    count: quantity,
    type: 'print',
    product: {
      modelUid: product.modelUid,
      desc: product.name,
      attributes: [
        { name: 'sku', value: blank },
        { name: 'location', value: location },
      ],
    },
    assets,
  };
}

function attributesOf(attributes: readonly ResolvedAttribute[]): AttributeBody[] {
  return attributes.map(({ name, value, properties }) => {
    const entries = Object.entries(properties).map(([property, text]) => ({ name: property, value: text }));
    return entries.length === 0 ? { name, value } : { name, value, properties: entries };
  });
}

function shippingOf({
  shipmentMethodUid,
  sender,
  delivery,
  customs,
}: PrintOrderInput): PrintOrderBody['shipping'] {
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
  const given = Object.fromEntries(
    Object.entries(optional).filter(([, value]) => value !== undefined && value !== ''),
  );
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
