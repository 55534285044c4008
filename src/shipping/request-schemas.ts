import Decimal from 'decimal.js';
import { z } from 'zod';
import { isCountry } from '../platform/domain/countries';
import { countryCode, crossField, currencyCode, list, property, type ReportField } from '../platform/domain/fields';
import { minorDigits } from '../platform/domain/money';
import { SIZES } from '../platform/domain/sizes';
import { optional, optionalText, receiverSchema, requiredText, requireField, senderSchema } from './address-schemas';

const MAX_PACKAGES = SIZES.shippingPackages.most;

/** A length or weight. The limit is 10 km (in inches) and 100 t (in grams); larger values are typing errors. */
const measure = z.number().positive().max(100_000_000);
const money = z.number().nonnegative().max(1_000_000_000);

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

/** Allows for floating-point errors of sums. */
const FLOATING = 1e-6;
const shown = (sum: number) => Number(sum.toFixed(4));

/** Returns the sum of a field over all units of items. NaN when an item is invalid, which has its own errors. */
const sumOf = (items: readonly unknown[], field: 'value' | 'weight'): number =>
  items.reduce<number>((sum, item) => {
    const [each, quantity] = [property(item, field), property(item, 'quantity')];
    const isValid = typeof each === 'number' && each >= 0 && Number.isInteger(quantity) && (quantity as number) > 0;
    return isValid ? sum + each * (quantity as number) : Number.NaN;
  }, 0);

const packageSchema = crossField(
  z.object({
    packageReferenceId: requiredText(100),
    grossWeight: measure.describe('Packaging and items.'),
    netWeight: optional(measure).describe(
      'Weight of the contents, shown as the net weight on customs forms. At most the gross weight. Default: the sum of the items.',
    ),
    length: measure,
    width: measure,
    height: measure,
    volumetricWeight: optional(z.number().nonnegative().max(100_000_000)).describe(
      'Couriers bill it when it is above the volumetric weight that they compute from the sides.',
    ),
    boxType: optionalText(50).describe(
      'For example rectangle or tube. tube and cylinder have a surcharge. Shown on customs forms.',
    ),
    value: optional(money).describe(
      'Total value of the items in the order’s currency. Required for international shipping, where it must equal the sum of the items within 1 %, or half a cent for each unit.',
    ),
    items: optional(z.array(itemSchema).max(SIZES.shippingItems.most)).describe(
      'Required for international shipping. Together they weigh at most the gross weight.',
    ),
  }),
  (pack, report) => {
    const gross = property(pack, 'grossWeight');
    const net = property(pack, 'netWeight');
    if (typeof gross === 'number' && typeof net === 'number' && net > gross) {
      report(['netWeight'], 'The net weight must not be above the gross weight.');
    }
    const weight = sumOf(list(pack, 'items'), 'weight');
    if (typeof gross === 'number' && gross > 0 && weight > gross + FLOATING) {
      report(['items'], `The items weigh ${shown(weight)}, which is above the gross weight.`);
    }
  },
).meta({ id: 'ShippingPackage' });

/** Grams per unit of weight (avoirdupois pound and ounce: international yard and pound agreement, 1959). */
const GRAMS = { g: '1', kg: '1000', oz: '28.349523125', lb: '453.59237' } as const;
const MILLIMETRES = { mm: '1', cm: '10', in: '25.4' } as const;

type WeightUnit = keyof typeof GRAMS;
type DimensionUnit = keyof typeof MILLIMETRES;

const WEIGHT_UNITS = Object.keys(GRAMS) as [WeightUnit, ...WeightUnit[]];
const DIMENSION_UNITS = Object.keys(MILLIMETRES) as [DimensionUnit, ...DimensionUnit[]];

const converted = (value: number, factor: string) => new Decimal(value).times(factor).toDecimalPlaces(3).toNumber();

export function toGrams(value: number, unit: WeightUnit): number {
  return converted(value, GRAMS[unit]);
}

export function toMillimetres(value: number, unit: DimensionUnit): number {
  return converted(value, MILLIMETRES[unit]);
}

/** An ISO 4217 code. The routes check that it has an exchange rate, because rate cards are converted to it. */
const currency = z.string().superRefine((code, context) => {
  if (currencyCode.safeParse(code).success) return;
  const blank = code.trim() === '';
  context.addIssue({
    code: 'custom',
    message: blank ? 'This field must not be blank.' : 'Not an ISO 4217 currency code.',
    params: { code: blank ? 'IS_BLANK_ERROR' : 'NO_SUCH_CHOICE_ERROR' },
  });
});

const optionsSchema = z
  .object({
    weightUnit: z.enum(WEIGHT_UNITS).default('g'),
    dimensionUnit: z.enum(DIMENSION_UNITS).default('mm'),
    label: optional(
      z.object({
        format: z
          .enum(['pdf', 'zpl'])
          .default('pdf')
          .describe('Gateways may return PDF labels whatever format is requested.'),
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

const INTERNATIONAL_ITEM_FIELDS = [
  'itemReferenceId',
  'description',
  'quantity',
  'value',
  'weight',
  'hsCode',
  'countryOfOrigin',
];
const INTERNATIONAL = 'for international shipping';

/** Returns true when the sender and receiver countries differ, within the EU too. */
function isInternational(body: unknown): boolean {
  const country = (party: string) => property(property(property(body, party), 'address'), 'country');
  const [from, to] = [country('sender'), country('receiver')];
  return typeof from === 'string' && typeof to === 'string' && isCountry(from) && isCountry(to) && from !== to;
}

function consignmentRules(body: unknown, report: ReportField): void {
  const packages = list(body, 'packages');
  const references = new Set<unknown>();
  for (const [index, pack] of packages.entries()) {
    const reference = property(pack, 'packageReferenceId');
    if (typeof reference === 'string' && references.has(reference)) {
      report(['packages', index, 'packageReferenceId'], 'Package references must be unique.');
    }
    references.add(reference);
  }
  if (!isInternational(body)) return;
  if (typeof property(body, 'sender') === 'object') {
    requireField(property(body, 'sender'), 'customs', report, ['sender'], INTERNATIONAL);
  }
  for (const [index, pack] of packages.entries()) {
    internationalPackageRules(pack, property(body, 'currency'), report, ['packages', index]);
  }
}

function internationalPackageRules(
  pack: unknown,
  currency: unknown,
  report: ReportField,
  path: readonly (string | number)[],
): void {
  if (typeof pack !== 'object' || pack === null) return;
  requireField(pack, 'value', report, path, INTERNATIONAL);
  requireField(pack, 'items', report, path, INTERNATIONAL);
  const items = list(pack, 'items');
  if (items.length === 0 && Array.isArray(property(pack, 'items'))) {
    report([...path, 'items'], `At least one item is required ${INTERNATIONAL}.`, 'MISSING_FIELD_ERROR');
  }
  for (const [position, item] of items.entries()) {
    if (typeof item !== 'object' || item === null) continue;
    for (const field of INTERNATIONAL_ITEM_FIELDS) {
      requireField(item, field, report, [...path, 'items', position], INTERNATIONAL);
    }
  }
  valueRule(pack, items, currency, report, path);
}

/** The largest difference between a package's value and the sum of its items, as a share of the sum. */
const VALUE_TOLERANCE = 0.01;

/** Reports a package value that differs from the sum of its items by more than rounded values of units can. */
function valueRule(
  pack: unknown,
  items: readonly unknown[],
  currency: unknown,
  report: ReportField,
  path: readonly (string | number)[],
): void {
  const value = property(pack, 'value');
  const sum = sumOf(items, 'value');
  if (typeof value !== 'number' || items.length === 0 || Number.isNaN(sum)) return;
  const units = items.reduce<number>((count, item) => count + (property(item, 'quantity') as number), 0);
  const rounding = (units * 0.5) / 10 ** minorDigits(typeof currency === 'string' ? currency : '');
  if (Math.abs(value - sum) <= Math.max(sum * VALUE_TOLERANCE, rounding) + FLOATING) return;
  report([...path, 'value'], `The value must equal the sum of the items, ${shown(sum)}, within 1 %.`);
}

const isBlank = (value: unknown) =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

/** A tier with an empty uid, or a uid without a tier (schema `ShippingMethodChoice`). */
const shippingMethodSchema = crossField(
  z.object({
    uid: optionalText(100).describe('A specific method. Leave it empty to use a tier.'),
    carrier: optionalText(100).describe('Restricts the methods to this carrier, by name or uid.'),
    tier: z
      .enum(['standard', 'express', ''])
      .nullish()
      .transform((tier) => tier || undefined)
      .describe('standard: the cheapest method. express: the fastest.'),
  }),
  (method, report) => {
    if (typeof method !== 'object' || method === null) return;
    const [noUid, noTier] = [isBlank(property(method, 'uid')), isBlank(property(method, 'tier'))];
    if (!noUid && !noTier) report(['tier'], 'Use a tier with an empty uid, or a uid without a tier.');
    if (noUid && noTier) report(['uid'], 'Either uid or tier is required.', 'MISSING_FIELD_ERROR');
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
