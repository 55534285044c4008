import { deflateSync } from 'node:zlib';
import { BLACK, type CorpusFile, color, GOOD_BOXES, pages, placed, RGB } from './corpus-file';
import { BOXES, imageObject, PdfBuilder, SQUARE, sampleFile } from './pdf-builder';

/** Files that are made to exhaust or confuse those who read them. Each has facts. */

const content =
  (text: string | Buffer): (() => Buffer) =>
  () =>
    sampleFile(new PdfBuilder(), { pages: [{ content: text }] });

/** A page with these resources behind the black square. */
const withResources = (
  text: string,
  resources: (pdf: PdfBuilder) => string,
  facts: CorpusFile['facts'] = {},
): CorpusFile => ({
  make: () => {
    const pdf = new PdfBuilder();
    return sampleFile(pdf, { pages: [{ content: SQUARE + text, resources: resources(pdf) }] });
  },
  facts,
});

const FORM = '/Type /XObject /Subtype /Form /BBox [0 0 600 800]';

/** A file whose catalog has these entries. */
const withCatalog = (catalog: (pdf: PdfBuilder) => string, facts: CorpusFile['facts'] = {}): CorpusFile => ({
  make: () => {
    const pdf = new PdfBuilder();
    return sampleFile(pdf, { catalog: catalog(pdf) });
  },
  facts,
});

const repeated = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index)).join(' ');

/** A name of a layer as UTF-16 text. */
const utf16 = (text: string) => `<feff${Buffer.from(text, 'utf16le').swap16().toString('hex')}>`;

const layers = (...names: string[]) =>
  withCatalog((pdf) => {
    const groups = names.map((name) => pdf.add(`<< /Type /OCG /Name ${name} >>`));
    return `/OCProperties << /OCGs [${groups.join(' ')}] /D << /Order [] >> >>`;
  });

export const hostileCases: Readonly<Record<string, CorpusFile>> = {
  'two forms that paint each other': withResources(
    '/A Do\n',
    (pdf) => {
      const [a, b] = [pdf.reserve(), pdf.reserve()];
      const both = `/Resources << /XObject << /A ${a} /B ${b} >> >>`;
      pdf.stream(`${SQUARE}/B Do`, `${FORM} ${both}`, a);
      pdf.stream('1 0 0 rg 0 0 9 9 re f /A Do', `${FORM} ${both}`, b);
      return `/XObject << /A ${a} >>`;
    },
    { colors: [BLACK, RGB] },
  ),
  'a hundred forms inside each other': withResources('/F Do\n', (pdf) => {
    let form = pdf.stream('1 0 0 rg 0 0 9 9 re f', FORM);
    for (let level = 0; level < 100; level += 1)
      form = pdf.stream('/F Do', `${FORM} /Resources << /XObject << /F ${form} >> >>`);
    return `/XObject << /F ${form} >>`;
  }),
  'a pattern that is painted with itself': withResources('/Pattern cs /P scn 0 0 9 9 re f\n', (pdf) => {
    const pattern = pdf.reserve();
    pdf.stream(
      `/Pattern cs /P scn 0 0 9 9 re f`,
      `/PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 9 9] /XStep 9 /YStep 9 /Resources << /Pattern << /P ${pattern} >> >>`,
      pattern,
    );
    return `/Pattern << /P ${pattern} >>`;
  }),
  'an image that is its own soft mask': withResources(
    'q 72 0 0 72 0 0 cm /I Do Q\n',
    (pdf) => {
      const image = pdf.reserve();
      const dict = `/Type /XObject /Subtype /Image /Width 10 /Height 10 /BitsPerComponent 8 /ColorSpace /DeviceGray /SMask ${image}`;
      pdf.stream(Buffer.alloc(100), dict, image);
      return `/XObject << /I ${image} >>`;
    },
    {
      images: [placed(10, { color: 'DeviceGray', widthPx: 10, heightPx: 10 })],
      colors: [BLACK, color('gray', 'DeviceGray')],
      effects: [{ pages: pages(1), effect: 'soft_mask' }],
    },
  ),
  'a content that is a cycle of references': {
    make: () => {
      const pdf = new PdfBuilder();
      const [a, b] = [pdf.reserve(), pdf.reserve()];
      pdf.add(b, a);
      pdf.add(a, b);
      return sampleFile(pdf, {
        pages: [{ entries: `/Annots ${a}` }],
        catalog: `/Names ${b} /AcroForm ${a} /OCProperties ${b}`,
      });
    },
    facts: {},
    poppler: { ignores: ['boxes'], because: 'pdfinfo tells no boxes of a page whose annotations are damaged' },
  },
  'states that are saved a hundred thousand times': { make: content(`${'q '.repeat(100_000)}${SQUARE}`), facts: {} },
  'states that are restored and never saved': { make: content(`${'Q '.repeat(100_000)}${SQUARE}`), facts: {} },
  'arrays in a content that are nested a hundred thousand times': {
    make: content(`${SQUARE}${'['.repeat(100_000)} 1 ${']'.repeat(100_000)} TJ\n`),
    facts: { fonts: [] },
  },
  'dictionaries in a content that are never closed': {
    make: content(`${SQUARE}${'/A << '.repeat(50_000)}`),
    facts: {},
  },
  'an operator with a million operands': {
    make: content(`${SQUARE}${'0 '.repeat(1_000_000)} 1 k 0 0 9 9 re f\n`),
    facts: {},
  },
  'numbers that are no numbers': {
    make: content(`${SQUARE}--1 .-. 1e9 99999999999999999999999999999999 -.- 1..2 cm 0 0 0 +1 k 0 0 9 9 re f\n`),
    facts: {},
  },
  'an inline image without an end': {
    make: content(`${SQUARE}q 9 0 0 9 0 0 cm BI /W 9 /H 9 /CS /RGB /BPC 8 ID xxx`),
    facts: { images: [placed(72, { kind: 'inline', widthPx: 9, heightPx: 9 })], colors: [BLACK, RGB] },
  },
  'an image without area, and one of endless size': {
    ...withResources(
      `q 0 0 0 0 9 9 cm /I Do Q q ${'9'.repeat(400)} 0 0 1 0 0 cm /I Do Q\n`,
      (pdf) => `/XObject << /I ${imageObject(pdf, 10, 10)} >>`,
    ),
    poppler: { ignores: ['images'], because: 'pdfimages lists images that cannot be seen' },
  },
  'content that is a thousand times as large as the file': {
    make: () => {
      const pdf = new PdfBuilder();
      const page = pdf.reserve();
      const parent = pdf.reserve();
      const bomb = pdf.flate(SQUARE + ' '.repeat(20_000_000));
      pdf.add(`<< /Type /Page /Parent ${parent} ${BOXES} /Contents ${bomb} >>`, page);
      pdf.add(`<< /Type /Pages /Count 1 /Kids [${page}] >>`, parent);
      return pdf.file(pdf.add(`<< /Type /Catalog /Pages ${parent} >>`));
    },
    facts: {},
  },
  'content that is compressed four times': {
    make: () => {
      const pdf = new PdfBuilder();
      let bytes = Buffer.from(SQUARE + ' '.repeat(10_000_000));
      for (let time = 0; time < 4; time += 1) bytes = deflateSync(bytes);
      const parent = pdf.reserve();
      const filters = '/Filter [/FlateDecode /FlateDecode /FlateDecode /FlateDecode]';
      const page = pdf.add(`<< /Type /Page /Parent ${parent} ${BOXES} /Contents ${pdf.stream(bytes, filters)} >>`);
      pdf.add(`<< /Type /Pages /Count 1 /Kids [${page}] >>`, parent);
      return pdf.file(pdf.add(`<< /Type /Catalog /Pages ${parent} >>`));
    },
    facts: {},
  },
  'content of ten thousand references to one stream': {
    make: () => {
      const pdf = new PdfBuilder();
      const parent = pdf.reserve();
      const stream = pdf.stream(SQUARE);
      const page = pdf.add(
        `<< /Type /Page /Parent ${parent} ${BOXES} /Contents [${repeated(10_000, () => stream)}] >>`,
      );
      pdf.add(`<< /Type /Pages /Count 1 /Kids [${page}] >>`, parent);
      return pdf.file(pdf.add(`<< /Type /Catalog /Pages ${parent} >>`));
    },
    facts: {},
  },
  'a content that is missing': {
    make: () => {
      const pdf = new PdfBuilder();
      const parent = pdf.reserve();
      const page = pdf.add(`<< /Type /Page /Parent ${parent} ${BOXES} /Contents 999 0 R /Resources 998 0 R >>`);
      pdf.add(`<< /Type /Pages /Count 1 /Kids [${page}] >>`, parent);
      return pdf.file(pdf.add(`<< /Type /Catalog /Pages ${parent} >>`));
    },
    facts: { colors: [], complete: false, problem: 'page 1 cannot be read' },
  },
  'objects that are nested four hundred times': withCatalog(
    () => `/Deep ${'[ << /A '.repeat(200)} 1 ${'>> ]'.repeat(200)}`,
  ),
  'a box of a hundred thousand numbers': {
    make: () => sampleFile(new PdfBuilder(), { pages: [{ boxes: `${BOXES} /CropBox [${'1 '.repeat(100_000)}]` }] }),
    facts: {},
  },
  'boxes of words, of no area and of endless size': {
    make: () =>
      sampleFile(new PdfBuilder(), {
        pages: [
          {
            boxes:
              '/MediaBox [0 0 600 800] /CropBox [/A (b) null true] /BleedBox [5 5 5 900] /TrimBox [1 2 3] /UserUnit -3 /Rotate (x)',
          },
        ],
      }),
    facts: { boxes: [{ ...GOOD_BOXES, bleedBox: null, trimBox: null }] },
    poppler: { ignores: ['boxes'], because: 'pdfinfo tells a box without area' },
  },
  'a page tree in which a branch contains the root': {
    make: () => {
      const pdf = new PdfBuilder();
      const [root, branch] = [pdf.reserve(), pdf.reserve()];
      const page = pdf.add(`<< /Type /Page /Parent ${branch} ${BOXES} /Contents ${pdf.stream(SQUARE)} >>`);
      pdf.add(`<< /Type /Pages /Parent ${root} /Count 1 /Kids [${page} ${root}] >>`, branch);
      pdf.add(`<< /Type /Pages /Count 1 /Kids [${branch}] >>`, root);
      return pdf.file(pdf.add(`<< /Type /Catalog /Pages ${root} >>`));
    },
    facts: {},
  },
  'a tree of names and a tree of fields that contain themselves': {
    ...withCatalog(
      (pdf) => {
        const [names, fields] = [pdf.reserve(), pdf.reserve()];
        pdf.add(`<< /Kids [${names} ${names}] /Names [(a) << /F (a) >>] >>`, names);
        pdf.add(`<< /T (a) /Kids [${fields}] >>`, fields);
        return `/Names << /EmbeddedFiles ${names} >> /AcroForm << /Fields [${fields}] >>`;
      },
      { pdf: { attachments: 1 } },
    ),
    poppler: { ignores: ['form'], because: 'pdfinfo does not look at the fields of a form' },
  },
  'an action that follows itself': withCatalog((pdf) => {
    const action = pdf.reserve();
    pdf.add(`<< /S /GoTo /Next [${action} ${action}] >>`, action);
    return `/OpenAction ${action}`;
  }),
  'layers with half of a surrogate pair, and with null characters, in their names': {
    ...layers(utf16('\ud800 Proof'), utf16('a\0b')),
    facts: {
      pdf: {
        layers: [
          { name: '\ufffd Proof', visible: true },
          { name: 'a\ufffdb', visible: true },
        ],
      },
    },
  },
  'a spot colour whose name is no text': withResources(
    '/S cs 1 scn 0 0 9 9 re f\n',
    () => '/ColorSpace << /S [/Separation /#ff#fe#00#d8 /DeviceCMYK << /FunctionType 2 /Domain [0 1] /N 1 >>] >>',
    { colors: [BLACK, color('spot', 'Separation', { colorants: ['\ufffd'.repeat(4)] })] },
  ),
  'colour spaces inside each other': withResources('/S cs 1 sc 0 0 9 9 re f\n', (pdf) => {
    let space: string = '/DeviceRGB';
    for (let level = 0; level < 50; level += 1) space = pdf.add(`[/Indexed ${space} 1 <00ff>]`);
    return `/ColorSpace << /S ${space} >>`;
  }),
  'a profile that is much larger than the file': withResources(
    '/P cs 1 0 0 scn 0 0 9 9 re f\n',
    (pdf) => `/ColorSpace << /P [/ICCBased ${pdf.flate(Buffer.alloc(20_000_000), '/N 3')}] >>`,
    { colors: [BLACK, color('rgb', 'ICCBased')] },
  ),
  'an annotation whose appearance paints itself': {
    make: () => {
      const pdf = new PdfBuilder();
      const form = pdf.reserve();
      pdf.stream('/A Do 1 0 0 rg 0 0 9 9 re f', `${FORM} /Resources << /XObject << /A ${form} >> >>`, form);
      const note = pdf.add(`<< /Type /Annot /Subtype /Stamp /F 4 /Rect [0 0 9 9] /AP << /N ${form} >> >>`);
      return sampleFile(pdf, { pages: [{ entries: `/Annots [${note} ${note}]` }] });
    },
    facts: {
      annotations: [{ pages: pages(1), type: 'Stamp', printed: true }],
      colors: [BLACK, RGB],
    },
  },
};
