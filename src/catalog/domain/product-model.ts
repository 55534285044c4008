import { z } from 'zod';
import { currencyCode } from '../../platform/domain/fields';
import { printNeeds } from './print-needs';
import { PRODUCT_KINDS, TAX_CATEGORIES } from './product';

export const MODEL_STATES = ['draft', 'active', 'inactive'] as const;
export type ModelState = (typeof MODEL_STATES)[number];

/** The state transitions of a product model. It never returns to draft. */
export const MODEL_TRANSITIONS: Readonly<Record<ModelState, readonly ModelState[]>> = {
  draft: ['active', 'inactive'],
  active: ['inactive'],
  inactive: ['active'],
};

/** File types of standard products by kind. */
export const STANDARD_FILE_TYPES = {
  print: ['default', 'front', 'back', 'cover', 'inside'],
  apparel: [
    'default',
    'front',
    'back',
    'neck-inner',
    'neck-outer',
    'sleeve-left',
    'sleeve-right',
    'chest-left-embroidery',
    'chest-center-embroidery',
    'chest-large-embroidery',
    'sleeve-left-embroidery',
    'sleeve-right-embroidery',
    'wrist-left-embroidery',
    'wrist-right-embroidery',
  ],
  mounted: ['default'],
} as const satisfies Record<string, readonly string[]>;

const standardFileTypes = [...new Set(Object.values(STANDARD_FILE_TYPES).flat())] as [string, ...string[]];
const millimetres = z.number().positive().max(10_000);
const grams = z.number().int().min(0).max(1_000_000);
const minor = z.number().int().min(0).max(1_000_000_000);
const factor = z.string().regex(/^\d{1,6}(\.\d{1,6})?$/, 'expected a decimal such as 1.25');
const currency = currencyCode.regex(/^[A-Z]{3}$/);
const attributeId = z.string().regex(/^[a-z0-9_.-]{1,100}$/);

/** A record with at most `max` entries. */
const boundedRecord = <K extends z.core.$ZodRecordKey, V extends z.ZodType>(key: K, value: V, max: number) =>
  z.record(key, value).refine((entries) => Object.keys(entries).length <= max, `No more than ${max} entries`);

const MAX_CURRENCIES = 200;
const quantityBreak = z.object({
  from: z.number().int().min(1).describe('The quantity from which the price applies'),
  unitMinor: minor,
  validFrom: z.iso
    .datetime({ offset: true })
    .optional()
    .describe('When the price takes effect, and ends the earlier ones of its currency. Default: valid from the start'),
});
/** A record from attribute id to value id to the effect of that value. */
const byValue = <T extends z.ZodType>(effect: T) =>
  boundedRecord(attributeId, boundedRecord(attributeId, effect, 1_000), 50);

const fixedSize = z.object({ widthMm: millimetres, heightMm: millimetres });

/** Unit prices by currency, in minor units. */
export const unitPrices = boundedRecord(currency, minor, MAX_CURRENCIES);

const printArea = z.object({
  fileType: z.enum(standardFileTypes),
  required: z.boolean().default(true),
  /** Default: the size from `sizeAttribute`. */
  size: fixedSize.optional(),
  /** The print area exists only when the attribute has one of these values. */
  when: z.object({ attributeId, valueIds: z.array(attributeId).min(1).max(1_000) }).optional(),
  /** The price of the area in one unit, beside that of the product. Default: included. */
  prices: unitPrices.optional(),
  /** What the file of the area needs. Default: what the family of the product needs (`ordering.needs`). */
  needs: printNeeds.partial().optional(),
});

const packed = z.discriminatedUnion('form', [
  /** Flat goods: the size of the print plus a margin. */
  z.object({ form: z.literal('flat'), marginMm: millimetres, thicknessMm: millimetres }),
  /** Rolled into a tube along the longer side. Several units share a tube. */
  z.object({ form: z.literal('tube'), diameterMm: millimetres, marginMm: millimetres }),
  z.object({ form: z.literal('box'), lengthMm: millimetres, widthMm: millimetres, heightMm: millimetres }),
]);

/**
 * Production, packing and prices of a product model. Money in minor units, lengths in millimetres, weights in grams.
 * Reads these properties of attribute values: `widthMm` and `heightMm` (of `sizeAttribute`), `landscape: yes` (of
 * `orientationAttribute`), `gsm` (of `paperAttribute`), and `min`, `max`, `multipleOf` (of custom numbers).
 */
export const productionSpec = z.object({
  kind: z.enum(PRODUCT_KINDS).default('print'),
  /** Name of the product model in partners' production systems. Default: the id of the product model. */
  modelUid: z.string().min(1).max(100).optional(),
  productTypeUid: z.string().min(1).max(100).optional(),
  productNameUid: z.string().min(1).max(100).optional(),
  /** The type of the product model as a part of others. */
  partType: z.enum(['print', 'stock', 'service']).default('print'),
  workflowEnabled: z.boolean().default(false),
  /** Default: the standard file types of the kind. */
  fileTypes: z.array(z.enum(standardFileTypes)).min(1).max(50).optional(),
  sizeAttribute: attributeId.optional(),
  orientationAttribute: attributeId.optional(),
  paperAttribute: attributeId.optional(),
  printAreas: z.array(printArea).max(50).default([]),
  /** The sizes of further places that take files, such as a neck label, by file type. */
  otherSizes: boundedRecord(z.string().max(100), fixedSize, 50).default({}),
  /** For books: the attribute that has the number of pages. Default: one page, or one for each print area. */
  pages: z
    .object({
      attributeId,
      multipleOf: z.number().int().min(1).default(1),
      included: z.number().int().min(0).default(0),
      /** Pages of a separate `cover` file. */
      coverPages: z.number().int().min(1).max(100).default(1),
      /** Thickness of the book without and by its pages. With it, products have the size of the cover. */
      spine: z.object({ baseMm: z.number().min(0).max(100), pageMm: z.number().min(0).max(10) }).optional(),
    })
    .optional(),
  weightGrams: grams.default(0),
  addedGrams: byValue(grams).default({}),
  packed: packed.default({ form: 'flat', marginMm: 20, thicknessMm: 3 }),
  unitsPerPackage: z.number().int().min(1).max(100_000).default(1),
  packagingWeightGrams: grams.default(0),
  hsCode: z
    .string()
    .regex(/^\d{6,10}$/, 'expected 6 to 10 digits')
    .default('491199'),
  taxCategory: z.enum(TAX_CATEGORIES).default('standard'),
  /** Quantity breaks by currency, of every start. Empty: not sold separately, only as a part. */
  priceList: boundedRecord(currency, z.array(quantityBreak).min(1).max(100), MAX_CURRENCIES).default({}),
  priceFactors: byValue(factor).default({}),
  /** Price of each page above `pages.included`, by currency. */
  pagePrices: unitPrices.default({}),
  /** SKU of a stock part at partners, for example `frame-{frame_material}-{paper_format.code}`. */
  partnerSku: z.string().min(1).max(200).optional(),
  unitPriceMinorEur: minor.default(0),
});

export type ProductionSpec = z.output<typeof productionSpec>;
/** The production spec as input and as stored: without defaults. */
export type ProductionInput = z.input<typeof productionSpec>;

type DatedPrices = ProductionSpec['priceList'];

/** Returns when a quantity break takes effect, in milliseconds since 1970. Without a date: always. */
export const startOf = ({ validFrom }: DatedPrices[string][number]): number =>
  validFrom === undefined ? Number.NEGATIVE_INFINITY : Date.parse(validFrom);

/**
 * Returns the prices in force: in each currency the quantity breaks of its latest start. A currency whose prices all
 * start later is absent.
 * @param now in milliseconds since 1970
 */
export function pricesInForce(
  dated: DatedPrices,
  now: number,
): Record<string, { readonly from: number; readonly unitMinor: number }[]> {
  return Object.fromEntries(
    Object.entries(dated).flatMap(([currency, breaks]) => {
      const started = breaks.filter((each) => startOf(each) <= now);
      const latest = Math.max(...started.map(startOf));
      const inForce = started
        .filter((each) => startOf(each) === latest)
        .map(({ from, unitMinor }) => ({ from, unitMinor }));
      return inForce.length === 0 ? [] : [[currency, inForce]];
    }),
  );
}

/** Returns when prices change next, in milliseconds since 1970. Infinity: no price is dated later than `now`. */
export const nextStart = (dated: DatedPrices, now: number): number =>
  Math.min(
    ...Object.values(dated)
      .flat()
      .map(startOf)
      .filter((start) => start > now),
  );
