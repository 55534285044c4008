import { Pen } from './pen';

export interface Column {
  readonly title: string;
  /** Share of the table's width; the shares of all columns add up to 1. */
  readonly share: number;
  readonly align?: 'left' | 'right';
}

/** A block above the table on the first page, measured before it is drawn. */
export interface Block {
  readonly height: number;
  draw(y: number): void;
}

export interface SheetContent {
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
  /** Under the table, the last one in bold. */
  readonly totals: readonly (readonly [label: string, value: string])[];
  /** Above the table, on the first page only. */
  readonly head: (pen: Pen, area: Area) => Block;
  /** Under the totals. */
  readonly foot: (pen: Pen, area: Area) => Block;
  /** At the bottom of every page, beside its number. */
  readonly footer: string;
}

export interface Area {
  readonly x: number;
  readonly width: number;
}

export interface SheetStyle {
  /** Points. */
  readonly page: readonly [width: number, height: number];
  readonly margin: number;
  readonly titleSize: number;
  readonly textSize: number;
}

const PADDING = 3;

/** Rows of a table shared out over pages, so that totals and foot stand whole on the last one. */
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
    // A last page of totals alone reads badly: the last row goes with them.
    const last = pages.at(-1)!;
    pages.push(last.length > 1 ? [last.pop()!] : []);
  }
  return pages;
}

/**
 * A document made of a head, a table of any length and totals, on as many pages as it takes: the table's titles and
 * the document's title on each, `Page n of m` at every foot. Long texts are broken inside their cells, never cut.
 */
export async function renderSheet(
  country: string,
  content: SheetContent,
  style: SheetStyle,
): Promise<Buffer> {
  const [pageWidth, pageHeight] = style.page;
  const pen = new Pen(country, { title: content.title, page: style.page });
  const area: Area = { x: style.margin, width: pageWidth - 2 * style.margin };
  const text = { size: style.textSize };
  const widths = content.columns.map(({ share }) => share * area.width);

  const cellHeight = (words: string, column: number) =>
    pen.blockHeight(words, { ...text, width: widths[column]! - 2 * PADDING });
  const rowHeights = content.rows.map(
    (row) => Math.max(...row.map((words, column) => cellHeight(words, column))) + 2 * PADDING,
  );
  const titleHeight = style.titleSize * 1.22 + 6;
  const columnsHeight =
    Math.max(
      ...content.columns.map(({ title }, column) =>
        pen.blockHeight(title, { ...text, weight: 'bold', width: widths[column]! - 2 * PADDING }),
      ),
    ) +
    2 * PADDING;
  const head = content.head(pen, area);
  const foot = content.foot(pen, area);
  const totalsHeight = content.totals.length * (style.textSize * 1.22 + 4) + 8;
  const footerHeight = style.textSize * 2;
  const usable = pageHeight - 2 * style.margin - footerHeight - titleHeight - columnsHeight;
  const pages = paginate(rowHeights, usable - head.height, usable, totalsHeight + foot.height);

  const cells = (row: readonly string[], y: number, height: number, weight: 'regular' | 'bold') => {
    let x = area.x;
    row.forEach((words, column) => {
      pen.block(words, x + PADDING, y + PADDING, {
        ...text,
        weight,
        width: widths[column]! - 2 * PADDING,
        ...(content.columns[column]?.align === 'right' ? { align: 'right' as const } : {}),
      });
      x += widths[column]!;
    });
    pen.rule(area.x, y + height, area.x + area.width, y + height, 0.4);
  };

  pages.forEach((rows, index) => {
    pen.addPage();
    let y = style.margin;
    pen.line(content.title, area.x, y, { size: style.titleSize, weight: 'bold', width: area.width });
    y += titleHeight;
    if (index === 0) {
      head.draw(y);
      y += head.height;
    }
    if (rows.length > 0) {
      pen.rule(area.x, y, area.x + area.width, y, 0.8);
      cells(
        content.columns.map(({ title }) => title),
        y,
        columnsHeight,
        'bold',
      );
      y += columnsHeight;
    }
    for (const row of rows) {
      cells(content.rows[row]!, y, rowHeights[row]!, 'regular');
      y += rowHeights[row]!;
    }
    if (index === pages.length - 1) {
      y += 6;
      content.totals.forEach(([label, value], line) => {
        const weight = line === content.totals.length - 1 ? 'bold' : 'regular';
        pen.line(label, area.x + area.width * 0.4, y, {
          ...text,
          weight,
          width: area.width * 0.33,
          align: 'right',
        });
        pen.line(value, area.x + area.width * 0.74, y, {
          ...text,
          weight,
          width: area.width * 0.26 - PADDING,
          align: 'right',
        });
        y += style.textSize * 1.22 + 4;
      });
      foot.draw(y + 2);
    }
    const bottom = pageHeight - style.margin - style.textSize;
    pen.line(content.footer, area.x, bottom, { size: style.textSize * 0.85, width: area.width * 0.75 });
    pen.line(`Page ${index + 1} of ${pages.length}`, area.x, bottom, {
      size: style.textSize * 0.85,
      width: area.width,
      align: 'right',
    });
  });
  return await pen.finish();
}

/** Titled boxes of lines side by side; the tallest decides the height. */
export function boxes(
  pen: Pen,
  area: Area,
  all: readonly { readonly title: string; readonly lines: readonly string[]; readonly share: number }[],
  size: number,
): Block {
  const gap = 6;
  const widthOf = (share: number) => (area.width - gap * (all.length - 1)) * share;
  const heightOf = (lines: readonly string[], width: number) =>
    lines.reduce((sum, line) => sum + pen.blockHeight(line, { size, width: width - 2 * PADDING }), 0);
  const height =
    Math.max(...all.map(({ lines, share }) => heightOf(lines, widthOf(share)))) + size * 1.22 + 3 * PADDING;
  return {
    height: height + gap,
    draw(top) {
      let x = area.x;
      for (const { title, lines, share } of all) {
        const width = widthOf(share);
        pen.box(x, top, width, height, 0.5);
        pen.line(title, x + PADDING, top + PADDING, {
          size: size * 0.8,
          weight: 'bold',
          width: width - 2 * PADDING,
        });
        let y = top + PADDING + size * 1.22;
        for (const line of lines) {
          y += pen.block(line, x + PADDING, y, { size, width: width - 2 * PADDING });
        }
        x += width + gap;
      }
    },
  };
}

/** Blocks one under the other. */
export function stacked(...blocks: readonly Block[]): Block {
  return {
    height: blocks.reduce((sum, block) => sum + block.height, 0),
    draw(top) {
      let y = top;
      for (const block of blocks) {
        block.draw(y);
        y += block.height;
      }
    },
  };
}

/** Paragraphs in full width. */
export function paragraphs(pen: Pen, area: Area, texts: readonly string[], size: number): Block {
  const heights = texts.map((words) => pen.blockHeight(words, { size, width: area.width }) + 3);
  return {
    height: heights.reduce((sum, height) => sum + height, 0),
    draw(top) {
      let y = top;
      texts.forEach((words, index) => {
        pen.block(words, area.x, y, { size, width: area.width });
        y += heights[index]!;
      });
    },
  };
}
