import { PDFDocument, type PDFFont, type PDFPage, rgb, StandardFonts } from 'pdf-lib';
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
}

/** Documents carry a fixed date: the same file fetched twice is the same bytes. */
const MADE_ON = new Date('2024-01-01T00:00:00Z');

async function emptyDocument(title: string): Promise<{ pdf: PDFDocument; font: PDFFont; bold: PDFFont }> {
  const pdf = await PDFDocument.create({ updateMetadata: false });
  pdf.setTitle(title);
  pdf.setProducer('Pressline sandbox');
  pdf.setCreationDate(MADE_ON);
  pdf.setModificationDate(MADE_ON);
  const font = await pdf.embedFont(StandardFonts.Helvetica);
  const bold = await pdf.embedFont(StandardFonts.HelveticaBold);
  return { pdf, font, bold };
}

function colorOf(hex: string) {
  const channel = (at: number) => Number.parseInt(hex.slice(at, at + 2), 16) / 255;
  return rgb(channel(1), channel(3), channel(5));
}

function drawLandscape(page: PDFPage, widthMm: number, heightMm: number, seed: number): void {
  for (const shape of landscape(widthMm, heightMm, seed)) {
    page.drawSvgPath(shape.path, {
      x: 0,
      y: page.getHeight(),
      scale: POINTS_PER_MM,
      color: colorOf(shape.color),
      borderWidth: 0,
    });
  }
}

/**
 * Pictures a document has; longer ones show them again. Drawing one takes about 10 ms, placing it again none:
 * a photo book of 200 pages came down from 2.5 s to 0.2 s.
 */
const PICTURES = 8;

/** A print-ready PDF: one picture a page, artwork into the bleed, trim and bleed boxes set. */
export async function printPdf(spec: PdfSpec): Promise<Uint8Array> {
  const { pdf, font, bold } = await emptyDocument(spec.title);
  const fullWidth = spec.widthMm + 2 * spec.bleedMm;
  const fullHeight = spec.heightMm + 2 * spec.bleedMm;
  const size: [number, number] = [fullWidth * POINTS_PER_MM, fullHeight * POINTS_PER_MM];
  const drawings = await PDFDocument.create({ updateMetadata: false });
  for (let picture = 0; picture < Math.min(PICTURES, spec.pages); picture++) {
    drawLandscape(drawings.addPage(size), fullWidth, fullHeight, spec.seed + picture);
  }
  const pictures = await pdf.embedPages(drawings.getPages());

  const bleed = spec.bleedMm * POINTS_PER_MM;
  const large = Math.max(7, size[0] / 24);
  const margin = bleed + large;
  const color = rgb(1, 1, 1);
  for (let number = 1; number <= spec.pages; number++) {
    const page = pdf.addPage(size);
    page.setBleedBox(0, 0, size[0], size[1]);
    page.setTrimBox(bleed, bleed, size[0] - 2 * bleed, size[1] - 2 * bleed);
    page.drawPage(pictures[(number - 1) % pictures.length]!);
    if (number === 1) {
      page.drawText(spec.title, { x: margin, y: margin + large * 0.9, size: large, font: bold, color });
    }
    const caption = spec.pages === 1 ? 'Printed by way of Pressline' : `Page ${number} of ${spec.pages}`;
    page.drawText(caption, { x: margin, y: margin, size: large * 0.5, font, color });
  }
  return pdf.save();
}

/** An A4 packing slip as a shop sends one with an order. */
export async function packingSlipPdf(): Promise<Uint8Array> {
  const { pdf, font, bold } = await emptyDocument('Packing slip');
  const page = pdf.addPage([210 * POINTS_PER_MM, 297 * POINTS_PER_MM]);
  const left = 20 * POINTS_PER_MM;
  let y = page.getHeight() - 30 * POINTS_PER_MM;
  const line = (text: string, size: number, face: PDFFont) => {
    page.drawText(text, { x: left, y, size, font: face, color: rgb(0.1, 0.1, 0.15) });
    y -= size * 1.7;
  };
  line('Hillside Print Shop', 22, bold);
  line('Packing slip', 14, font);
  y -= 14;
  line('Thank you for your order. Everything in this parcel was made for you.', 11, font);
  line('Please keep this slip: it helps us to help you, should anything be wrong.', 11, font);
  y -= 10;
  page.drawLine({
    start: { x: left, y },
    end: { x: page.getWidth() - left, y },
    thickness: 0.7,
    color: rgb(0.4, 0.4, 0.45),
  });
  y -= 24;
  line('hello@hillside-prints.example', 10, font);
  return pdf.save();
}
