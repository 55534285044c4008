import { buffer } from 'node:stream/consumers';
import PDFDocument from 'pdfkit';
import { landscape } from './artwork';

const POINTS_PER_MM = 72 / 25.4;

export interface PdfSpec {
  readonly title: string;
  /** Size after trimming. */
  readonly widthMm: number;
  readonly heightMm: number;
  /** Artwork beyond the trim on every side. */
  readonly bleedMm: number;
  readonly pages: number;
  readonly seed: number;
  /** Options of the document, such as a password. */
  readonly options?: PDFKit.PDFDocumentOptions;
  /** Draws on each page, over the picture. The origin is at the top left, sizes are in points. */
  readonly draw?: (pdf: PDFKit.PDFDocument) => void;
}

/** Fonts that are embedded: a font that is not embedded is a fault of a print file. */
const FONTS = {
  regular: '@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf',
  bold: '@expo-google-fonts/noto-sans/700Bold/NotoSans_700Bold.ttf',
} as const;

/** Documents carry a fixed date, so that a file fetched twice has the same bytes. */
const MADE_ON = new Date('2024-01-01T00:00:00Z');

/** Draws a document page by page and returns its bytes. Sizes are in points, the origin is at the top left. */
async function makePdf(
  title: string,
  size: [width: number, height: number],
  draw: (pdf: PDFKit.PDFDocument) => void,
  options: PDFKit.PDFDocumentOptions = {},
): Promise<Buffer> {
  const pdf = new PDFDocument({
    size,
    margin: 0,
    autoFirstPage: false,
    ...options,
    info: { Title: title, Producer: 'Pressline sandbox', CreationDate: MADE_ON, ModDate: MADE_ON },
  });
  for (const [name, path] of Object.entries(FONTS)) pdf.registerFont(name, require.resolve(path));
  draw(pdf);
  pdf.end();
  return await buffer(pdf);
}

/** Writes one line with its baseline at `y`. */
function writeLine(pdf: PDFKit.PDFDocument, text: string, x: number, y: number): void {
  pdf.text(text, x, y, { baseline: 'alphabetic', lineBreak: false });
}

/** Returns a print-ready PDF: one picture on each page, artwork up to the edge of the bleed, trim and bleed boxes. */
export function printPdf(spec: PdfSpec): Promise<Buffer> {
  const fullWidth = spec.widthMm + 2 * spec.bleedMm;
  const fullHeight = spec.heightMm + 2 * spec.bleedMm;
  const width = fullWidth * POINTS_PER_MM;
  const height = fullHeight * POINTS_PER_MM;
  const bleed = spec.bleedMm * POINTS_PER_MM;
  const large = Math.max(7, width / 24);
  const margin = bleed + large;
  const draw = (pdf: PDFKit.PDFDocument) => {
    for (let number = 1; number <= spec.pages; number++) {
      pdf.addPage();
      Object.assign(pdf.page.dictionary.data, {
        BleedBox: [0, 0, width, height],
        TrimBox: [bleed, bleed, width - bleed, height - bleed],
      });
      pdf.save().scale(POINTS_PER_MM);
      for (const { path, color } of landscape(fullWidth, fullHeight, spec.seed + number - 1))
        pdf.path(path).fill(color);
      pdf.restore().fillColor('#ffffff');
      if (number === 1) {
        pdf.font('bold').fontSize(large);
        writeLine(pdf, spec.title, margin, height - margin - large * 0.9);
      }
      pdf.font('regular').fontSize(large * 0.5);
      const caption = spec.pages === 1 ? 'Printed with Pressline' : `Page ${number} of ${spec.pages}`;
      writeLine(pdf, caption, margin, height - margin);
      spec.draw?.(pdf);
    }
  };
  return makePdf(spec.title, [width, height], draw, spec.options);
}

/** Returns an A4 packing slip as a client sends one with an order. */
export function packingSlipPdf(): Promise<Buffer> {
  const width = 210 * POINTS_PER_MM;
  const left = 20 * POINTS_PER_MM;
  return makePdf('Packing slip', [width, 297 * POINTS_PER_MM], (pdf) => {
    pdf.addPage();
    let y = 30 * POINTS_PER_MM;
    const line = (text: string, size: number, font: keyof typeof FONTS) => {
      pdf.font(font).fontSize(size).fillColor('#1a1a26');
      writeLine(pdf, text, left, y);
      y += size * 1.7;
    };
    line('Hillside Print Shop', 22, 'bold');
    line('Packing slip', 14, 'regular');
    y += 14;
    line('Thank you for your order. Everything in this parcel was made for you.', 11, 'regular');
    line('Please keep this slip: it helps us to help you, should anything be wrong.', 11, 'regular');
    y += 10;
    pdf
      .moveTo(left, y)
      .lineTo(width - left, y)
      .lineWidth(0.7)
      .stroke('#666673');
    y += 24;
    line('hello@hillside-prints.example', 10, 'regular');
  });
}
