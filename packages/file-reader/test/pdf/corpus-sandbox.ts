import { PRINT_FILES, printFile } from '../../../../sandbox/files/print-files';
import { BLACK, type CorpusFile, pages } from './corpus-file';

/** The PDF files of the sandbox, which are made by pdfkit. */

const BLEED_MM = 3;
const points = (mm: number) => Math.round((mm / 25.4) * 72 * 1000) / 1000;

const font = (name: string, count: number) => ({
  pages: pages(count),
  name,
  type: 'CIDFontType2',
  embedded: true,
  subset: true,
});

function sandboxFile(name: string, sizeMm: readonly [number, number], pageCount = 1, bleedMm = BLEED_MM): CorpusFile {
  const [width, height] = sizeMm.map((side) => points(side + 2 * bleedMm)) as [number, number];
  const sheet = [0, 0, width, height];
  const bleed = points(bleedMm);
  // pdfkit writes boxes from the top, and the trim is as far from the top as from the bottom.
  const trim = [bleed, bleed, points(sizeMm[0] + bleedMm), points(sizeMm[1] + bleedMm)];
  const hasBleed = bleedMm > 0;
  return {
    pageCount,
    make: async () => Buffer.from((await printFile(name))!.data),
    facts: {
      pdf: { version: '1.3' },
      boxes: [
        {
          pages: pages(pageCount),
          mediaBox: sheet,
          cropBox: sheet,
          bleedBox: hasBleed ? sheet : null,
          trimBox: hasBleed ? trim : null,
          rotation: 0,
          userUnit: 1,
        },
      ],
      colors: [{ ...BLACK, pages: pages(pageCount), model: 'rgb', space: 'DeviceRGB', maxInkPercent: null }],
      fonts: [font('NotoSans-Bold', 1), font('NotoSans-Regular', pageCount)],
    },
  };
}

const SIZES: Readonly<Record<string, readonly [widthMm: number, heightMm: number, pages?: number]>> = {
  'poster-a4.pdf': [210, 297],
  'poster-a3.pdf': [297, 420],
  'poster-a2.pdf': [420, 594],
  'poster-30x40.pdf': [300, 400],
  'poster-50x70.pdf': [500, 700],
  'card-a6.pdf': [105, 148],
  'card-a5.pdf': [148, 210],
  'card-dl.pdf': [99, 210],
  'photo-book-a4.pdf': [210, 297, 24],
  'photo-book-a5.pdf': [148, 210, 24],
  'photo-book-21x21.pdf': [210, 210, 24],
};

export const SANDBOX_PDFS = Object.keys(PRINT_FILES).filter((name) => name.endsWith('.pdf'));

export const sandboxCases: Readonly<Record<string, CorpusFile>> = {
  ...Object.fromEntries(
    Object.entries(SIZES).map(([name, [width, height, count]]) => [
      `${name} of the sandbox`,
      sandboxFile(name, [width, height], count),
    ]),
  ),
  'packing-slip.pdf of the sandbox': sandboxFile('packing-slip.pdf', [210, 297], 1, 0),
};
