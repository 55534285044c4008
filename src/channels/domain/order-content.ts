import { z } from 'zod';
import { httpUrl, price, text } from '../../platform/domain/fields';
import { SIZES } from '../../platform/domain/sizes';
import type { Reason } from './reasons';

/** A line of an order of a channel. */
export interface OrderLine {
  /** Line of the file. Null: the order did not come in a file. */
  readonly line: number | null;
  /** What the channel calls the product. */
  readonly variantId: string | null;
  readonly sku: string | null;
  /** Everything that the channel says about the line, for mappings that name fields. */
  readonly fields: Readonly<Record<string, string>>;
  readonly quantity: number | undefined;
  /** URLs by type of file. */
  readonly files: Readonly<Record<string, string>>;
  /** The other members of the item, as the API takes them. */
  readonly item: Readonly<Record<string, unknown>>;
}

/** What an order of a channel says, before its products are known. */
export interface OrderContent {
  /** The members of the order, without its items, as the API takes them. Undefined: the channel does not say. */
  readonly order: Readonly<Record<string, unknown>>;
  readonly canceled: boolean;
  readonly lines: readonly OrderLine[];
  readonly reasons: readonly Reason[];
}

const fileType = z.string().regex(/^[A-Za-z0-9_.-]{1,100}$/);
const column = z.string().min(1).max(200);
/** Returns the schema of a record with at most so many entries. */
export const entries = <Key extends z.core.$ZodRecordKey, Value extends z.ZodType>(
  key: Key,
  value: Value,
  most = 100,
) => z.record(key, value).refine((found) => Object.keys(found).length <= most, `At most ${most} entries.`);

/** What the products of a channel's orders are here: an ignored product, or one of ours. */
export const mappingTarget = z
  .object({
    ignore: z.boolean().default(false).describe('True: lines with the product are left out of orders.'),
    productUid: text(512).nullish(),
    productName: text(255).nullish().describe('Name of a customer product, with `productVariant`.'),
    productVariant: entries(z.string().max(100), z.string().max(255)).nullish(),
    optionFields: entries(z.string().max(100), column)
      .default({})
      .describe('Options of the variant whose values are in columns of the line.'),
    files: entries(fileType, httpUrl)
      .default({})
      .describe('Files by their type, for lines that name none of the type.'),
    fileFields: entries(fileType, column)
      .default({})
      .describe('Columns of the line with the address of a file, by its type.'),
    quantityFactor: z
      .int()
      .min(1)
      .max(SIZES.itemUnits.most)
      .default(1)
      .describe('Units that one unit of the channel has.'),
  })
  .refine(
    ({ ignore, productUid, productName }) =>
      Number(ignore) + Number(productUid != null) + Number(productName != null) === 1,
    {
      path: ['productUid'],
      message: 'One of ignore, productUid and productName is required.',
    },
  );
export type MappingTarget = z.output<typeof mappingTarget>;

/** Fields of an order that are corrected by hand, in place of what arrived. */
export const correctionSchema = z
  .strictObject({
    shippingAddress: entries(z.string().max(100), z.union([z.string().max(255), z.boolean(), z.null()]))
      .optional()
      .describe('Fields of the address. Null: none.'),
    currency: text(10).optional(),
    shipmentMethodUid: text(255).optional(),
    items: z
      .array(
        z.strictObject({
          itemReferenceId: text(255).describe('As the order was read: without one, the position in the order from 1.'),
          productUid: text(512).optional(),
          quantity: z.int().min(1).max(SIZES.itemUnits.most).optional().describe('Units of the channel.'),
          retailPriceInclVat: price.optional(),
          files: entries(fileType, httpUrl).optional(),
        }),
      )
      .max(1_000)
      .optional(),
  })
  .meta({ id: 'ChannelCorrection', examples: [{ shippingAddress: { phone: '+49 30 901820' } }] });
export type Correction = z.output<typeof correctionSchema>;

const referenceOf = ({ item }: OrderLine, index: number): string =>
  (item.itemReferenceId as string | undefined) ?? String(index + 1);

/** Returns an order with its corrections, without the reasons that they settle. */
export function corrected(content: OrderContent, correction: Correction | null): OrderContent {
  if (correction === null) return content;
  const { shippingAddress = {}, items = [], ...order } = correction;
  const settled = new Set([
    ...Object.keys(order),
    ...Object.keys(shippingAddress).map((name) => `shippingAddress.${name}`),
  ]);
  if (settled.has('shippingAddress.lastName')) settled.add('shippingAddress.fullName');
  const lines = content.lines.map((line, index): OrderLine => {
    const found = items.find(({ itemReferenceId }) => itemReferenceId === referenceOf(line, index));
    if (found === undefined) return line;
    const { itemReferenceId: _, quantity = line.quantity, files, ...item } = found;
    for (const name of Object.keys(found)) settled.add(`${line.line} items.${name}`);
    if (item.retailPriceInclVat !== undefined) settled.add(`${line.line} items.retailUnitPrice`);
    const product = item.productUid === undefined ? {} : { productName: undefined, productVariant: undefined };
    return { ...line, quantity, files: { ...line.files, ...files }, item: { ...line.item, ...product, ...item } };
  });
  return {
    ...content,
    order: {
      ...content.order,
      ...order,
      shippingAddress: { ...(content.order.shippingAddress as object | undefined), ...shippingAddress },
    },
    lines,
    reasons: content.reasons.filter(({ field, line }) => !settled.has(field ?? '') && !settled.has(`${line} ${field}`)),
  };
}

/** What an order says, as far as it can be corrected. */
export const readOrderSchema = z
  .object({
    shippingAddress: z.record(z.string(), z.union([z.string(), z.boolean(), z.null()])),
    currency: z.string().nullable(),
    items: z.array(
      z.object({
        itemReferenceId: z.string(),
        variantId: z.string().nullable(),
        sku: z.string().nullable(),
        productUid: z.string().nullable(),
        quantity: z.number().nullable(),
        retailPriceInclVat: z.number().nullable(),
        files: z.record(z.string(), z.string()),
      }),
    ),
  })
  .meta({ id: 'ChannelOrderContent' });

export const readOrderOf = ({ order, lines }: OrderContent) =>
  ({
    shippingAddress: order.shippingAddress ?? {},
    currency: order.currency ?? null,
    items: lines.map((line, index) => ({
      itemReferenceId: referenceOf(line, index),
      variantId: line.variantId,
      sku: line.sku,
      productUid: line.item.productUid ?? null,
      quantity: line.quantity ?? null,
      retailPriceInclVat: line.item.retailPriceInclVat ?? null,
      files: line.files,
    })),
  }) as z.output<typeof readOrderSchema>;

export const keyOfVariant = (variantId: string) => `variant:${variantId}`;
export const keyOfSku = (sku: string) => `sku:${sku}`;
const keysOf = ({ variantId, sku }: OrderLine): string[] => [
  ...(variantId === null ? [] : [keyOfVariant(variantId)]),
  ...(sku === null ? [] : [keyOfSku(sku)]),
];

/** Returns the keys of all mappings that the lines of an order can have. */
export const mappingKeysOf = ({ lines }: OrderContent): string[] => lines.flatMap(keysOf);

/** An order as the API takes it, or why it is none. */
export interface MappedOrder {
  readonly body: Readonly<Record<string, unknown>> & { readonly items: readonly Readonly<Record<string, unknown>>[] };
  readonly canceled: boolean;
  /** Lines of the items, by position. */
  readonly lines: readonly (number | null)[];
  /** True for an order of which every product is ignored. */
  readonly isIgnored: boolean;
  readonly reasons: readonly Reason[];
  /** Keys of mappings, of which each unknown line needs one. */
  readonly waitsFor: readonly string[];
}

const URL_IN_TEXT = /https?:\/\/[^\s"'<>]+/;

/**
 * Returns the order with the products that the mappings name: that of the external variant, else that of the SKU. A line that
 * names a product of ours needs no mapping. A line without one holds the whole order.
 */
export function mappedOrder(content: OrderContent, mappings: ReadonlyMap<string, MappingTarget>): MappedOrder {
  const reasons: Reason[] = [...content.reasons];
  const waitsFor: string[] = [];
  const items: Record<string, unknown>[] = [];
  const lines: (number | null)[] = [];
  for (const [index, line] of content.lines.entries()) {
    const isOurs = line.item.productUid !== undefined || line.item.productName !== undefined;
    const keys = keysOf(line);
    const target = isOurs ? undefined : keys.map((key) => mappings.get(key)).find((found) => found !== undefined);
    if (target?.ignore) continue;
    if (!isOurs && target === undefined) {
      const named = [line.variantId, line.sku].filter((name) => name !== null).map((name) => `"${name}"`);
      const message =
        named.length === 0 ? 'The line names no product.' : `No product is mapped to ${named.join(' or ')}.`;
      const field = line.sku === null && line.variantId !== null ? 'variantId' : 'sku';
      reasons.push({ code: 'unknown_product', field: `items[${items.length}].${field}`, message, line: line.line });
      waitsFor.push(...keys);
    }
    items.push(itemOf(line, index, target));
    lines.push(line.line);
  }
  return {
    body: { ...content.order, items, preventDuplicate: true },
    canceled: content.canceled,
    lines,
    isIgnored: content.lines.length > 0 && items.length === 0,
    reasons,
    waitsFor: [...new Set(waitsFor)],
  };
}

function itemOf(line: OrderLine, index: number, target: MappingTarget | undefined): Record<string, unknown> {
  const cell = (name: string) => (Object.hasOwn(line.fields, name) ? line.fields[name]!.trim() : '');
  const files: Record<string, string> = { ...target?.files };
  for (const [type, name] of Object.entries(target?.fileFields ?? {})) {
    const url = URL_IN_TEXT.exec(cell(name))?.[0];
    if (url !== undefined) files[type] = url;
  }
  Object.assign(files, line.files);
  const options = Object.entries(target?.optionFields ?? {})
    .map(([option, name]) => [option, cell(name)])
    .filter(([, value]) => value !== '');
  const product =
    target === undefined
      ? {}
      : target.productUid != null
        ? { productUid: target.productUid }
        : {
            productName: target.productName,
            productVariant: { ...target.productVariant, ...(Object.fromEntries(options) as object) },
          };
  const named = Object.entries(files).map(([type, url]) => ({ type, url }));
  return {
    ...line.item,
    ...product,
    itemReferenceId: referenceOf(line, index),
    quantity: line.quantity === undefined ? undefined : line.quantity * (target?.quantityFactor ?? 1),
    files: named.length === 0 ? undefined : named,
  };
}
