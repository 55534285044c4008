import { contentsValue, lineGrams, lineValue, netWeightGrams } from '../consignments/domain/customs';
import { barcodeText } from './barcode';
import {
  amount,
  CATEGORIES,
  CATEGORY,
  type CustomsDeclaration,
  DECLARATION,
  kilograms,
  signerOf,
  taxIdLines,
} from './customs-declaration';
import { PdfDrawing } from './pdf-drawing';

/** Positions on 4x6 in stock, in points. */
const PAGE = { width: 288, height: 432 } as const;
const LEFT = 12;
const INNER = PAGE.width - 2 * LEFT;
const TABLE_WIDTH = INNER - 8;
const TABLE_TOP = 92;
const TABLE_BOTTOM = 322;
const ROW_GAP = 3;

const COLUMNS = [
  { title: 'Quantity and description', share: 0.4, align: 'left' },
  { title: 'HS code', share: 0.16, align: 'left' },
  { title: 'Origin', share: 0.1, align: 'left' },
  { title: 'Weight', share: 0.15, align: 'right' },
  { title: 'Value', share: 0.19, align: 'right' },
] as const;

const columnWidth = (index: number) => COLUMNS[index]!.share * TABLE_WIDTH - ROW_GAP;

/** Renders a CN22 on 4x6 in stock, which is stuck beside the label. It has room for six content lines. */
export async function renderCn22(declaration: CustomsDeclaration): Promise<Buffer> {
  const { consignment, barcode } = declaration;
  const pdf = new PdfDrawing(consignment.receiver.country, {
    title: `CN22 ${barcode.value}`,
    page: [PAGE.width, PAGE.height],
  });
  pdf.addPage();
  pdf.box(LEFT, 12, INNER, 408, 1);
  drawHead(pdf, declaration);
  drawCategories(pdf);
  drawContents(pdf, declaration);
  drawTotal(pdf, declaration);
  drawSignature(pdf, declaration);
  return await pdf.finish();
}

function drawHead(pdf: PdfDrawing, { carrierName, barcode, pack }: CustomsDeclaration): void {
  const width = INNER - 12;
  pdf.line('CUSTOMS DECLARATION', LEFT + 6, 17, { size: 12, weight: 'bold' });
  pdf.line('CN 22', LEFT + 6, 17, { size: 12, weight: 'bold', width, align: 'right' });
  pdf.line(`${carrierName}  ·  May be opened officially`, LEFT + 6, 33, { size: 7.5, width });
  const packaging = pack.boxType === undefined ? '' : `  ·  Packaging: ${pack.boxType}`;
  pdf.line(`Item ${barcodeText(barcode)}${packaging}`, LEFT + 6, 44, { size: 7.5, width });
  pdf.rule(LEFT, 56, LEFT + INNER, 56);
}

function drawCategories(pdf: PdfDrawing): void {
  CATEGORIES.forEach((category, index) => {
    const x = LEFT + 6 + (index % 3) * (INNER / 3);
    const y = 61 + Math.floor(index / 3) * 13;
    pdf.box(x, y, 7, 7, 0.6);
    if (category === CATEGORY) pdf.line('X', x + 1.2, y - 0.6, { size: 7, weight: 'bold' });
    pdf.line(category, x + 11, y - 0.6, { size: 7, width: INNER / 3 - 16 });
  });
  pdf.rule(LEFT, 88, LEFT + INNER, 88);
}

/** Draws one table row and returns its height. */
function drawRow(
  pdf: PdfDrawing,
  cells: readonly string[],
  y: number,
  style: { readonly size: number; readonly weight: 'regular' | 'bold' },
): number {
  let x = LEFT + 4;
  let height = 0;
  cells.forEach((words, index) => {
    const { align, share } = COLUMNS[index]!;
    const block = { ...style, width: columnWidth(index), ...(align === 'right' ? { align } : {}) };
    height = Math.max(height, pdf.block(words, x, y, block));
    x += share * TABLE_WIDTH;
  });
  return height;
}

function drawContents(pdf: PdfDrawing, { pack }: CustomsDeclaration): void {
  const titles = COLUMNS.map(({ title }) => title);
  let y = TABLE_TOP + drawRow(pdf, titles, TABLE_TOP, { size: 6.5, weight: 'bold' }) + ROW_GAP;
  const grams = lineGrams(pack.items);
  const rows = pack.items.map((item, index) => [
    `${item.quantity} x ${item.description}`,
    item.hsCode ?? '',
    item.countryOfOrigin ?? '',
    kilograms(grams[index]!),
    amount(lineValue(item)),
  ]);
  const rowHeight = (cells: readonly string[], size: number) =>
    Math.max(...cells.map((words, index) => pdf.blockHeight(words, { size, width: columnWidth(index) })));
  const heightAt = (size: number) => rows.reduce((sum, cells) => sum + ROW_GAP + rowHeight(cells, size), 0);
  // Uses the largest size at which all rows fit above the total.
  let size = 8;
  while (size > 4 && y + heightAt(size) > TABLE_BOTTOM) size -= 0.5;
  for (const cells of rows) y += drawRow(pdf, cells, y, { size, weight: 'regular' }) + ROW_GAP;
}

function drawTotal(pdf: PdfDrawing, { pack, consignment, rates }: CustomsDeclaration): void {
  const value = amount(contentsValue([pack], consignment.currency, rates));
  pdf.rule(LEFT, 326, LEFT + INNER, 326);
  const total = `Total, net weight ${kilograms(netWeightGrams(pack))}`;
  const cells = [total, '', '', kilograms(pack.grossWeightGrams), value];
  drawRow(pdf, cells, 330, { size: 7.5, weight: 'bold' });
  pdf.rule(LEFT, 350, LEFT + INNER, 350);
}

function drawSignature(pdf: PdfDrawing, { consignment, date }: CustomsDeclaration): void {
  pdf.block(DECLARATION, LEFT + 4, 353, { size: 6, width: TABLE_WIDTH });
  [taxIdLines(consignment.sender, 'Sender'), taxIdLines(consignment.receiver, 'Receiver')].forEach((taxIds, index) => {
    if (taxIds.length === 0) return;
    pdf.line(taxIds.join('  ·  '), LEFT + 4, 379 + index * 11, { size: 6.5, width: TABLE_WIDTH });
  });
  pdf.line(`Date ${date}   Sender’s signature: ${signerOf(consignment)}`, LEFT + 4, 403, {
    size: 8,
    weight: 'bold',
    width: TABLE_WIDTH,
  });
}
