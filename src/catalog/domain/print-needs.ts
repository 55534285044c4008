import { z } from 'zod';

/** Colours that a print area may allow. */
const PRINT_COLORS = ['gray', 'rgb', 'cmyk', 'lab', 'spot'] as const;

/**
 * How an image of another shape is scaled to its print area: whole inside of it, over all of it with two sides cut, or distorted.
 */
export const FIT_METHODS = ['contain', 'cover', 'stretch'] as const;
export type FitMethod = (typeof FIT_METHODS)[number];

const dpi = z.int().min(1).max(10_000);

/** What a print area needs of its file. Lengths in millimetres. */
export const printNeeds = z
  .object({
    bleedMm: z.number().min(0).max(100).describe('Artwork beyond the trim on every side.'),
    safeMarginMm: z.number().min(0).max(100).describe('Distance from the trim that text should keep.'),
    leastDpi: dpi.describe('A lower resolution is an error.'),
    warningDpi: dpi.describe('A lower resolution is a warning.'),
    colors: z
      .array(z.enum(PRINT_COLORS))
      .min(1)
      .max(PRINT_COLORS.length)
      .describe('Colours that are printed as they are.'),
    maxInkPercent: z.int().min(1).max(400).describe('Highest sum of the four inks.'),
    transparency: z.boolean().describe('False: transparency is an error.'),
    overprint: z.boolean().describe('False: overprint is a warning.'),
    otherSize: z.boolean().describe('True: a page may have another size than the area. It is not cut to it.'),
    turned: z.boolean().describe('True: a page may be turned by 90 degrees. False: it is an error.'),
    fitMethod: z
      .enum(FIT_METHODS)
      .describe('How an image is scaled to the area with its bleed: whole inside of it, over all of it, or distorted.'),
  })
  .meta({ id: 'PrintNeeds' });
export type PrintNeeds = z.output<typeof printNeeds>;

const PAPER: PrintNeeds = {
  bleedMm: 3,
  safeMarginMm: 3,
  leastDpi: 75,
  warningDpi: 150,
  colors: ['gray', 'rgb', 'cmyk'],
  maxInkPercent: 330,
  transparency: true,
  overprint: true,
  otherSize: false,
  turned: true,
  fitMethod: 'cover',
};
/** Nothing is trimmed on them. */
const OBJECT: PrintNeeds = { ...PAPER, bleedMm: 0, safeMarginMm: 0, otherSize: true, fitMethod: 'contain' };

/** What a print area needs by default, by family of products. */
export const NEEDS_OF_FAMILIES = {
  flat: PAPER,
  book: { ...PAPER, safeMarginMm: 5 },
  mounted: { ...PAPER, safeMarginMm: 5 },
  apparel: OBJECT,
  workflow: OBJECT,
} as const satisfies Record<string, PrintNeeds>;

/** Returns what a print area of a product needs when its model says nothing else. */
export function defaultNeeds(product: {
  readonly kind: 'print' | 'apparel' | 'mounted';
  readonly workflowEnabled: boolean;
  readonly isBook: boolean;
}): PrintNeeds {
  const { kind, workflowEnabled, isBook } = product;
  const family = workflowEnabled ? 'workflow' : kind !== 'print' ? kind : isBook ? 'book' : 'flat';
  return NEEDS_OF_FAMILIES[family];
}
