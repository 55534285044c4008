import { z } from 'zod';
import { labelText } from '../../documents/fonts';
import { emailAddress } from '../../platform/domain/email';
import {
  countryCode,
  crossField,
  currencyCode,
  httpUrl,
  list,
  metadata,
  needsState,
  postCodeRule,
  price,
  property,
  type ReportField,
  text,
} from '../../platform/domain/fields';
import { SIZES, shownSize } from '../../platform/domain/sizes';
import { addressAsSent, understoodAddress } from '../../platform/normal-address';
import { phone } from '../../platform/phone';

/** The form of a file type name. Workflow-enabled products accept every such name. */
const FILE_TYPE_PATTERN = /^[A-Za-z0-9_.-]{1,100}$/;

/** Schemas of orders as clients submit them (schema `SubmitOrder`), with the rules that need no database. */

/** Returns a schema for an optional field. Null and absent both become undefined. */
export const optional = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined);

/** Reports a missing `state`, which US, CA and AU addresses require, and a blank post code where there are post codes. */
function addressRules(address: unknown, report: ReportField): void {
  postCodeRule(address, 'postCode', report);
  const state = property(address, 'state');
  if (!needsState(property(address, 'country'))) return;
  if (state === undefined || state === null) {
    report(['state'], 'This field is required for US, CA and AU addresses.', 'MISSING_FIELD_ERROR');
  } else if (typeof state === 'string' && state.trim() === '') {
    report(['state'], 'This field must not be blank for US, CA and AU addresses.', 'IS_BLANK_ERROR');
  }
}

/** What a client submits of an address. Long texts are broken into lines where they are printed. */
export const addressFields = {
  country: countryCode.describe('ISO 3166-1 alpha-2 code. An alpha-3 code or an English name is stored as this code.'),
  firstName: labelText(z.string().max(100)),
  lastName: labelText(text(100)),
  companyName: optional(labelText(z.string().max(255))),
  addressLine1: labelText(text(255)),
  addressLine2: optional(labelText(z.string().max(255))),
  city: labelText(text(100)),
  postCode: labelText(z.string().max(100)).describe('Blank or missing in countries without post codes.'),
  state: optional(labelText(z.string().max(100))).describe(
    'In the US, Canada, Australia, Brazil and Italy: the code of the state, or its name, which is stored as the code.',
  ),
  email: emailAddress,
  phone: phone.describe('With its country code, or a national number of `country`, which is stored with its code.'),
  isBusiness: optional(z.boolean()),
  federalTaxId: optional(z.string().max(50)),
  stateTaxId: optional(z.string().max(50)),
  registrationState: optional(z.string().max(50)),
};

/** Returns the schema of an address with these fields, which is understood before they are judged. */
export const addressOf = <Fields extends z.ZodRawShape>(fields: Fields) =>
  z.preprocess(
    (sent) => understoodAddress(sent, fields),
    crossField(
      z.object({
        ...fields,
        addressAsSent: addressAsSent.optional().meta({ readOnly: true }),
      }),
      addressRules,
    ),
  );

export const shippingAddressSchema = addressOf(addressFields).meta({ id: 'ShippingAddress' });
export type ShippingAddress = z.output<typeof shippingAddressSchema>;

export const orderFileSchema = z
  .object({
    type: z.string().superRefine((type, context) => {
      if (type === '') {
        context.addIssue({
          code: 'custom',
          message: 'This field must not be blank.',
          params: { code: 'IS_BLANK_ERROR' },
        });
      } else if (!FILE_TYPE_PATTERN.test(type)) {
        context.addIssue({
          code: 'custom',
          message: 'A file type has 1 to 100 letters, digits, underscores, periods and hyphens.',
        });
      }
    }),
    url: httpUrl,
    metadata: optional(metadata),
  })
  .meta({ id: 'OrderFile' });

function threadColorsRule(file: unknown, report: ReportField): void {
  for (const [index, entry] of list(file, 'metadata').entries()) {
    const value = property(entry, 'value');
    if (property(entry, 'key') !== 'threadColors' || typeof value !== 'string') continue;
    if (!value.split(',').every((color) => /^\s*#[0-9a-f]{6}\s*$/i.test(color))) {
      report(['metadata', index, 'value'], 'Thread colors are values such as #cc3333, separated by commas.');
    }
  }
}

/** Requires productUid, or productName with productVariant (schema `SubmitOrder`). */
export function productNamingRule(item: unknown, report: ReportField): void {
  const named = property(item, 'productName') != null;
  const variant = property(item, 'productVariant') != null;
  if (property(item, 'productUid') != null) {
    if (named) report(['productName'], 'An item has either productUid or productName.');
    else if (variant) report(['productVariant'], 'A productUid already contains its variant.');
  } else if (!named) {
    report(['productUid'], 'Either productUid or productName is required.', 'MISSING_FIELD_ERROR');
  }
  if (named && !variant) {
    report(['productVariant'], 'This field is required with productName.', 'MISSING_FIELD_ERROR');
  }
}

const productFields = {
  itemReferenceId: text(100),
  productUid: optional(text(512)),
  productName: optional(text(255)),
  productVariant: optional(z.record(z.string().max(100), z.string().max(255))),
  quantity: z.number().int().min(1).max(SIZES.itemUnits.most),
};

export const itemFields = {
  ...productFields,
  retailPriceInclVat: optional(price).describe(
    'Total retail price of all units of the item, excluding VAT despite the name. Required across a customs border.',
  ),
  files: optional(z.array(orderFileSchema).max(SIZES.itemFiles.most)).describe(
    'Required unless the product consists of stocked parts only.',
  ),
  customTrim: optional(
    z.object({ widthMm: z.number().positive().max(10_000), heightMm: z.number().positive().max(10_000) }),
  ).describe('The item has the price of the smallest size of its product model that contains the trim.'),
  metadata: optional(metadata),
};

export function itemRules(item: unknown, report: ReportField): void {
  const types = new Set<unknown>();
  for (const [index, file] of list(item, 'files').entries()) {
    threadColorsRule(file, (path, message) => report(['files', index, ...path], message));
    const type = property(file, 'type');
    if (type === undefined) continue;
    if (types.has(type)) report(['files', index, 'type'], 'Each file type may occur once in an item.');
    types.add(type);
  }
  productNamingRule(item, report);
}

const orderItemSchema = crossField(z.object(itemFields), itemRules).meta({ id: 'OrderItem' });

const packagingInstructionSchema = z.object({
  packageItems: z
    .array(z.object({ orderItemReferenceId: text(100), quantity: productFields.quantity }))
    .min(1)
    .max(SIZES.packageItems.most),
  packingSlip: optional(z.object({ fileUrl: httpUrl })),
  brandedPackaging: optional(text(100)).describe(
    'Packaging workflow of the print order. Default: the setting of the client.',
  ),
});

const packagingInstructionsSchema = z.array(packagingInstructionSchema).max(SIZES.packages.most);

/** Checks an order's items: each reference occurs once, and all items name their products in the same way. */
function itemsRule(order: unknown, report: ReportField): void {
  const items = list(order, 'items');
  const seen = new Set<unknown>();
  const byUid = items.some((item) => property(item, 'productUid') != null);
  for (const [index, item] of items.entries()) {
    const reference = property(item, 'itemReferenceId');
    if (typeof reference === 'string') {
      if (seen.has(reference)) {
        report(['items', index, 'itemReferenceId'], 'Each itemReferenceId may occur once in an order.');
      }
      seen.add(reference);
    }
    if (byUid && property(item, 'productName') != null && property(item, 'productUid') == null) {
      report(['items', index, 'productName'], 'productUid and productName must not be mixed in one order.');
    }
  }
}

/** Returns NaN for a quantity that is no number. */
function quantityOf(value: unknown): number {
  const quantity = property(value, 'quantity');
  return typeof quantity === 'number' ? quantity : Number.NaN;
}

/** Checks that an order has no more units than a print shop makes for one. */
function unitsRule(order: unknown, report: ReportField): void {
  const quantities = list(order, 'items').map(quantityOf);
  const units = quantities.reduce((sum, quantity) => sum + quantity, 0);
  const { most } = SIZES.orderUnits;
  if (units > most && quantities.every((quantity) => quantity <= SIZES.itemUnits.most))
    report(
      ['items'],
      `The order has ${shownSize(units)} units, and at most ${shownSize(most)} are allowed. Split it into several orders.`,
    );
}

/** Checks the whole order: its items and their units, and that packages contain ordered items in no more than their quantities. */
export function orderRules(order: unknown, report: ReportField): void {
  itemsRule(order, report);
  unitsRule(order, report);
  const quantities = new Map(list(order, 'items').map((item) => [property(item, 'itemReferenceId'), quantityOf(item)]));
  const packed = new Map<unknown, number>();
  for (const [index, instruction] of list(order, 'packagingInstructions').entries()) {
    for (const [position, entry] of list(instruction, 'packageItems').entries()) {
      const reference = property(entry, 'orderItemReferenceId');
      if (typeof reference !== 'string') continue;
      const path = ['packagingInstructions', index, 'packageItems', position];
      const ordered = quantities.get(reference);
      if (ordered === undefined) {
        report([...path, 'orderItemReferenceId'], 'No item of the order has this itemReferenceId.');
        continue;
      }
      const sum = (packed.get(reference) ?? 0) + quantityOf(entry);
      packed.set(reference, sum);
      if (sum > ordered) report([...path, 'quantity'], `The packages contain more than the ${ordered} ordered.`);
    }
  }
}

const optionalFields = {
  customerReferenceId: z.string().max(100),
  retailCurrency: currencyCode,
  retailShippingPriceInclVat: price,
  shipmentMethodUid: z.string().max(255),
  packagingInstructions: packagingInstructionsSchema,
  metadata,
};

type Shape = Record<string, z.ZodType>;
const mapped = (shape: Shape, change: (schema: z.ZodType) => z.ZodType): unknown =>
  Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, change(schema)]));

const allOptional = <Fields extends Shape>(fields: Fields) =>
  mapped(fields, optional) as { [Name in keyof Fields]: ReturnType<typeof optional<Fields[Name]>> };

/** Returns the fields as optional ones, of which null is kept. */
const allNullish = <Fields extends Shape>(fields: Fields) =>
  mapped(fields, (schema) => schema.nullish()) as {
    [Name in keyof Fields]: z.ZodOptional<z.ZodNullable<Fields[Name]>>;
  };

export const orderFields = {
  orderReferenceId: text(100),
  currency: currencyCode,
  shippingAddress: shippingAddressSchema,
  items: z.array(orderItemSchema).min(1).max(SIZES.orderItems.most),
  ...allOptional(optionalFields),
};

export const submitOrderSchema = crossField(
  z.object({
    ...orderFields,
    orderType: z
      .enum(['order', 'draft'])
      .nullish()
      .transform((type) => type ?? 'order'),
    preventDuplicate: optional(z.boolean()),
    replaces: optional(z.uuid()).describe(
      'Id of a failed or canceled order with the same `orderReferenceId`. `preventDuplicate` does not count it, nor what it replaced.',
    ),
  }),
  orderRules,
).meta({ id: 'SubmitOrder' });
export type SubmitOrder = z.output<typeof submitOrderSchema>;

export const submittedOrderSchema = z
  .object({ id: z.string(), orderReferenceId: z.string(), createdAt: z.iso.datetime() })
  .meta({ id: 'SubmittedOrder' });

/**
 * A change of a draft, or the retail prices of an order. Each given field of a draft replaces the stored one; null removes an
 * optional field. `orderType: order` turns the draft into an order. Items of a draft are checked with the rest of it.
 */
export const patchOrderSchema = crossField(
  z.object({
    orderReferenceId: orderFields.orderReferenceId.optional(),
    currency: orderFields.currency.optional(),
    shippingAddress: orderFields.shippingAddress.optional(),
    items: z
      .array(z.object({ ...itemFields, quantity: optional(productFields.quantity) }))
      .min(1)
      .max(SIZES.orderItems.most)
      .optional()
      .describe('All items of a draft. Of an order: itemReferenceId and retailPriceInclVat.'),
    ...allNullish(optionalFields),
    orderType: z.enum(['order', 'draft']).optional(),
  }),
  (patch, report) => {
    // Packages of items that are not in the patch can be checked only with the stored draft.
    if (property(patch, 'items') !== undefined) orderRules(patch, report);
  },
).meta({
  id: 'PatchOrder',
  examples: [
    {
      retailCurrency: 'EUR',
      retailShippingPriceInclVat: 4.9,
      items: [{ itemReferenceId: 'line-1', retailPriceInclVat: 19.9 }],
    },
  ],
});
export type PatchOrder = z.output<typeof patchOrderSchema>;

export const updateShipmentSchema = crossField(
  z.strictObject({
    shipmentMethodUid: optional(z.string().max(255).regex(/\S/, 'must not be blank')),
    shippingAddress: optional(shippingAddressSchema),
    reason: optional(text(500)).describe('Required of operators. It is in the event log that operators see.'),
    dryRun: optional(z.boolean()).describe('True returns what the change would make, and changes nothing.'),
  }),
  (body, report) => {
    if (property(body, 'shipmentMethodUid') == null && property(body, 'shippingAddress') == null) {
      report(['shipmentMethodUid'], 'Either shipmentMethodUid or shippingAddress is required.', 'MISSING_FIELD_ERROR');
    }
  },
).meta({ id: 'UpdateShipment' });
export type UpdateShipment = Omit<z.output<typeof updateShipmentSchema>, 'reason' | 'dryRun'>;

const itemUnits = z.strictObject({
  itemReferenceId: text(100),
  quantity: optional(z.int().min(1).max(SIZES.itemUnits.most)).describe('Units of the item. Default: all.'),
});

export const cancelOrderSchema = z
  .strictObject({
    reason: optional(z.string().max(500)),
    // Null is refused: a caller whose list is missing by mistake would cancel the whole order.
    items: z
      .array(itemUnits)
      .min(1)
      .max(SIZES.orderItems.most)
      .optional()
      .describe('Default: all items that have not shipped.'),
  })
  .meta({ id: 'CancelOrder' });
export type CancelOrder = z.output<typeof cancelOrderSchema>;
