import {
  isStockProduct,
  type ResolvedAttribute,
  type ResolvedPart,
  type ResolvedProduct,
} from '../../catalog/domain/product';
import { convertMinor, fromMinor, type RateTable } from '../../platform/domain/money';
import type { AssetBody, AttributeBody, BundleBody, BundlePartBody, OrderItemBody } from '../message-schemas';
import { apparelAssets, type PrintFile, PrintOrderError, paperAssets } from './assets';

/** An item of a print order. */
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

/** Returns an item of a paper print order. */
export function paperItem(item: PrintOrderItem): OrderItemBody {
  const { product, files } = item;
  const isStock = isStockItem(item);
  const own = attributesOf(product.attributes);
  return isStock
    ? orderItem(item, [...own, ...skuAttributes(product.parts)], [])
    : orderItem(item, [...own, ...trimAttributes(item)], paperAssets(files));
}

/** Returns an item of a mounted print order: a bundle of the product's parts. */
export function mountedItem(
  item: PrintOrderItem,
  { currency, rates }: { readonly currency: string; readonly rates: RateTable },
): BundleBody {
  const { id, partIds, quantity, product, files } = item;
  if (product.parts.length === 0) throw new PrintOrderError(`item ${id}: ${product.productUid} has no parts`);
  const isStock = isStockItem(item);
  const ids = [...partIds];
  const parts = product.parts.map((part): BundlePartBody => {
    const isPrinted = part.type === 'print';
    const minor = convertMinor(part.unitPriceMinorEur, 'EUR', currency, rates);
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

/** Returns an item of an apparel print order. */
export function apparelItem(item: PrintOrderItem): OrderItemBody {
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
