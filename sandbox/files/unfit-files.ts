import type { FileFindingCode } from '../../src/files/domain/file-findings';
import { pngBomb, pngChunk } from './exhausting-files';
import type { PrintFile } from './print-files';
import { printImage } from './print-image';
import { type PdfSpec, printPdf } from './print-pdf';

/** Files that arrive, and do not fit an A4 poster: each has one fault that a check of print files finds. */
interface UnfitFile extends PrintFile {
  readonly summary: string;
  /** What the check finds. */
  readonly finds: FileFindingCode;
}

const POSTER: PdfSpec = { title: 'Evening hills', widthMm: 210, heightMm: 297, bleedMm: 3, pages: 1, seed: 0 };

const pdf = (finds: FileFindingCode, summary: string, spec: Partial<PdfSpec>): UnfitFile => ({
  contentType: 'application/pdf',
  summary,
  finds,
  make: () => printPdf({ ...POSTER, ...spec }),
});

/** An image of A4 with a bleed of 3 mm. */
const image = (
  finds: FileFindingCode,
  summary: string,
  form: 'jpeg' | 'png',
  dpi: number,
  size = { widthMm: 216, heightMm: 303 },
): UnfitFile => ({
  contentType: `image/${form}`,
  summary,
  finds,
  make: () => printImage({ form, ...size, dpi, seed: 0, transparent: false }),
});
const jpeg = (summary: string, dpi: number) => image('resolution', summary, 'jpeg', dpi);

const TINT = { FunctionType: 2, Domain: [0, 1], N: 1, C0: [0, 0, 0, 0], C1: [0, 0.2, 0.6, 0.2] };

/** Adds an object, as pdfkit writes it: strings are names, and String objects are texts. */
function added(document: PDFKit.PDFDocument, object: object): object {
  const reference = document.ref(object) as unknown as { end(): void };
  reference.end();
  return reference;
}

/** Fills a square in a colour space. */
function fillIn(document: PDFKit.PDFDocument, space: unknown[], components: string): void {
  resourcesOf(document).ColorSpace = { Own: added(document, space) };
  document.addContent(`q /Own cs ${components} scn 40 40 200 200 re f Q`);
}

/** Fills a square with a graphics state. */
function fillWith(document: PDFKit.PDFDocument, state: object): void {
  resourcesOf(document).ExtGState = { Own: added(document, state) };
  document.addContent('q /Own gs 0.2 0.2 0.4 rg 40 40 200 200 re f Q');
}

/** The resources of the page, which the types of pdfkit do not have. */
function resourcesOf({ page }: PDFKit.PDFDocument): Record<string, unknown> {
  return (page as unknown as { resources: { data: Record<string, unknown> } }).resources.data;
}

function notEmbedded(document: PDFKit.PDFDocument): void {
  const font = { Type: 'Font', Subtype: 'TrueType', BaseFont: 'Garamond', Encoding: 'WinAnsiEncoding' };
  Object.assign(resourcesOf(document).Font as object, { Garamond: added(document, font) });
  document.addContent('BT 1 1 1 rg /Garamond 24 Tf 40 400 Td (Printed with Pressline) Tj ET');
}

function hiddenLayer(document: PDFKit.PDFDocument): void {
  const layer = added(document, { Type: 'OCG', Name: Object('Die line') });
  const { data } = (document as unknown as { _root: { data: Record<string, unknown> } })._root;
  data.OCProperties = { OCGs: [layer], D: { OFF: [layer], Order: [layer] } };
  resourcesOf(document).Properties = { Own: layer };
  document.addContent('/OC /Own BDC q 1 0 0 RG 40 40 200 200 re S Q EMC');
}

function xfaForm(document: PDFKit.PDFDocument): void {
  document.initForm();
  const { data } = (document as unknown as { _root: { data: { AcroForm: { data: object } } } })._root;
  Object.assign(data.AcroForm.data, { XFA: Object('<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/"/>') });
}

function formField(document: PDFKit.PDFDocument): void {
  document.initForm();
  document.formText('name', 40, 40, 200, 24, { value: 'Anneliese' });
}

/** Adds an object that is no content to the content of the page. */
function missingContent(document: PDFKit.PDFDocument): void {
  const { content, dictionary } = document.page as unknown as { content: unknown; dictionary: { data: object } };
  Object.assign(dictionary.data, { Contents: [content, added(document, {})] });
}

/** Returns an image with the control chunk of an animation (PNG, third edition, 11.3.6), and without its second image. */
async function animatedImage(): Promise<Buffer> {
  const png = Buffer.from(await image('animation', '', 'png', 150).make(1));
  const behindHeader = 8 + 12 + 13;
  const control = pngChunk('acTL', Buffer.from([0, 0, 0, 2, 0, 0, 0, 0]));
  return Buffer.concat([png.subarray(0, behindHeader), control, png.subarray(behindHeader)]);
}

/** Returns the poster with a pointer to a place where its cross-reference table is not. */
async function damagedTable(): Promise<Buffer> {
  const poster = await printPdf(POSTER);
  const at = poster.lastIndexOf('startxref');
  poster.write('startxref\n7', at, 'latin1');
  return poster;
}

export const UNFIT_FILES: Readonly<Record<string, UnfitFile>> = {
  'wrong-size.pdf': pdf('page_size', 'Is an A6 page, for a larger product.', { widthMm: 105, heightMm: 148 }),
  'turned.pdf': pdf('orientation', 'Is an A4 page across, for an upright product.', { widthMm: 297, heightMm: 210 }),
  'no-bleed.pdf': pdf('bleed', 'Is an A4 page whose artwork ends at the trim.', { bleedMm: 0 }),
  'square.jpg': image('page_size', 'Is a square, for an upright product.', 'jpeg', 220, {
    widthMm: 216,
    heightMm: 216,
  }),
  'trimmed.png': image('bleed', 'Has the pixels of A4 at its 150 dpi, and no bleed.', 'png', 150, {
    widthMm: 210,
    heightMm: 297,
  }),
  'low-resolution.jpg': jpeg('Has the shape of A4 and 40 dpi at that size.', 40),
  'medium-resolution.jpg': jpeg('Has the shape of A4 and 100 dpi at that size.', 100),
  'rgb-colors.pdf': pdf('rgb_colors', 'Has RGB colours, for a product that does not allow them.', {}),
  'spot-color.pdf': pdf('spot_colors', 'Has the spot colour Gold.', {
    draw: (document) => fillIn(document, ['Separation', 'Gold', 'DeviceCMYK', TINT], '1'),
  }),
  'lab-color.pdf': pdf('color_space', 'Has a colour in Lab.', {
    draw: (document) => fillIn(document, ['Lab', { WhitePoint: [0.9505, 1, 1.089] }], '50 20 20'),
  }),
  'too-much-ink.pdf': pdf('ink_limit', 'Has a colour with 400 % of ink.', {
    draw: (document) => document.rect(40, 40, 200, 200).fill([100, 100, 100, 100]),
  }),
  'transparency.pdf': pdf('transparency', 'Has transparency, for a product that does not allow it.', {
    draw: (document) => fillWith(document, { ca: 0.5 }),
  }),
  'overprint.pdf': pdf('overprint', 'Has overprint, for a product that does not allow it.', {
    draw: (document) => fillWith(document, { op: true, OPM: 1 }),
  }),
  'font-not-embedded.pdf': pdf('fonts_not_embedded', 'Has text in Garamond, which is not in the file.', {
    draw: notEmbedded,
  }),
  'annotation.pdf': pdf('annotations', 'Has a comment on its page.', {
    draw: (document) => document.note(40, 40, 24, 24, 'Please print this in gold.'),
  }),
  'xfa-form.pdf': pdf('xfa_form', 'Is a form whose pages a program makes when it opens the file.', { draw: xfaForm }),
  'form-field.pdf': pdf('form_fields', 'Has a form field.', { draw: formField }),
  'hidden-layer.pdf': pdf('hidden_layers', 'Has the layer "Die line", which is hidden.', { draw: hiddenLayer }),
  'encrypted.pdf': pdf('encrypted', 'Is encrypted, and opens without a password.', {
    options: { pdfVersion: '1.7', ownerPassword: 'sandbox', permissions: { printing: 'highResolution' } },
  }),
  'javascript.pdf': pdf('javascript', 'Has JavaScript.', {
    draw: (document) => document.addNamedJavaScript('hello', 'app.alert("Hello")'),
  }),
  'attachment.pdf': pdf('attachments', 'Has an attached file.', {
    draw: (document) =>
      document.file(Buffer.from('Print 500.'), {
        name: 'notes.txt',
        creationDate: new Date(0),
        modifiedDate: new Date(0),
      }),
  }),
  'damaged-table.pdf': {
    ...pdf('repaired', 'Has a cross-reference table with wrong places. A reader repairs it.', {}),
    make: damagedTable,
  },
  'too-large.png': {
    contentType: 'image/png',
    summary: 'Has the shape of A4 and 146 megapixels.',
    finds: 'not_rendered',
    make: () => pngBomb(10_208, 14_320),
  },
  'animated.png': { ...image('animation', 'Is an animated PNG of two images.', 'png', 150), make: animatedImage },
  'missing-content.pdf': pdf('not_measured', 'Has a page of which a part is missing.', { draw: missingContent }),
};
