import { z } from 'zod';

/** What an attribute value's properties may hold (interface "AttributeValue"). */
export type PropertyValue = string | number | readonly string[];

export interface AttributeValue {
  readonly id: string;
  readonly description: string | null;
  readonly properties: Readonly<Record<string, PropertyValue>>;
  /** The value accepts any input: a page count, a text. */
  readonly isCustom: boolean;
  /** The attribute's default selection in new product models. */
  readonly isDefault: boolean;
}

/** What a property of an attribute's values means. */
export interface PropertyDefinition {
  readonly id: string;
  readonly description: string;
  readonly type: string;
}

export interface Attribute {
  readonly id: string;
  readonly description: string;
  readonly properties: readonly PropertyDefinition[];
}

/** An attribute as a product model offers it. */
export interface ModelAttribute {
  readonly attributeId: string;
  /** Values on offer; null: every value of the attribute, later ones included. */
  readonly valueIds: readonly string[] | null;
  /** Taken where an order leaves the attribute open. */
  readonly defaultValueId: string | null;
}

/** One part of a multi-part product model: another product model, so many times. */
export interface ModelPart {
  readonly id: string;
  readonly modelId: string;
  readonly name: string;
  readonly quantity: number;
  readonly order: number;
}

export const MODEL_STATES = ['draft', 'active', 'inactive'] as const;
export type ModelState = (typeof MODEL_STATES)[number];

/** Where a product model's state may go: a draft is released or dropped, a released one never is a draft again. */
export const MODEL_TRANSITIONS: Readonly<Record<ModelState, readonly ModelState[]>> = {
  draft: ['active', 'inactive'],
  active: ['inactive'],
  inactive: ['active'],
};

/** File types of standard products by kind (interface "File types for standard products"). */
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
const currency = z.string().regex(/^[A-Z]{3}$/);
const attributeId = z.string().regex(/^[a-z0-9_.-]{1,100}$/);
/** Attribute id, then value id, to what that value changes. */
const byValue = <T extends z.ZodType>(effect: T) => z.record(attributeId, z.record(attributeId, effect));

const fixedSize = z.object({ widthMm: millimetres, heightMm: millimetres });

const printArea = z.object({
  fileType: z.enum(standardFileTypes),
  required: z.boolean().default(true),
  /** Left out: the size that `sizeAttribute` gives. */
  size: fixedSize.optional(),
  /** The area is there only with one of these values. */
  when: z.object({ attributeId, valueIds: z.array(attributeId).min(1) }).optional(),
});

const packed = z.discriminatedUnion('form', [
  /** Flat goods: the print's size and a margin. */
  z.object({ form: z.literal('flat'), marginMm: millimetres, thicknessMm: millimetres }),
  /** Rolled into a tube along the longer side; several share one. */
  z.object({ form: z.literal('tube'), diameterMm: millimetres, marginMm: millimetres }),
  z.object({ form: z.literal('box'), lengthMm: millimetres, widthMm: millimetres, heightMm: millimetres }),
]);

/**
 * How a product model is made, packed and priced. Money in minor units, lengths in millimetres, weights in grams.
 * Property names that it reads from attribute values: `widthMm` and `heightMm` (of `sizeAttribute`),
 * `landscape: yes` (of `orientationAttribute`), `gsm` (of `paperAttribute`), `min`, `max`, `multipleOf` (custom numbers).
 */
export const productionSpec = z.object({
  kind: z.enum(['print', 'apparel', 'mounted']).default('print'),
  /** Name of the model in partners' production systems; left out: the product model's id. */
  modelUid: z.string().min(1).max(100).optional(),
  productTypeUid: z.string().min(1).max(100).optional(),
  productNameUid: z.string().min(1).max(100).optional(),
  /** What it is as a part of other models. */
  partType: z.enum(['print', 'stock', 'service']).default('print'),
  workflowEnabled: z.boolean().default(false),
  /** Left out: the standard ones of the kind. */
  fileTypes: z.array(z.enum(standardFileTypes)).min(1).optional(),
  sizeAttribute: attributeId.optional(),
  orientationAttribute: attributeId.optional(),
  paperAttribute: attributeId.optional(),
  printAreas: z.array(printArea).default([]),
  /** A book: pages come from the attribute. Left out: as many pages as print areas, or one. */
  pages: z
    .object({
      attributeId,
      multipleOf: z.number().int().min(1).default(1),
      included: z.number().int().min(0).default(0),
      /** Pages of a separate `cover` file. */
      coverPages: z.number().int().min(1).max(100).default(1),
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
  /** Currency to quantity breaks. Empty: not sold by itself, only as a part. */
  priceList: z
    .record(currency, z.array(z.object({ from: z.number().int().min(1), unitMinor: minor })).min(1))
    .default({}),
  priceFactors: byValue(factor).default({}),
  /** Price of each page above `pages.included`, by currency. */
  pagePrices: z.record(currency, minor).default({}),
  /** SKU at partners, for stock parts: `frame-{frame_material}-{paper_format.code}`. */
  partnerSku: z.string().min(1).max(200).optional(),
  unitPriceMinorEur: minor.default(0),
});

export type ProductionSpec = z.output<typeof productionSpec>;
/** The spec as it is written down, defaults left out. */
export type ProductionInput = z.input<typeof productionSpec>;

export interface ProductModel {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly previewUrl: string;
  readonly categoryId: string;
  readonly productUidTemplate: string;
  readonly state: ModelState;
  readonly attributes: readonly ModelAttribute[];
  readonly parts: readonly ModelPart[];
  readonly production: ProductionSpec;
}
