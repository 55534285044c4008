import type { FileFacts } from '../../facts';
import { BLACK, blackOn, type CorpusFile, GOOD_BOXES, pages } from './corpus-file';
import { PdfBuilder, type Reference, SQUARE, sampleFile } from './pdf-builder';

/** Files with text. The programs of embedded fonts are empty: nobody draws them. */

type Font = FileFacts['fonts'][number];

const font = (name: string, type: string, more: Partial<Font> = {}): Font => ({
  pages: pages(1),
  name,
  type,
  embedded: true,
  subset: false,
  ...more,
});

function descriptor(pdf: PdfBuilder, name: string, file: string | null): string {
  const embedded = file === null ? '' : `/${file} ${pdf.flate('no glyphs')}`;
  return `/FontDescriptor << /Type /FontDescriptor /FontName /${name} /Flags 32 /FontBBox [0 0 1000 1000] /ItalicAngle 0
    /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 ${embedded} >>`;
}

const simple = (pdf: PdfBuilder, type: string, name: string, file: string | null): Reference =>
  pdf.add(
    `<< /Type /Font /Subtype /${type} /BaseFont /${name} /FirstChar 65 /LastChar 65 /Widths [600] ${descriptor(pdf, name, file)} >>`,
  );

const composite = (pdf: PdfBuilder, type: string, name: string, file: string | null): Reference =>
  pdf.add(
    `<< /Type /Font /Subtype /Type0 /BaseFont /${name} /Encoding /Identity-H /DescendantFonts [<< /Type /Font /Subtype /${type}
      /BaseFont /${name} /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> ${descriptor(pdf, name, file)} >>] >>`,
  );

const type3 = (pdf: PdfBuilder): Reference => {
  const glyph = pdf.stream('600 0 0 0 500 500 d1 0 0 500 500 re f');
  return pdf.add(
    `<< /Type /Font /Subtype /Type3 /Name /Bitmap /FontBBox [0 0 600 600] /FontMatrix [0.001 0 0 0.001 0 0] /FirstChar 65 /LastChar 65
      /Widths [600] /CharProcs << /A ${glyph} >> /Encoding << /Type /Encoding /Differences [65 /A] >> /Resources << >> >>`,
  );
};

const TEXT = 'BT /F 12 Tf 100 100 Td (A) Tj ET\n';

const withFont = (make: (pdf: PdfBuilder) => Reference, fonts: Font[], content = TEXT): CorpusFile => ({
  make: () => {
    const pdf = new PdfBuilder();
    const resources = `/Font << /F ${make(pdf)} >>`;
    return sampleFile(pdf, { pages: [{ content: SQUARE + content, resources }] });
  },
  facts: { fonts },
});

const HELVETICA = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';
const helvetica = (pdf: PdfBuilder) => pdf.add(HELVETICA);
const HELVETICA_FACT = font('Helvetica', 'Type1', { embedded: false });
const UNUSED = {
  ignores: ['fonts'],
  because: 'pdffonts lists fonts of the resources, also when no visible text uses them',
} as const;

export const fontCases: Readonly<Record<string, CorpusFile>> = {
  'an embedded TrueType font': withFont(
    (pdf) => simple(pdf, 'TrueType', 'Noto', 'FontFile2'),
    [font('Noto', 'TrueType')],
  ),
  'a subset of a TrueType font': withFont(
    (pdf) => simple(pdf, 'TrueType', 'ABCDEF+Noto', 'FontFile2'),
    [font('Noto', 'TrueType', { subset: true })],
  ),
  'an embedded Type 1 font': withFont((pdf) => simple(pdf, 'Type1', 'Minion', 'FontFile'), [font('Minion', 'Type1')]),
  'a standard font that is not embedded': withFont(helvetica, [HELVETICA_FACT]),
  'a TrueType font that is not embedded': withFont(
    (pdf) => simple(pdf, 'TrueType', 'Arial', null),
    [font('Arial', 'TrueType', { embedded: false })],
  ),
  'a composite font': withFont(
    (pdf) => composite(pdf, 'CIDFontType2', 'ABCDEF+NotoSans', 'FontFile2'),
    [font('NotoSans', 'CIDFontType2', { subset: true })],
  ),
  'a composite font that is not embedded': withFont(
    (pdf) => composite(pdf, 'CIDFontType0', 'KozMin', null),
    [font('KozMin', 'CIDFontType0', { embedded: false })],
  ),
  'a Type 3 font': withFont(type3, [font('Bitmap', 'Type3')]),
  'a font of invisible text': { ...withFont(helvetica, [], 'BT 3 Tr /F 12 Tf 9 9 Td (A) Tj ET\n'), poppler: UNUSED },
  'a font of text that clips an image': withFont(
    helvetica,
    [HELVETICA_FACT],
    'q BT 7 Tr /F 12 Tf 100 100 Td (A) Tj ET 100 100 9 9 re f Q\n',
  ),
  'an embedded font in the compact format': withFont(
    (pdf) => simple(pdf, 'Type1', 'ABCDEF+Source', 'FontFile3'),
    [font('Source', 'Type1', { subset: true })],
  ),
  'a font without any entry': {
    ...withFont((pdf) => pdf.add('<< >>'), [font('', 'unknown', { embedded: false })]),
    poppler: { ignores: ['fonts'], because: 'pdffonts guesses the type of a font that has none' },
  },
  'a font in a field that is printed': {
    make: () => {
      const pdf = new PdfBuilder();
      const dict = `/Type /XObject /Subtype /Form /BBox [0 0 99 99] /Resources << /Font << /F ${helvetica(pdf)} >> >>`;
      const form = pdf.stream('BT 0 0 0 1 k /F 12 Tf 9 9 Td (A) Tj ET', dict);
      const field = pdf.add(
        `<< /Type /Annot /Subtype /Widget /F 4 /FT /Tx /T (a) /Rect [0 0 99 99] /AP << /N ${form} >> >>`,
      );
      return sampleFile(pdf, {
        pages: [{ entries: `/Annots [${field}]` }],
        catalog: `/AcroForm << /Fields [${field}] >>`,
      });
    },
    facts: {
      annotations: [{ pages: pages(1), type: 'Widget', printed: true }],
      fonts: [HELVETICA_FACT],
      pdf: { formFields: 1 },
    },
  },
  'a font that is not used': { ...withFont(helvetica, [], 'BT /F 12 Tf ET\n'), poppler: UNUSED },
  'a font that is chosen by a graphics state': {
    make: () => {
      const pdf = new PdfBuilder();
      const state = `/ExtGState << /G << /Font [${helvetica(pdf)} 12] >> >>`;
      return sampleFile(pdf, { pages: [{ content: `${SQUARE}/G gs BT 9 9 Td [(A)] TJ ET`, resources: state }] });
    },
    facts: { fonts: [HELVETICA_FACT] },
    poppler: { ignores: ['fonts'], because: 'pdffonts lists fonts of the resources only' },
  },
  'text with an outline': {
    ...withFont(helvetica, [HELVETICA_FACT], 'BT 2 Tr 1 0 0 RG /F 12 Tf 100 100 Td (A) Tj ET\n'),
    facts: {
      fonts: [HELVETICA_FACT],
      colors: [BLACK, { ...BLACK, model: 'rgb', space: 'DeviceRGB', maxInkPercent: null }],
    },
  },
  'a font in a form on the last page only': {
    pageCount: 2,
    make: () => {
      const pdf = new PdfBuilder();
      const dict = `/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /Font << /F ${helvetica(pdf)} >> >>`;
      const resources = `/XObject << /Form ${pdf.stream(`0 0 0 1 k ${TEXT}`, dict)} >>`;
      return sampleFile(pdf, { pages: [{}, { content: `${SQUARE}/Form Do`, resources }] });
    },
    facts: {
      boxes: [{ ...GOOD_BOXES, pages: pages(2) }],
      colors: [blackOn(2)],
      fonts: [{ ...HELVETICA_FACT, pages: pages(1, 2) }],
    },
  },
};
