import { z } from 'zod';

/** Properties of a file, read from its content. */
export interface FileProperties {
  /** Number of pages of a PDF. 1 for an image. */
  readonly pageCount: number;
  /** Size of an image in pixels, after the rotation of its EXIF orientation. Null for a PDF. */
  readonly widthPx: number | null;
  readonly heightPx: number | null;
  /** Size of the first page of a PDF in millimetres. Null for an image. */
  readonly widthMm: number | null;
  readonly heightMm: number | null;
}

/**
 * What is measured in a print file. Facts that several pages share are one entry with its pages, so that the facts of a long
 * book are short.
 */

/** Entries of each list at most. The entries that matter most for print come first. */
export const MAX_FACTS = 40;
/** Page ranges of an entry at most. */
export const MAX_RANGES = 10;

const pages = z
  .object({
    count: z.int(),
    ranges: z.array(z.object({ from: z.int(), to: z.int() })).describe(`The first ${MAX_RANGES} ranges of pages.`),
  })
  .meta({ id: 'FilePages' });

const box = z
  .array(z.number())
  .length(4)
  .describe('Left, bottom, right and top in points, before rotation and user unit.');

const pageBoxes = z.object({
  pages,
  mediaBox: box,
  cropBox: box.describe('The media box when the page has no crop box.'),
  bleedBox: box.nullable(),
  trimBox: box.nullable(),
  rotation: z.union([z.literal(0), z.literal(90), z.literal(180), z.literal(270)]).describe('Clockwise, in degrees.'),
  userUnit: z.number().describe('Size of a unit of the boxes, in points.'),
});

/** Smaller images are parts of drawings, such as a line or a step of a gradient (as in the specifications of GWG). */
const LEAST_SIDE_PX = 17;

/** Returns true for an image whose resolution does not matter. It shares no entry with others. */
export const isPartOfDrawing = (widthPx: number, heightPx: number) => Math.min(widthPx, heightPx) < LEAST_SIDE_PX;

const placedImage = z.object({
  pages,
  count: z.int().describe('How often an image of this kind, colour and resolution is placed.'),
  kind: z
    .enum(['image', 'mask', 'inline'])
    .describe('`mask`: a stencil for a colour. `inline`: inside the page content.'),
  color: z.string().describe('Colour space.'),
  dpi: z.int().describe('Pixels for each inch on paper, in the coarser direction, rounded down.'),
  widthPx: z.int().describe('Of the first of these images.'),
  heightPx: z.int(),
});

/** `unknown`: a JPEG 2000 image does not tell its colours. */
const COLOR_MODELS = ['gray', 'rgb', 'cmyk', 'lab', 'spot', 'unknown'] as const;

const damagedImage = z.object({ pages, damage: z.string().describe('Why it cannot be drawn whole.') });

const color = z.object({
  pages,
  model: z.enum(COLOR_MODELS),
  space: z.string().describe('Family of the colour space, as PDF names it, such as `DeviceRGB`.'),
  profile: z.string().nullable().describe('Description of the ICC profile.'),
  colorants: z.array(z.string()).describe('Names of spot colours.'),
  maxInkPercent: z.number().nullable().describe('Highest sum of the inks of drawn CMYK colours. Images do not count.'),
});

const font = z.object({
  pages,
  name: z.string(),
  type: z.string().describe('Such as `TrueType`, `Type1`, `Type3`, `CIDFontType2`.'),
  embedded: z.boolean(),
  subset: z.boolean(),
});

/** Effects of drawn objects. */
export const EFFECTS = ['alpha', 'soft_mask', 'blend_mode', 'overprint'] as const;

const pdf = z.object({
  version: z.string(),
  standards: z.array(z.string()).describe('Standards that the file claims, such as `PDF/X-4`.'),
  outputIntent: z.string().nullable().describe('The printing condition that the file is made for.'),
  encrypted: z.boolean(),
  repaired: z.boolean().describe('The cross-reference table is damaged. Objects were found by a search.'),
  javaScript: z.boolean(),
  attachments: z.int(),
  formFields: z.int(),
  xfa: z.boolean().describe('A form whose pages are made by the program that opens it.'),
  layers: z.array(z.object({ name: z.string(), visible: z.boolean() })),
});

const image = z.object({
  widthPx: z.int().describe('As stored, before the rotation of its EXIF orientation.'),
  heightPx: z.int(),
  orientation: z.int().min(1).max(8).describe('EXIF orientation.'),
  dpi: z.number().nullable().describe('The resolution that the file names. Null: none.'),
  model: z.enum(COLOR_MODELS),
  profile: z.string().nullable().describe('Description of the ICC profile.'),
  alpha: z.boolean(),
  animated: z.boolean().describe('The image is the first or default one of several.'),
});

export const fileFactsSchema = z
  .object({
    complete: z.boolean().describe('False when a part of the file could not be measured.'),
    problem: z.string().nullable().describe('Why the facts are not complete.'),
    pdf: pdf.nullable().describe('Null for an image, and when the structure of the file cannot be read.'),
    image: image.nullable().describe('Null for a PDF.'),
    boxes: z.array(pageBoxes),
    images: z.array(placedImage).describe('Images on the pages. The coarsest come first.'),
    damagedImages: z.array(damagedImage).describe('Each image counts on the first page that has it.'),
    colors: z.array(color),
    fonts: z.array(font).describe('Fonts of visible text. Those that are not embedded come first.'),
    effects: z.array(z.object({ pages, effect: z.enum(EFFECTS) })),
    annotations: z.array(z.object({ pages, type: z.string(), printed: z.boolean() })),
  })
  .meta({ id: 'FileFacts' });

export type FileFacts = z.infer<typeof fileFactsSchema>;
export type PageSet = z.infer<typeof pages>;
export type PageBoxes = z.infer<typeof pageBoxes>;
export type ColorModel = (typeof COLOR_MODELS)[number];
export type Effect = (typeof EFFECTS)[number];

/** Returns facts that say only why nothing was measured. */
export function unmeasured(problem: string): FileFacts {
  const lists = { boxes: [], images: [], damagedImages: [], colors: [], fonts: [], effects: [], annotations: [] };
  return { complete: false, problem, pdf: null, image: null, ...lists };
}

/** Longest text in facts, in code points. */
const MAX_TEXT = 200;

/** Returns facts whose texts are bounded, and have neither U+0000 nor half of a surrogate pair, which no database takes. */
export function cleanFacts(facts: FileFacts): FileFacts {
  const clean = (part: unknown): unknown => {
    if (typeof part === 'string') {
      const text = [...part.slice(0, 2 * MAX_TEXT)].slice(0, MAX_TEXT).join('');
      return text.toWellFormed().replaceAll('\0', '\ufffd');
    }
    if (Array.isArray(part)) return part.map(clean);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, clean(member)]));
  };
  return clean(facts) as FileFacts;
}
