import {
  isStockProduct,
  type ProductKind,
  type ResolvedAttribute,
  type ResolvedPart,
  type ResolvedProduct,
} from '../../catalog/domain/product';
import type { PostalAddress } from '../../consignments/domain/consignment';
import { asciiEmail } from '../../platform/domain/email';
import { convertMinor, fromMinor, type RateTable } from '../../platform/domain/money';
import type {
  AddressBody,
  AssetBody,
  AttributeBody,
  BundleBody,
  BundlePartBody,
  OrderItemBody,
  PackageBody,
  PrintOrderBody,
  PrintOrderHead,
} from '../message-schemas';
import { apparelAssets, type PrintFile, PrintOrderError, paperAssets } from './assets';
import type { PartnerCapabilities } from './capabilities';

/** Address of a print order. Name and email are required there. */
export type PrintOrderAddress = PostalAddress & {
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
};

export interface PrintOrderInput {
  readonly head: PrintOrderHead;
  readonly kind: ProductKind;
  readonly partner: {
    readonly uid: string;
    readonly printHouseUid: string | null;
    readonly currency: string;
    readonly capabilities: Pick<PartnerCapabilities, 'models'>;
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
  /** Converts the prices of parts that the partner's price list does not have. */
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
        `item ${id} has the kind ${product.kind}, print order ${input.head.id} the kind ${input.kind}`,
      );
    }
  }
  const isBranded = input.head.version !== '1.0';
  const { brandedPackaging: _branding, ...unbranded } = input.head;
  const head = isBranded ? input.head : unbranded;
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
      const { uid, printHouseUid } = input.partner;
      const items = input.items.map((item) => mountedItem(item, input));
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
    email: asciiEmail(from.email),
    ...given,
  };
}

export interface PrintOrderItem {
  /** Decimal string. Postbacks and cancellations refer to the item by this id. */
  readonly id: string;
  /** Ids of the parts of a mounted product except services, in order. Empty: all parts have the item's id. */
  readonly partIds: readonly string[];
  readonly quantity: number;
  readonly product: ResolvedProduct;
  /** Empty for stock products. */
  readonly files: readonly PrintFile[];
  readonly customTrim: { readonly widthMm: number; readonly heightMm: number } | null;
}

/** Returns true when the item is taken from stock without any printing. */
function isStockItem({ product, files }: PrintOrderItem): boolean {
  return files.length === 0 && isStockProduct(product);
}

function paperItem(item: PrintOrderItem): OrderItemBody {
  const { product, files } = item;
  const isStock = isStockItem(item);
  const own = attributesOf(product.attributes);
  return isStock
    ? orderItem(item, [...own, ...skuAttributes(product.parts)], [])
    : orderItem(item, [...own, ...trimAttributes(item)], paperAssets(files));
}

/** Returns an item of a mounted print order: a bundle of the product's parts. */
function mountedItem(
  item: PrintOrderItem,
  { partner: { currency, capabilities }, rates }: PrintOrderInput,
): BundleBody {
  const { id, partIds, quantity, product, files } = item;
  if (product.parts.length === 0) throw new PrintOrderError(`item ${id}: ${product.productUid} has no parts`);
  const isStock = isStockItem(item);
  const ids = [...partIds];
  const parts = product.parts.map((part): BundlePartBody => {
    const isPrinted = part.type === 'print';
    const minor =
      capabilities.models[part.modelUid]?.unitPriceMinor ??
      convertMinor(part.unitPriceMinorEur, 'EUR', currency, rates);
    return {
      ...(part.type === 'service' ? {} : { id: ids.shift() ?? id }),
      count: part.quantity * quantity,
      type: isPrinted ? 'print' : 'stock',
      product: {
        modelUid: part.modelUid,
        desc: part.name,
        attributes: [...attributesOf(part.attributes), ...(isPrinted ? trimAttributes(item) : [])],
      },
      unit_price: fromMinor(minor, currency),
      assets: isPrinted ? paperAssets(files) : isStock ? [] : null,
    };
  });
  return { type: isStock ? 'stock' : parts.length > 1 ? 'product_bundle' : parts[0]!.type, parts };
}

function apparelItem(item: PrintOrderItem): OrderItemBody {
  const { id, product, files } = item;
  const blank = product.parts.find(({ partnerSku }) => partnerSku !== null)?.partnerSku;
  if (blank == null) throw new PrintOrderError(`item ${id}: apparel ${product.productUid} has no blank garment`);
  const { location, assets } = apparelAssets(files, product);
  const attributes = isStockItem(item)
    ? skuAttributes(product.parts)
    : [{ name: 'sku', value: blank }, location, ...trimAttributes(item)];
  return orderItem(item, attributes, assets);
}

function orderItem(item: PrintOrderItem, attributes: AttributeBody[], assets: AssetBody[]): OrderItemBody {
  const { modelUid, name: desc } = item.product;
  const type = isStockItem(item) ? 'stock' : 'print';
  return { id: item.id, count: item.quantity, type, product: { modelUid, desc, attributes }, assets };
}

/** Returns the attribute of an ordered trim in millimetres, if there is one (`customTrim` of schema `SubmitOrder`). */
function trimAttributes({ customTrim }: PrintOrderItem): AttributeBody[] {
  if (customTrim === null) return [];
  const { widthMm, heightMm } = customTrim;
  return [
    {
      name: 'CustomTrim',
      value: `${widthMm}x${heightMm}-mm`,
      properties: [
        { name: 'Width', value: String(widthMm) },
        { name: 'Height', value: String(heightMm) },
      ],
    },
  ];
}

/** Returns an attribute `sku` for each part from stock, with its quantity in one unit of the product. */
function skuAttributes(parts: readonly ResolvedPart[]): AttributeBody[] {
  return parts.flatMap(({ partnerSku, quantity }) =>
    partnerSku === null
      ? []
      : [{ name: 'sku', value: partnerSku, properties: [{ name: 'quantity', value: String(quantity) }] }],
  );
}

function attributesOf(attributes: readonly ResolvedAttribute[]): AttributeBody[] {
  return attributes.map(({ name, value, properties }) => {
    const entries = Object.entries(properties).map(([property, text]) => ({ name: property, value: text }));
    return entries.length === 0 ? { name, value } : { name, value, properties: entries };
  });
}
