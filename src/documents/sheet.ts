import type { Weight } from './fonts';
import { type EmbeddedInvoice, mm, PdfDrawing } from './pdf-drawing';
import { LEADING } from './text';

export interface Column {
  readonly title: string;
  /** Share of the table's width; the shares of all columns add up to 1. */
  readonly share: number;
  readonly align?: 'left' | 'right';
}

/** Content above or below the table. Its height is known before it is drawn. */
export type Block = (pdf: PdfDrawing, area: Area) => { readonly height: number; draw(top: number): void };

export interface SheetContent {
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
  /** Lines below the table. The last one is bold. */
  readonly totals: readonly (readonly [label: string, value: string])[];
  /** Content above the table, on the first page only. */
  readonly head: Block;
  /** Content below the totals. */
  readonly foot: Block;
  /** Text at the bottom of every page, beside the page number. */
  readonly footer: string;
  /** Makes the document a PDF/A-3. */
  readonly invoice?: EmbeddedInvoice;
}

interface Area {
  readonly x: number;
  readonly width: number;
  /** Between the margins of the page. */
  readonly height: number;
}

export interface SheetStyle {
  /** Points. */
  readonly page: readonly [width: number, height: number];
  readonly margin: number;
  readonly titleSize: number;
  readonly textSize: number;
}

/** Returns the style of a sheet of A4. @param margin in millimetres */
export const a4 = (margin: number): SheetStyle => ({
  page: [mm(210), mm(297)],
  margin: mm(margin),
  titleSize: 17,
  textSize: 8.5,
});

const PADDING = 3;

/**
 * Distributes table rows over pages, so that totals and foot fit on the last one.
 * @param first room for rows on the first page; `others` on the others; `tail` height of totals and foot
 * @returns the row indexes of each page
 */
function paginate(heights: readonly number[], first: number, others: number, tail: number): number[][] {
  const pages: number[][] = [[]];
  let room = first;
  heights.forEach((height, index) => {
    if (height > room && (pages.at(-1)!.length > 0 || pages.length === 1)) {
      pages.push([]);
      room = others;
    }
    pages.at(-1)!.push(index);
    room -= height;
  });
  if (tail > room) {
    // The last row moves to the last page too, so that this page does not consist of totals alone.
    const last = pages.at(-1)!;
    pages.push(last.length > 1 ? [last.pop()!] : []);
  }
  return pages;
}

interface SheetHeights {
  readonly title: number;
  readonly columns: number;
  readonly rows: readonly number[];
}

/** Text, column widths and drawing area of a sheet. */
interface SheetFrame {
  readonly pdf: PdfDrawing;
  readonly area: Area;
  readonly widths: readonly number[];
  readonly heights: SheetHeights;
  readonly content: SheetContent;
  readonly style: SheetStyle;
}

/**
 * Renders a document with a head, a table and totals on as many pages as needed. Every page has the document's title, the
 * column titles and `Page n of m`. Long texts are broken into lines inside their cells and never cut.
 * @param country country of the document's reader (see `PdfDrawing`)
 */
export async function renderSheet(country: string, content: SheetContent, style: SheetStyle): Promise<Buffer> {
  const [pageWidth, pageHeight] = style.page;
  const pdf = new PdfDrawing(country, {
    title: content.title,
    page: style.page,
    ...(content.invoice === undefined ? {} : { invoice: content.invoice }),
  });
  const area: Area = {
    x: style.margin,
    width: pageWidth - 2 * style.margin,
    height: pageHeight - 2 * style.margin,
  };
  const widths = content.columns.map(({ share }) => share * area.width);
  const heights = measure(pdf, widths, content, style);
  const frame: SheetFrame = { pdf, area, widths, heights, content, style };
  const head = content.head(pdf, area);
  const foot = content.foot(pdf, area);
  const totalsHeight = content.totals.length * lineHeight(style) + 8;
  const footerHeight = style.textSize * 2;
  const usable = pageHeight - 2 * style.margin - footerHeight - heights.title - heights.columns;
  const pages = paginate(heights.rows, usable - head.height, usable, totalsHeight + foot.height);

  pages.forEach((rows, index) => {
    pdf.addPage();
    let y = style.margin;
    pdf.line(content.title, area.x, y, { size: style.titleSize, weight: 'bold', width: area.width });
    y += heights.title;
    if (index === 0) {
      head.draw(y);
      y += head.height;
    }
    y = drawTable(frame, rows, y);
    if (index === pages.length - 1) foot.draw(drawTotals(frame, y + 6) + 2);
    drawFooter(frame, `Page ${index + 1} of ${pages.length}`);
  });
  return await pdf.finish();
}

const lineHeight = ({ textSize }: SheetStyle) => textSize * LEADING + 4;

function measure(
  pdf: PdfDrawing,
  widths: readonly number[],
  content: SheetContent,
  { textSize, titleSize }: SheetStyle,
): SheetHeights {
  const rowHeight = (cells: readonly string[], weight: Weight) =>
    Math.max(
      ...cells.map((words, column) =>
        pdf.blockHeight(words, { size: textSize, weight, width: widths[column]! - 2 * PADDING }),
      ),
    ) +
    2 * PADDING;
  return {
    title: titleSize * LEADING + 6,
    columns: rowHeight(
      content.columns.map(({ title }) => title),
      'bold',
    ),
    rows: content.rows.map((row) => rowHeight(row, 'regular')),
  };
}

/** Draws the column titles and rows, when there are rows. Returns the position below them. */
function drawTable(frame: SheetFrame, rows: readonly number[], top: number): number {
  const { pdf, area, heights, content } = frame;
  if (rows.length === 0) return top;
  pdf.rule(area.x, top, area.x + area.width, top, 0.8);
  drawCells(
    frame,
    content.columns.map(({ title }) => title),
    { y: top, height: heights.columns, weight: 'bold' },
  );
  let y = top + heights.columns;
  for (const row of rows) {
    drawCells(frame, content.rows[row]!, { y, height: heights.rows[row]!, weight: 'regular' });
    y += heights.rows[row]!;
  }
  return y;
}

function drawCells(
  { pdf, area, widths, content, style }: SheetFrame,
  cells: readonly string[],
  { y, height, weight }: { readonly y: number; readonly height: number; readonly weight: Weight },
): void {
  let x = area.x;
  cells.forEach((words, column) => {
    pdf.block(words, x + PADDING, y + PADDING, {
      size: style.textSize,
      weight,
      width: widths[column]! - 2 * PADDING,
      ...(content.columns[column]?.align === 'right' ? { align: 'right' as const } : {}),
    });
    x += widths[column]!;
  });
  pdf.rule(area.x, y + height, area.x + area.width, y + height, 0.4);
}

function drawTotals({ pdf, area, content, style }: SheetFrame, top: number): number {
  content.totals.forEach(([label, value], index) => {
    const y = top + index * lineHeight(style);
    const text = {
      size: style.textSize,
      weight: index === content.totals.length - 1 ? 'bold' : 'regular',
      align: 'right',
    } as const;
    pdf.line(label, area.x + area.width * 0.4, y, { ...text, width: area.width * 0.33 });
    pdf.line(value, area.x + area.width * 0.74, y, { ...text, width: area.width * 0.26 - PADDING });
  });
  return top + content.totals.length * lineHeight(style);
}

function drawFooter({ pdf, area, content, style }: SheetFrame, pageNumber: string): void {
  const y = style.page[1] - style.margin - style.textSize;
  const size = style.textSize * 0.85;
  pdf.line(content.footer, area.x, y, { size, width: area.width * 0.75 });
  pdf.line(pageNumber, area.x, y, { size, width: area.width, align: 'right' });
}

/** The share of a page that boxes take at most, and their smallest letters. */
const TALLEST_BOX = 0.5;
const SMALLEST_SIZE = 2;

/** Returns titled boxes of lines side by side, all as high as the highest. Long addresses have smaller letters than `largest`. */
export function boxes(
  all: readonly { readonly title: string; readonly lines: readonly string[]; readonly share: number }[],
  largest: number,
): Block {
  return (pdf, area) => {
    const gap = 6;
    const widthOf = (share: number) => (area.width - gap * (all.length - 1)) * share;
    let size = largest;
    const heightOf = (lines: readonly string[], width: number) =>
      lines.reduce((sum, line) => sum + pdf.blockHeight(line, { size, width: width - 2 * PADDING }), 0);
    const highest = () =>
      Math.max(...all.map(({ lines, share }) => heightOf(lines, widthOf(share)))) + size * LEADING + 3 * PADDING;
    while (size > SMALLEST_SIZE && highest() > area.height * TALLEST_BOX) size -= 0.5;
    const height = highest();
    return {
      height: height + gap,
      draw(top) {
        let x = area.x;
        for (const { title, lines, share } of all) {
          const width = widthOf(share);
          const text = { width: width - 2 * PADDING };
          pdf.box(x, top, width, height, 0.5);
          pdf.line(title, x + PADDING, top + PADDING, { ...text, size: size * 0.8, weight: 'bold' });
          let y = top + PADDING + size * LEADING;
          for (const line of lines) y += pdf.block(line, x + PADDING, y, { ...text, size });
          x += width + gap;
        }
      },
    };
  };
}

/** Returns blocks below each other. */
export function stacked(...blocks: readonly Block[]): Block {
  return (pdf, area) => {
    const measured = blocks.map((block) => block(pdf, area));
    return {
      height: measured.reduce((sum, { height }) => sum + height, 0),
      draw(top) {
        let y = top;
        for (const { height, draw } of measured) {
          draw(y);
          y += height;
        }
      },
    };
  };
}

/** Returns paragraphs of full width. */
export function paragraphs(texts: readonly string[], size: number): Block {
  return stacked(
    ...texts.map(
      (words): Block =>
        (pdf, { x, width }) => ({
          height: pdf.blockHeight(words, { size, width }) + 3,
          draw: (top) => pdf.block(words, x, top, { size, width }),
        }),
    ),
  );
}
