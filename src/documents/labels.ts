import { createCanvas, GlobalFonts } from '@napi-rs/canvas';
import { drawBars, type LabelBarcode } from './barcode';
import { fontPath, type Script, type Weight } from './fonts';
import { type LabelContent, type LabelElement, layOutLabel } from './label-layout';
import { CAP_HEIGHT, mm, PdfDrawing } from './pdf-drawing';
import { isRightToLeft, lineWidth, visualRuns } from './text';

/** Sheet sizes of labels. */
export type LabelSize = '4x6' | 'A6' | 'A4';

const SHEETS: Readonly<
  Record<LabelSize, { page: [number, number]; label: { width: number; height: number }; across: number; down: number }>
> = {
  '4x6': { page: [288, 432], label: { width: 288, height: 432 }, across: 1, down: 1 },
  A6: { page: [mm(105), mm(148)], label: { width: mm(105), height: mm(148) }, across: 1, down: 1 },
  // Four A6 labels on an A4 sheet, which is cut along its centre lines.
  A4: { page: [mm(210), mm(297)], label: { width: mm(105), height: mm(148) }, across: 2, down: 2 },
};

function drawElement(pdf: PdfDrawing, element: LabelElement, dx: number, dy: number): void {
  switch (element.kind) {
    case 'text':
      pdf.line(element.text, dx + element.x, dy + element.y, {
        size: element.size,
        weight: element.weight,
        color: element.inverse ? '#ffffff' : '#000000',
      });
      return;
    case 'bar':
      pdf.fill(dx + element.x, dy + element.y, element.width, element.height);
      return;
    case 'barcode': {
      const { symbol, height, moduleWidth } = element;
      drawBars(pdf, symbol, { x: dx + element.x, y: dy + element.y, height, moduleWidth });
    }
  }
}

/** Renders labels as one PDF, in the given order: one per page, or four per A4 sheet. */
export async function renderLabelPdf(labels: readonly LabelContent[], size: LabelSize = '4x6'): Promise<Buffer> {
  const sheet = SHEETS[size];
  const perPage = sheet.across * sheet.down;
  const pdf = new PdfDrawing(labels[0]?.receiver.country ?? '', {
    title: `Label ${labels.map(({ barcode }) => barcode.value).join(', ')}`,
    page: sheet.page,
  });
  labels.forEach((label, index) => {
    const place = index % perPage;
    if (place === 0) pdf.addPage();
    const dx = (place % sheet.across) * sheet.label.width;
    const dy = Math.floor(place / sheet.across) * sheet.label.height;
    for (const element of layOutLabel(label, sheet.label)) drawElement(pdf, element, dx, dy);
  });
  return await pdf.finish();
}

/** Dots per point at 203 dpi (8 dots per millimetre). */
const DOTS = (8 * 25.4) / 72;
const dots = (points: number) => Math.round(points * DOTS);

/** Characters of the printer's font 0 on every firmware. Lines with other characters are sent as pictures. */
const PRINTER_FONT = /^[\u0020-\u007e\u00a0-\u00ff]*$/;
/** Size of font 0 relative to the PDF fonts: with these factors no line is longer than on the PDF label. */
const FONT_0_HEIGHT = 1.12;
const FONT_0_WIDTH = 0.84;
const JUSTIFY = { left: 'L', right: 'R', center: 'C' } as const;

/** Escapes `^`, `~`, `_` and `\`, which are printer commands, as hexadecimal bytes (^FH). */
const escaped = (text: string) =>
  text.replace(/[\^~_\\]/g, (char) => `_${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);

/** Returns ^BC mode and field data: start C, FNC1 and digit pairs for an SSCC; automatic subsets (mode A) for others. */
function barcodeField({ symbology, value }: LabelBarcode): { mode: 'N' | 'A'; data: string } {
  return symbology === 'gs1-128' ? { mode: 'N', data: `>;>800${value}` } : { mode: 'A', data: escaped(value) };
}

const registered = new Set<string>();

function family(script: Script, weight: Weight): string {
  const name = `pressline-${script}-${weight}`;
  if (!registered.has(name)) {
    GlobalFonts.registerFromPath(fontPath(script, weight), name);
    registered.add(name);
  }
  return name;
}

/** Returns a line of text in any script as a one-bit picture (^GFA), drawn with the fonts of the PDF labels. */
function picture(element: Extract<LabelElement, { kind: 'text' }>, country: string): string {
  const size = element.size * DOTS;
  const width = Math.ceil(lineWidth(element.text, country, element.weight) * size) + 8;
  const height = Math.ceil(size * 1.45);
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.fillStyle = '#fff';
  context.fillRect(0, 0, width, height);
  context.fillStyle = '#000';
  // The canvas shapes letters, orders right-to-left text, and searches the fonts in the given order.
  const scripts = new Set<Script>(['latin', ...visualRuns(element.text, country).map(({ script }) => script)]);
  context.font = `${size}px ${[...scripts].map((script) => family(script, element.weight)).join(', ')}`;
  context.direction = isRightToLeft(element.text) ? 'rtl' : 'ltr';
  context.textAlign = 'left';
  context.fillText(element.text, 0, size * CAP_HEIGHT * 1.08 + size * 0.1);
  const pixels = context.getImageData(0, 0, width, height).data;
  const rowBytes = Math.ceil(width / 8);
  const bits = Buffer.alloc(rowBytes * height);
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      if (pixels[(row * width + column) * 4]! < 140) bits[row * rowBytes + (column >> 3)]! |= 0x80 >> (column & 7);
    }
  }
  const y = Math.max(0, dots(element.y) - Math.round(size * 0.1));
  return `^FO${dots(element.x)},${y}^GFA,${bits.length},${bits.length},${rowBytes},${bits.toString('hex').toUpperCase()}^FS`;
}

function zplElement(element: LabelElement, country: string): string {
  switch (element.kind) {
    case 'bar':
      return `^FO${dots(element.x)},${dots(element.y)}^GB${dots(element.width)},${Math.max(2, dots(element.height))},${Math.max(2, Math.min(dots(element.width), dots(element.height)))}^FS`;
    case 'barcode': {
      const module = Math.max(1, Math.round(element.moduleWidth * DOTS));
      const width = element.symbol.modules * module;
      const left = dots(element.x) + Math.round((dots(element.symbol.modules * element.moduleWidth) - width) / 2);
      const { mode, data } = barcodeField(element.content);
      return `^FO${left},${dots(element.y)}^BY${module}^BCN,${dots(element.height)},N,N,N,${mode}^FH_^FD${data}^FS`;
    }
    case 'text': {
      if (!PRINTER_FONT.test(element.text)) return picture(element, country);
      const height = Math.max(10, Math.round(element.size * DOTS * FONT_0_HEIGHT));
      const { x, width, align } = element.room;
      const block = `^FB${dots(width)},1,0,${JUSTIFY[align]}`;
      return `^FO${dots(x)},${dots(element.y)}${element.inverse ? '^FR' : ''}^A0N,${height},${Math.round(height * FONT_0_WIDTH)}${block}^FH_^FD${escaped(element.text)}^FS`;
    }
  }
}

/** Renders labels as ZPL II (UTF-8) for 203 dpi printers with 4x6 in stock, one ^XA ... ^XZ per label. */
export function renderLabelZpl(labels: readonly LabelContent[]): Buffer {
  const size = { width: 288, height: 432 };
  const parts = labels.map((label) =>
    [
      '^XA',
      '^CI28',
      `^PW${dots(size.width)}`,
      `^LL${dots(size.height)}`,
      '^LH0,0',
      ...layOutLabel(label, size).map((element) => zplElement(element, label.receiver.country)),
      '^PQ1',
      '^XZ',
    ].join('\n'),
  );
  return Buffer.from(`${parts.join('\n')}\n`, 'utf8');
}
