import { z } from 'zod';
import { printable } from '../documents/printable';
import { isCountry } from '../platform/domain/countries';
import { crossField, list, property, type ReportField } from '../platform/domain/cross-field';
import { REFERENCE_RATES } from '../platform/domain/exchange-rates';
import { countryCode, currencyCode, text } from '../platform/domain/fields';
import { DIMENSION_UNITS, WEIGHT_UNITS } from './domain/units';

/** The shipping group's requests (interface "Shipping order, quote and tracking structures"). */

const MAX_PACKAGES = 100;
const MAX_ITEMS = 500;

/** Optional text; null counts as left out. Blank text is told apart from missing, and dropped in consignment.ts. */
const optionalText = (max: number) =>
  printable(z.string().max(max))
    .nullish()
    .transform((value) => value ?? undefined);

/** Text that a label or customs form carries: not blank, and of characters that can be printed. */
const requiredText = (max: number) => printable(text(max)).transform((value) => value.trim());

const optional = <T extends z.ZodType>(schema: T) =>
  schema.nullish().transform((value) => value ?? undefined);

const email = z
  .string()
  .max(254)
  .refine(
    (value) => value.trim() === '' || z.email().safeParse(value.trim()).success,
    'Not an email address.',
  )
  .nullish()
  .transform((value) => value ?? undefined);

/** Lengths up to 10 km and weights up to 100 t in any unit: beyond is a slip, not a package. */
const measure = z.number().positive().max(100_000_000);
const money = z.number().nonnegative().max(1_000_000_000);

const hasRate = (code: string) => code === 'EUR' || Object.hasOwn(REFERENCE_RATES.perEuro, code);

/** ISO 4217, of those that rate cards can be converted to. */
const currency = z.string().superRefine((code, context) => {
  if (currencyCode.safeParse(code).success && hasRate(code)) return;
  const blank = code.trim() === '';
  context.addIssue({
    code: 'custom',
    message: blank
      ? 'This field must not be blank.'
      : 'Not a currency code of ISO 4217 that prices can be given in.',
    params: { code: blank ? 'IS_BLANK_ERROR' : 'NO_SUCH_CHOICE_ERROR' },
  });
});

/** Countries with address parts of their own (interface "Address"). */
const ADDRESS_PARTS: Readonly<Record<string, readonly string[]>> = {
  DE: ['street', 'houseNumber'],
  AU: ['suburb'],
  NZ: ['suburb'],
};

/** Reports a field that must be there and is not, or is blank. */
function demand(
  value: unknown,
  name: string,
  report: ReportField,
  path: readonly (string | number)[],
  why: string,
) {
  const found = property(value, name);
  if (found === undefined || found === null) {
    report([...path, name], `This field is required ${why}.`, 'MISSING_FIELD_ERROR');
  } else if (typeof found === 'string' && found.trim() === '') {
    report([...path, name], `This field must not be blank ${why}.`, 'IS_BLANK_ERROR');
  }
}

const addressSchema = crossField(
  z.object({
    country: countryCode,
    state: optionalText(35),
    city: requiredText(30),
    postcode: requiredText(15),
    addressLine1: requiredText(60).describe('Street and house number.'),
    addressLine2: optionalText(60),
    addressLine3: optionalText(60),
    street: optionalText(60).describe('Required for addresses in Germany.'),
    houseNumber: optionalText(15).describe('Required for addresses in Germany.'),
    suburb: optionalText(35).describe('Required for addresses in Australia and New Zealand.'),
  }),
  (address, report) => {
    const country = property(address, 'country');
    const parts =
      typeof country === 'string' && Object.hasOwn(ADDRESS_PARTS, country) ? ADDRESS_PARTS[country]! : [];
    for (const part of parts) demand(address, part, report, [], `for addresses in ${country}`);
  },
).meta({ id: 'ShippingGroupAddress' });

const receiverSchema = z
  .object({
    person: z.object({
      firstName: requiredText(35),
      lastName: requiredText(35),
      company: optionalText(60),
      email: email.describe('Required by some carriers.'),
      phone: optionalText(25).describe('Required by some carriers.'),
    }),
    address: addressSchema,
    customs: optional(z.object({ vatNumber: optionalText(35) })),
  })
  .meta({ id: 'ShippingReceiver' });

const senderSchema = z
  .object({
    person: z.object({
      firstName: optionalText(35),
      lastName: optionalText(35),
      company: requiredText(60),
      email,
      phone: optionalText(25),
    }),
    address: addressSchema,
    customs: optional(
      z.object({
        vatNumber: optionalText(35),
        iossNumber: optionalText(35),
        eoriNumber: optionalText(35),
        pcccNumber: optionalText(35),
        australianBusinessNumber: optionalText(35),
      }),
    ).describe('Required for international shipping.'),
  })
  .meta({ id: 'ShippingSender' });

const itemSchema = z
  .object({
    itemReferenceId: optionalText(100),
    description: optionalText(200),
    quantity: optional(z.number().int().positive().max(1_000_000)),
    value: optional(money).describe('Of one unit, in the order’s currency.'),
    weight: optional(measure).describe('Of one unit, in the order’s weight unit.'),
    hsCode: optional(
      z
        .string()
        .trim()
        .regex(/^(?:\d[ .]?){6,14}$|^$/, 'A Harmonized System code has 6 to 14 digits'),
    ),
    countryOfOrigin: optional(countryCode),
  })
  .meta({ id: 'ShippingItem', description: 'Every field is required for international shipping.' });

const packageSchema = crossField(
  z.object({
    packageReferenceId: requiredText(100),
    grossWeight: measure.describe('Packaging and items.'),
    netWeight: optional(measure),
    length: measure,
    width: measure,
    height: measure,
    volumetricWeight: optional(z.number().nonnegative().max(100_000_000)),
    boxType: optionalText(50).describe('For example rectangle or tube.'),
    value: optional(money).describe(
      'Total value of the items in the order’s currency. Required for international shipping.',
    ),
    items: optional(z.array(itemSchema).max(MAX_ITEMS)).describe('Required for international shipping.'),
  }),
  (pack, report) => {
    const gross = property(pack, 'grossWeight');
    const net = property(pack, 'netWeight');
    if (typeof gross === 'number' && typeof net === 'number' && net > gross) {
      report(['netWeight'], 'The net weight must not be above the gross weight.');
    }
  },
).meta({ id: 'ShippingPackage' });

const optionsSchema = z
  .object({
    weightUnit: z.enum(WEIGHT_UNITS).default('g'),
    dimensionUnit: z.enum(DIMENSION_UNITS).default('mm'),
    label: optional(
      z.object({
        format: z
          .enum(['pdf', 'zpl'])
          .default('pdf')
          .describe('Gateways may give their labels as PDF whatever is asked for.'),
        size: z
          .enum(['4x6', 'A6', 'A4'])
          .default('4x6')
          .describe('Sheet of PDF labels; A4 holds four labels of A6. ZPL labels are always 4x6 in.'),
      }),
    ),
  })
  .meta({ id: 'ShippingOptions' });

const consignmentFields = {
  orderReferenceId: requiredText(100).describe('Your own reference of the order.'),
  currency,
  options: optional(optionsSchema),
  partner: optional(
    z.object({
      clientName: optionalText(60).describe('Brand shown on the label where the carrier allows it.'),
    }),
  ),
  receiver: receiverSchema,
  sender: senderSchema,
  packages: z.array(packageSchema).min(1).max(MAX_PACKAGES),
};

const ITEM_FIELDS = [
  'itemReferenceId',
  'description',
  'quantity',
  'value',
  'weight',
  'hsCode',
  'countryOfOrigin',
];
const ACROSS = 'for international shipping';

function isInternational(body: unknown): boolean {
  const country = (party: string) => String(property(property(property(body, party), 'address'), 'country'));
  const [from, to] = [country('sender'), country('receiver')];
  return isCountry(from) && isCountry(to) && from !== to;
}

/** What international shipping needs (interface "Sender", "Package", "Item"), and references that must not repeat. */
function consignmentRules(body: unknown, report: ReportField): void {
  const packages = list(body, 'packages');
  const references = new Set<unknown>();
  for (const [index, pack] of packages.entries()) {
    const reference = property(pack, 'packageReferenceId');
    if (typeof reference === 'string' && references.has(reference)) {
      report(['packages', index, 'packageReferenceId'], 'Each package has a reference of its own.');
    }
    references.add(reference);
  }
  if (!isInternational(body)) return;
  if (typeof property(body, 'sender') === 'object')
    demand(property(body, 'sender'), 'customs', report, ['sender'], ACROSS);
  for (const [index, pack] of packages.entries()) {
    if (typeof pack !== 'object' || pack === null) continue;
    demand(pack, 'value', report, ['packages', index], ACROSS);
    demand(pack, 'items', report, ['packages', index], ACROSS);
    const items = list(pack, 'items');
    if (items.length === 0 && Array.isArray(property(pack, 'items'))) {
      report(['packages', index, 'items'], `At least one item is required ${ACROSS}.`, 'MISSING_FIELD_ERROR');
    }
    for (const [position, item] of items.entries()) {
      if (typeof item !== 'object' || item === null) continue;
      for (const field of ITEM_FIELDS)
        demand(item, field, report, ['packages', index, 'items', position], ACROSS);
    }
  }
}

const blank = (value: unknown) =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

/** A tier with an empty uid, or a uid without a tier (interface "ShippingMethod"). */
const shippingMethodSchema = crossField(
  z.object({
    uid: optionalText(100).describe('A specific method; leave it empty to use a tier.'),
    carrier: optionalText(100).describe('Takes only methods of this carrier, by name or uid.'),
    tier: z
      .enum(['standard', 'express', ''])
      .nullish()
      .transform((tier) => tier || undefined)
      .describe('standard: the cheapest method. express: the fastest.'),
  }),
  (method, report) => {
    if (typeof method !== 'object' || method === null) return;
    const uid = property(method, 'uid');
    const tier = property(method, 'tier');
    if (!blank(uid) && !blank(tier))
      report(['tier'], 'Use a tier with an empty uid, or a uid without a tier.');
    if (blank(uid) && blank(tier)) report(['uid'], 'Either uid or tier is required.', 'MISSING_FIELD_ERROR');
  },
).meta({ id: 'ShippingMethodChoice' });

export const quoteRequestSchema = crossField(z.object(consignmentFields), consignmentRules).meta({
  id: 'ShippingQuoteRequest',
});

export const shippingOrderRequestSchema = crossField(
  z.object({ ...consignmentFields, shippingMethod: shippingMethodSchema }),
  consignmentRules,
).meta({ id: 'ShippingOrderRequest' });

export type QuoteRequest = z.output<typeof quoteRequestSchema>;
export type ShippingOrderRequest = z.output<typeof shippingOrderRequestSchema>;

const storedFile = {
  fileName: z.string(),
  fileUrl: z.url().describe('Valid for seven days.'),
  contentType: z.string(),
};

export const shippingOrderSchema = z
  .object({
    orderId: z.string(),
    orderReferenceId: z.string(),
    shippingMethod: z.object({ carrier: z.string(), uid: z.string() }),
    packages: z.array(
      z.object({
        packageReferenceId: z.string(),
        trackingNumber: z.string(),
        trackingUrl: z.string(),
        label: z.object(storedFile),
        documents: z.array(z.object({ documentType: z.string(), ...storedFile })).optional(),
        totalCost: z
          .object({ value: z.number(), currency: z.string() })
          .describe('Estimated shipping cost.')
          .optional(),
      }),
    ),
  })
  .meta({ id: 'ShippingOrder' });
export type ShippingOrderAnswer = z.input<typeof shippingOrderSchema>;

export const quotesSchema = z
  .object({
    items: z.array(
      z.object({
        carrier: z.object({ name: z.string(), uid: z.string() }),
        method: z.object({
          name: z.string(),
          uid: z.string(),
          price: z.number().describe('Estimated price of all packages, in the request’s currency.'),
          maxShipmentDays: z.number(),
          minShipmentDays: z.number(),
          deliveryPaddingDays: z.number().optional(),
        }),
      }),
    ),
    count: z.number(),
  })
  .meta({ id: 'ShippingQuotes' });
