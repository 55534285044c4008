import type { FileFacts } from '../../facts';
import { blackOn, type CorpusFile, GOOD_BOXES, pages } from './corpus-file';
import { BOXES, PdfBuilder, SQUARE, sampleFile } from './pdf-builder';

/** Files whose pages have other boxes. */

type Boxes = FileFacts['boxes'][number];

const onePage = (boxes: string, facts: Partial<Boxes>, poppler?: CorpusFile['poppler']): CorpusFile => ({
  make: () => sampleFile(new PdfBuilder(), { pages: [{ boxes }] }),
  facts: { boxes: [{ ...GOOD_BOXES, ...facts }] },
  ...(poppler && { poppler }),
});

const A6_BOXES = '/MediaBox [0 0 298 420]';
const A6 = { mediaBox: [0, 0, 298, 420], cropBox: [0, 0, 298, 420], bleedBox: null, trimBox: null };

/** Many pages share the same content, so that the file stays small. */
function manyPages(count: number, lastBoxes = BOXES): Buffer {
  const pdf = new PdfBuilder();
  const content = pdf.stream(SQUARE);
  const [root, ...groups] = Array.from({ length: 1 + Math.ceil(count / 100) }, () => pdf.reserve());
  for (const [index, group] of groups.entries()) {
    const kids = Array.from({ length: Math.min(100, count - index * 100) }, (_, kid) => {
      const boxes = index * 100 + kid === count - 1 ? lastBoxes : BOXES;
      return pdf.add(`<< /Type /Page /Parent ${group} ${boxes} /Contents ${content} >>`);
    });
    pdf.add(`<< /Type /Pages /Parent ${root} /Count ${kids.length} /Kids [${kids.join(' ')}] >>`, group);
  }
  pdf.add(`<< /Type /Pages /Count ${count} /Kids [${groups.join(' ')}] >>`, root);
  return pdf.file(pdf.add(`<< /Type /Catalog /Pages ${root} >>`), { layout: 'stream' });
}

/** Two levels of the page tree have attributes, and one page has its own. */
function inheritance(): Buffer {
  const pdf = new PdfBuilder();
  const [root, group] = [pdf.reserve(), pdf.reserve()];
  const content = pdf.stream(SQUARE);
  const page = (entries: string) => pdf.add(`<< /Type /Page /Parent ${group} /Contents ${content} ${entries} >>`);
  const kids = [page('/TrimBox [10 10 290 390]'), page('/TrimBox [10 10 290 390] /Rotate 0 /MediaBox [0 0 300 400]')];
  pdf.add(`<< /Type /Pages /Parent ${root} /Count 2 /Kids [${kids.join(' ')}] /CropBox [5 5 295 395] >>`, group);
  pdf.add(`<< /Type /Pages /Count 2 /Kids [${group}] /MediaBox [0 0 400 500] /Rotate 90 >>`, root);
  return pdf.file(pdf.add(`<< /Type /Catalog /Pages ${root} >>`));
}

export const pageCases: Readonly<Record<string, CorpusFile>> = {
  'a good file': { make: () => sampleFile(new PdfBuilder()), facts: {} },
  'a page without bleed': onePage('/MediaBox [0 0 600 800] /TrimBox [0 0 600 800]', {
    bleedBox: null,
    trimBox: [0, 0, 600, 800],
  }),
  'a page without a trim box': onePage('/MediaBox [0 0 600 800]', { bleedBox: null, trimBox: null }),
  'a crop box inside the media box': onePage(`${BOXES} /CropBox [10 10 590 790]`, { cropBox: [10, 10, 590, 790] }),
  'a crop box outside the media box': onePage(`${BOXES} /CropBox [-50 -50 700 900]`, { cropBox: [0, 0, 600, 800] }),
  'boxes with swapped corners': onePage('/MediaBox [600 800 0 0] /BleedBox [0 800 600 0] /TrimBox [590 10 10 790]', {}),
  'boxes left of and below the origin': onePage('/MediaBox [-300 -400 300 400] /TrimBox [-290 -390 290 390]', {
    mediaBox: [-300, -400, 300, 400],
    cropBox: [-300, -400, 300, 400],
    bleedBox: null,
    trimBox: [-290, -390, 290, 390],
  }),
  'boxes with fractions': onePage('/MediaBox [0 0 595.2756 841.8898] /TrimBox [0.5 .5 594.7756 841.3898]', {
    mediaBox: [0, 0, 595.276, 841.89],
    cropBox: [0, 0, 595.276, 841.89],
    bleedBox: null,
    trimBox: [0.5, 0.5, 594.776, 841.39],
  }),
  'a page rotated by 90 degrees': onePage(`${BOXES} /Rotate 90`, { rotation: 90 }),
  'a page rotated by -90 degrees': onePage(`${BOXES} /Rotate -90`, { rotation: 270 }),
  'a page rotated by 540 degrees': onePage(`${BOXES} /Rotate 540`, { rotation: 180 }),
  'a page with a user unit': onePage(`${BOXES} /UserUnit 2.5`, { userUnit: 2.5 }),
  'a page without a media box': onePage('', {
    mediaBox: [0, 0, 612, 792],
    cropBox: [0, 0, 612, 792],
    bleedBox: null,
    trimBox: null,
  }),
  'boxes that are objects of their own': {
    make: () => {
      const pdf = new PdfBuilder();
      const [media, side] = [pdf.add('[0 0 600 800]'), pdf.add('590')];
      return sampleFile(pdf, {
        pages: [{ boxes: `/MediaBox ${media} /BleedBox ${media} /TrimBox [10 10 ${side} 790]` }],
      });
    },
    facts: {},
  },
  'a media box of the page tree': {
    make: () => sampleFile(new PdfBuilder(), { pages: [{ boxes: '' }], tree: '/MediaBox [0 0 600 800] /Rotate 270' }),
    facts: { boxes: [{ ...GOOD_BOXES, bleedBox: null, trimBox: null, rotation: 270 }] },
  },
  'attributes of several levels of the page tree': {
    pageCount: 2,
    make: inheritance,
    facts: {
      boxes: [
        {
          pages: pages(1),
          mediaBox: [0, 0, 400, 500],
          cropBox: [5, 5, 295, 395],
          bleedBox: null,
          trimBox: [10, 10, 290, 390],
          rotation: 90,
          userUnit: 1,
        },
        {
          pages: pages(1, 2),
          mediaBox: [0, 0, 300, 400],
          cropBox: [5, 5, 295, 395],
          bleedBox: null,
          trimBox: [10, 10, 290, 390],
          rotation: 0,
          userUnit: 1,
        },
      ],
      colors: [blackOn(2)],
    },
  },
  'a last page of another size': {
    pageCount: 3,
    make: () => sampleFile(new PdfBuilder(), { pages: [{}, {}, { boxes: A6_BOXES }] }),
    facts: {
      boxes: [
        { ...GOOD_BOXES, pages: pages(2) },
        { ...GOOD_BOXES, ...A6, pages: pages(1, 3) },
      ],
      colors: [blackOn(3)],
    },
  },
  'pages that alternate between two sizes': {
    pageCount: 4,
    make: () => sampleFile(new PdfBuilder(), { pages: [{}, { boxes: A6_BOXES }, {}, { boxes: A6_BOXES }] }),
    facts: {
      boxes: [
        { ...GOOD_BOXES, pages: { count: 2, ranges: [1, 3].map((page) => ({ from: page, to: page })) } },
        { ...GOOD_BOXES, ...A6, pages: { count: 2, ranges: [2, 4].map((page) => ({ from: page, to: page })) } },
      ],
      colors: [blackOn(4)],
    },
  },
  '5,000 pages': {
    pageCount: 5_000,
    make: () => manyPages(5_000),
    facts: { boxes: [{ ...GOOD_BOXES, pages: pages(5_000) }], colors: [blackOn(5_000)] },
  },
  '5,000 pages, the last of another size': {
    pageCount: 5_000,
    make: () => manyPages(5_000, A6_BOXES),
    facts: {
      boxes: [
        { ...GOOD_BOXES, pages: pages(4_999) },
        { ...GOOD_BOXES, ...A6, pages: pages(1, 5_000) },
      ],
      colors: [blackOn(5_000)],
    },
  },
};
