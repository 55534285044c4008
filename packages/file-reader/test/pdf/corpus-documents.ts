import { buffer } from 'node:stream/consumers';
import { deflateSync } from 'node:zlib';
import PDFDocument from 'pdfkit';
import type { FileFacts } from '../../facts';
import { BLACK, blackOn, type CorpusFile, GOOD_BOXES, pages } from './corpus-file';
import { BOXES, iccProfile, type Layout, PdfBuilder, type SampleFile, SQUARE, sampleFile } from './pdf-builder';

/** Files with effects, annotations, scripts, claims, encryption, and damaged ones. */

type Effect = FileFacts['effects'][number]['effect'];

const withState = (state: string, content: string, ...effects: Effect[]): CorpusFile => ({
  make: () => {
    const resources = `/ExtGState << /G << /Type /ExtGState ${state} >> >>`;
    return sampleFile(new PdfBuilder(), { pages: [{ content: SQUARE + content, resources }] });
  },
  facts: { effects: effects.map((effect) => ({ pages: pages(1), effect })) },
});
const FILL = '/G gs 0 0 10 10 re f\n';

const withCatalog = (catalog: string | ((pdf: PdfBuilder) => string), facts: CorpusFile['facts']): CorpusFile => ({
  make: () => {
    const pdf = new PdfBuilder();
    return sampleFile(pdf, { catalog: typeof catalog === 'string' ? catalog : catalog(pdf) });
  },
  facts,
});

const annotated = (annotation: string, facts: CorpusFile['facts']): CorpusFile => ({
  make: () => {
    const pdf = new PdfBuilder();
    const note = pdf.add(`<< /Type /Annot /Rect [0 0 50 50] ${annotation} >>`);
    return sampleFile(pdf, { pages: [{ entries: `/Annots [${note}]` }] });
  },
  facts,
});
const annotation = (type: string, printed: boolean) => ({ annotations: [{ pages: pages(1), type, printed }] });

const xmp = (content: string) => (pdf: PdfBuilder) =>
  `/Metadata ${pdf.stream(`<x:xmpmeta><rdf:Description ${content}</rdf:Description></x:xmpmeta>`, '/Type /Metadata /Subtype /XML')}`;
const INTENT = '/OutputIntents [<< /Type /OutputIntent /S /GTS_PDFX /OutputConditionIdentifier (FOGRA39) >>]';
const SCRIPT = '<< /S /JavaScript /JS (app.alert\\(1\\)) >>';

const layout = (how: Layout, facts: CorpusFile['facts']): CorpusFile => ({
  pageCount: 2,
  make: () => sampleFile(new PdfBuilder(), { pages: [{}, {}], layout: how }),
  facts: { boxes: [{ ...GOOD_BOXES, pages: pages(2) }], colors: [blackOn(2)], ...facts },
});
const REPAIRED = { pdf: { repaired: true } };

const content = (data: Buffer | string, facts: CorpusFile['facts'] = {}): CorpusFile => ({
  make: () => sampleFile(new PdfBuilder(), { pages: [{ content: data }] }),
  facts,
});

/** A page whose content is compressed, and cut or encoded otherwise. */
const encoded = (data: Buffer | string, filter: string, facts: CorpusFile['facts'] = {}): CorpusFile => ({
  make: () => {
    const pdf = new PdfBuilder();
    const root = pdf.reserve();
    const { mediaBox, bleedBox, trimBox } = GOOD_BOXES;
    const boxes = `/MediaBox [${mediaBox.join(' ')}] /BleedBox [${bleedBox!.join(' ')}] /TrimBox [${trimBox!.join(' ')}]`;
    const page = pdf.add(
      `<< /Type /Page /Parent ${root} ${boxes} /Contents ${pdf.stream(data, `/Filter ${filter}`)} >>`,
    );
    pdf.add(`<< /Type /Pages /Count 1 /Kids [${page}] >>`, root);
    return pdf.file(pdf.add(`<< /Type /Catalog /Pages ${root} >>`));
  },
  facts,
});

/** A file of pdfkit, whose versions of PDF have different kinds of encryption. */
const encrypted = (pdfVersion: '1.3' | '1.4' | '1.6' | '1.7' | '1.7ext3', version: string): CorpusFile => ({
  make: () => {
    const pdf = new PDFDocument({
      size: [600, 800],
      margin: 0,
      pdfVersion,
      ownerPassword: 'secret',
      permissions: { printing: 'highResolution' },
    });
    pdf.addContent(SQUARE).end();
    return buffer(pdf);
  },
  facts: {
    boxes: [{ ...GOOD_BOXES, bleedBox: null, trimBox: null }],
    pdf: { encrypted: true, version },
  },
});

/** A file with a part that is replaced, without a change of its length unless that is meant. */
const changed = (part: string, by: string, facts: CorpusFile['facts'], options: SampleFile = {}): CorpusFile => ({
  make: () => {
    const text = sampleFile(new PdfBuilder(), options).toString('latin1');
    if (!text.includes(part)) throw new Error(`the file has no ${part}`);
    return Buffer.from(text.replace(part, by), 'latin1');
  },
  facts,
});

export const documentCases: Readonly<Record<string, CorpusFile>> = {
  'a transparent fill': withState('/ca 0.5', FILL, 'alpha'),
  'a transparent line': withState('/CA 0.5', '/G gs 0 0 0 1 K 0 0 m 9 9 l S\n', 'alpha'),
  'a fill with the transparency of lines': withState('/CA 0.5', FILL),
  'transparency that has ended': withState('/ca 0.5', 'q /G gs Q 0 0 10 10 re f\n'),
  'full opacity': withState('/ca 1 /CA 1.0 /BM /Normal /SMask /None /OP false', FILL),
  'a blend mode': withState('/BM /Multiply', FILL, 'blend_mode'),
  'a list of blend modes': withState('/BM [/Overlay /Normal]', FILL, 'blend_mode'),
  'a soft mask': withState('/SMask << /Type /Mask /S /Luminosity >>', FILL, 'soft_mask'),
  'overprinted fills and lines': withState('/OP true /OPM 1', FILL, 'overprint'),
  'overprinted lines only': withState('/OP true /op false', FILL),
  'a transparency group without effects': {
    make: () => sampleFile(new PdfBuilder(), { pages: [{ entries: '/Group << /S /Transparency /CS /DeviceCMYK >>' }] }),
    facts: {},
  },
  'a transparent group': {
    make: () => {
      const pdf = new PdfBuilder();
      const form = pdf.stream(
        '0 0 0 1 k 0 0 9 9 re f',
        '/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Group << /S /Transparency >>',
      );
      const resources = `/XObject << /F ${form} >> /ExtGState << /G << /ca 0.5 >> >>`;
      return sampleFile(pdf, { pages: [{ content: `${SQUARE}/G gs /F Do`, resources }] });
    },
    facts: { effects: [{ pages: pages(1), effect: 'alpha' }] },
  },

  'a link': annotated('/Subtype /Link /A << /S /URI /URI (https://example.com) >>', annotation('Link', false)),
  'a printed stamp': annotated('/Subtype /Stamp /F 4', annotation('Stamp', true)),
  'a hidden stamp': annotated('/Subtype /Stamp /F 6', annotation('Stamp', false)),
  'a link with a script': annotated(`/Subtype /Link /A ${SCRIPT}`, {
    ...annotation('Link', false),
    pdf: { javaScript: true },
  }),
  'an attached file on the page': annotated('/Subtype /FileAttachment /FS << /F (a.txt) >>', {
    ...annotation('FileAttachment', false),
    pdf: { attachments: 1 },
  }),
  'a form': {
    make: () => {
      const pdf = new PdfBuilder();
      const field = (name: string) =>
        pdf.add(`<< /Type /Annot /Subtype /Widget /Rect [0 0 9 9] /F 4 /FT /Tx /T (${name}) >>`);
      const widgets = [field('a'), field('b')];
      const group = pdf.add(`<< /T (group) /Kids [${widgets[1]}] >>`);
      return sampleFile(pdf, {
        pages: [{ entries: `/Annots [${widgets.join(' ')}]` }],
        catalog: `/AcroForm << /Fields [${widgets[0]} ${group}] >>`,
      });
    },
    facts: { ...annotation('Widget', true), pdf: { formFields: 2 } },
  },
  'a script that runs at the start': {
    ...withCatalog(`/OpenAction ${SCRIPT}`, { pdf: { javaScript: true } }),
    poppler: { ignores: ['scripts'], because: 'pdfinfo does not look at the action of the start' },
  },
  'a script of a field': {
    ...withCatalog(
      (pdf) => {
        const widget = pdf.add('<< /Type /Annot /Subtype /Widget /Rect [0 0 9 9] >>');
        return `/AcroForm << /Fields [<< /FT /Tx /T (a) /AA << /K ${SCRIPT} >> /Kids [${widget}] >>] >>`;
      },
      { pdf: { javaScript: true, formFields: 1 } },
    ),
    poppler: { ignores: ['scripts'], because: 'pdfinfo looks at the actions of the fields of pages only' },
  },
  'a script of a page': {
    make: () => sampleFile(new PdfBuilder(), { pages: [{}, { entries: `/AA << /O ${SCRIPT} >>` }] }),
    pageCount: 2,
    facts: {
      boxes: [{ ...GOOD_BOXES, pages: pages(2) }],
      colors: [blackOn(2)],
      pdf: { javaScript: true },
    },
  },
  'a script behind another action': {
    ...withCatalog(`/OpenAction << /S /GoTo /D [0 /Fit] /Next [<< /S /URI >> ${SCRIPT}] >>`, {
      pdf: { javaScript: true },
    }),
    poppler: { ignores: ['scripts'], because: 'pdfinfo does not look at the action of the start' },
  },
  'a form of XFA': {
    ...withCatalog((pdf) => `/AcroForm << /Fields [] /XFA ${pdf.stream('<xdp/>')} >>`, { pdf: { xfa: true } }),
  },
  'layers that are hidden by default': withCatalog(
    (pdf) => {
      const [shown, hidden] = [pdf.add('<< /Type /OCG /Name (Text) >>'), pdf.add('<< /Type /OCG /Name (Die) >>')];
      return `/OCProperties << /OCGs [${shown} ${hidden}] /D << /BaseState /OFF /ON [${shown}] >> >>`;
    },
    {
      pdf: {
        layers: [
          { name: 'Text', visible: true },
          { name: 'Die', visible: false },
        ],
      },
    },
  ),
  'a named script': withCatalog(`/Names << /JavaScript << /Names [(a) ${SCRIPT}] >> >>`, { pdf: { javaScript: true } }),
  'a start at another page': withCatalog('/OpenAction << /S /GoTo /D [0 /Fit] >>', {}),
  'attached files': withCatalog(
    '/Names << /EmbeddedFiles << /Kids [<< /Names [(a) << /F (a) >>] >> << /Names [(b) << /F (b) >>] >>] >> >>',
    { pdf: { attachments: 2 } },
  ),
  'a later version in the catalog': withCatalog('/Version /1.7', { pdf: { version: '1.7' } }),
  'PDF/X-4 with an output intent': withCatalog(
    (pdf) => `${INTENT} ${xmp('><pdfxid:GTS_PDFXVersion>PDF/X-4</pdfxid:GTS_PDFXVersion>')(pdf)}`,
    { pdf: { standards: ['PDF/X-4'], outputIntent: 'FOGRA39' } },
  ),
  'an output intent that only its profile names': withCatalog(
    (pdf) =>
      `/OutputIntents [<< /S /GTS_PDFX /OutputConditionIdentifier (Custom)
        /DestOutputProfile ${pdf.flate(iccProfile('CMYK', 'House press'), '/N 4')} >>]`,
    { pdf: { outputIntent: 'House press' } },
  ),
  'PDF/A-2b': withCatalog(xmp('pdfaid:part="2" pdfaid:conformance="B">'), { pdf: { standards: ['PDF/A-2b'] } }),
  'PDF/X-1a': {
    make: () => sampleFile(new PdfBuilder(), { info: '<< /GTS_PDFXVersion (PDF/X-1:2001) >>', catalog: INTENT }),
    facts: { pdf: { standards: ['PDF/X-1:2001'], outputIntent: 'FOGRA39' } },
  },
  'a file encrypted with RC4 of 40 bits, without a password': encrypted('1.3', '1.3'),
  'a file encrypted with RC4 of 128 bits, without a password': encrypted('1.4', '1.4'),
  'a file encrypted with AES of 128 bits, without a password': encrypted('1.6', '1.6'),
  'a file encrypted with AES of 256 bits, without a password': encrypted('1.7ext3', '1.7'),

  ...Object.fromEntries(
    ['1.0', '1.1', '1.2', '1.3', '1.4', '1.5', '1.7', '2.0'].map((version): [string, CorpusFile] => [
      `PDF ${version}`,
      { make: () => sampleFile(new PdfBuilder(), { version }), facts: { pdf: { version } } },
    ]),
  ),
  'a linearized file': layout('linearized', {}),
  'cross-reference and object streams': layout('stream', {}),
  'a cross-reference table with wrong offsets': layout('shifted', REPAIRED),
  'a file without a cross-reference table': layout('missing', REPAIRED),
  'bytes before the header': {
    make: () => Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n'), sampleFile(new PdfBuilder())]),
    facts: {},
  },
  'bytes before the header of a file with object streams': {
    make: () => Buffer.concat([Buffer.alloc(1024, 'x'), sampleFile(new PdfBuilder(), { layout: 'stream' })]),
    facts: {},
    poppler: {
      ignores: ['file'],
      because: 'poppler counts the offsets of cross-reference streams from the first byte',
    },
  },
  'bytes behind the end': {
    make: () => Buffer.concat([sampleFile(new PdfBuilder()), Buffer.alloc(500, 10)]),
    facts: {},
  },
  'a file that is cut behind its pages': {
    make: () => {
      const whole = sampleFile(new PdfBuilder());
      return whole.subarray(0, whole.indexOf('xref'));
    },
    isRefused: true,
    facts: REPAIRED,
    poppler: { ignores: ['file'], because: 'poppler opens no file without a trailer' },
  },
  'a stream with a wrong length': changed(`/Length ${SQUARE.length} `, '/Length 99 ', {}),
  'a stream without an end': changed('endstream', '         ', {
    colors: [],
    complete: false,
    problem: 'page 1 cannot be read',
  }),
  'an object without an end': changed('endobj', '      ', {}),
  'a cross-reference stream that is damaged': {
    pageCount: 2,
    make: () => {
      const file = sampleFile(new PdfBuilder(), { pages: [{}, {}], layout: 'stream' });
      file.fill(0, file.length - 120, file.length - 60);
      return file;
    },
    isRefused: true,
    facts: { boxes: [{ ...GOOD_BOXES, pages: pages(2) }], colors: [blackOn(2)], ...REPAIRED },
    poppler: { ignores: ['file'], because: 'poppler opens no file without a trailer' },
  },
  'a page that is replaced by an update of the file': {
    make: () => {
      const pdf = new PdfBuilder();
      const first = sampleFile(pdf);
      const page = `3 0 obj\n<< /Type /Page /Parent 1 0 R ${BOXES} /Rotate 90 /Contents 2 0 R >>\nendobj\n`;
      const at = first.length;
      const table = `xref\n3 1\n${String(at).padStart(10, '0')} 00000 n \ntrailer\n<< /Size 5 /Root 4 0 R`;
      const before = first.toString('latin1').match(/startxref\n(\d+)/)![1];
      const update = `${page}${table} /Prev ${before} >>\nstartxref\n${at + page.length}\n%%EOF\n`;
      return Buffer.concat([first, Buffer.from(update, 'latin1')]);
    },
    facts: { boxes: [{ ...GOOD_BOXES, rotation: 90 }] },
  },
  'a content of several streams': {
    make: () => {
      const pdf = new PdfBuilder();
      const [root, first, second] = [pdf.reserve(), pdf.stream('0 0 0'), pdf.stream('1 k 0 0 9 9 re f')];
      const page = pdf.add(`<< /Type /Page /Parent ${root} /MediaBox [0 0 600 800] /Contents [${first} ${second}] >>`);
      pdf.add(`<< /Type /Pages /Count 1 /Kids [${page}] >>`, root);
      return pdf.file(pdf.add(`<< /Type /Catalog /Pages ${root} >>`));
    },
    facts: { boxes: [{ ...GOOD_BOXES, bleedBox: null, trimBox: null }] },
  },
  'an empty page': { ...content(''), facts: { colors: [] } },
  'a content that is cut': encoded(deflateSync(Buffer.from(SQUARE.repeat(2_000))).subarray(0, 60), '/FlateDecode'),
  'a content in base 85': encoded(`${ascii85(SQUARE)}~>`, '/ASCII85Decode'),
  'a content with noise between its operators': content(`<< ]] >> }{ ( ( \\) ) ) ${SQUARE} [[[ << /a`, {
    colors: [BLACK],
  }),
};

function ascii85(text: string): string {
  const bytes = Buffer.from(text.padEnd(Math.ceil(text.length / 4) * 4));
  let encodedText = '';
  for (let at = 0; at < bytes.length; at += 4) {
    let value = bytes.readUInt32BE(at);
    const digits: string[] = [];
    for (let digit = 0; digit < 5; digit += 1) {
      digits.unshift(String.fromCharCode(33 + (value % 85)));
      value = Math.floor(value / 85);
    }
    encodedText += digits.join('');
  }
  return encodedText;
}
