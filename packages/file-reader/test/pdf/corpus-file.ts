import type { FileFacts } from '../../facts';

/** What poppler's tools tell about a file. `file`: all of it. */
export type PopplerPart = 'file' | 'boxes' | 'images' | 'fonts' | 'form' | 'scripts';

/** A file of the corpus: every file differs from a good one in one thing, or in a few that belong together. */
export interface CorpusFile {
  readonly pageCount?: number;
  /** True for a file that PDFium refuses, so that no order has it. */
  readonly isRefused?: true;
  readonly make: () => Buffer | Promise<Buffer>;
  /** What is measured otherwise than in the good file. Lists are compared as a whole. */
  readonly facts: Partial<Omit<FileFacts, 'pdf'>> & { readonly pdf?: Partial<FileFacts['pdf'] & object> };
  /** What poppler 22.12 reports otherwise, with the reason. */
  readonly poppler?: { readonly ignores: readonly PopplerPart[]; readonly because: string };
}

/** Returns an entry's pages 1 to `count`, or `from` to `to`. */
export const pages = (count: number, from = 1) => ({ count, ranges: [{ from, to: from + count - 1 }] });

export const BLACK: FileFacts['colors'][number] = {
  pages: pages(1),
  model: 'cmyk',
  space: 'DeviceCMYK',
  profile: null,
  colorants: [],
  maxInkPercent: 100,
};

export const color = (
  model: FileFacts['colors'][number]['model'],
  space: string,
  more: Partial<FileFacts['colors'][number]> = {},
): FileFacts['colors'][number] => ({ ...BLACK, model, space, maxInkPercent: null, ...more });
export const RGB = color('rgb', 'DeviceRGB');

/** An image of 100 pixels. On 72 points it has 100 dpi. */
export const placed = (dpi: number, more: Partial<FileFacts['images'][number]> = {}): FileFacts['images'][number] => ({
  pages: pages(1),
  count: 1,
  kind: 'image',
  color: 'DeviceRGB',
  dpi,
  widthPx: 100,
  heightPx: 100,
  ...more,
});

/** The black square on a number of pages. */
export const blackOn = (count: number) => ({ ...BLACK, pages: pages(count) });

export const GOOD_BOXES: FileFacts['boxes'][number] = {
  pages: pages(1),
  mediaBox: [0, 0, 600, 800],
  cropBox: [0, 0, 600, 800],
  bleedBox: [0, 0, 600, 800],
  trimBox: [10, 10, 590, 790],
  rotation: 0,
  userUnit: 1,
};

/** Facts of a good file: one page with boxes, and a black square. */
export const GOOD: FileFacts = {
  complete: true,
  problem: null,
  pdf: {
    version: '1.6',
    standards: [],
    outputIntent: null,
    encrypted: false,
    repaired: false,
    javaScript: false,
    attachments: 0,
    formFields: 0,
    xfa: false,
    layers: [],
  },
  image: null,
  boxes: [GOOD_BOXES],
  images: [],
  damagedImages: [],
  colors: [BLACK],
  fonts: [],
  effects: [],
  annotations: [],
};

/** Returns all facts of a file of the corpus. */
export function factsOf({ facts }: CorpusFile): FileFacts {
  return { ...GOOD, ...facts, pdf: { ...GOOD.pdf!, ...facts.pdf } };
}
