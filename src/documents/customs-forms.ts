import type { Consignment, ConsignmentPackage } from '../consignments/domain/consignment';
import { contentsValue, lineValue } from '../consignments/domain/customs';
import { barcodeText, encodeBarcode, type LabelBarcode } from './barcode';
import { amount, itemWeight, kilograms, partyLines } from './customs-text';
import { mm, Pen } from './pen';
import { boxes, paragraphs, renderSheet, stacked } from './sheet';

/** What a postal customs form is about: one package. */
export interface CustomsDeclaration {
  readonly consignment: Consignment;
  readonly pack: ConsignmentPackage;
  readonly carrierName: string;
  readonly barcode: LabelBarcode;
  /** YYYY-MM-DD. */
  readonly date: string;
}

/** Kinds of contents in the order of the UPU's forms; what the engine ships is sold goods. */
const CATEGORIES = [
  'Gift',
  'Documents',
  'Sale of goods',
  'Commercial sample',
  'Returned goods',
  'Other',
] as const;
const CATEGORY = 'Sale of goods';

const DECLARATION =
  'I, the undersigned, certify that the particulars given in this declaration are correct and that this item does not contain any dangerous article or articles prohibited by legislation or by postal or customs regulations.';

const signer = ({ sender }: Consignment) =>
  [sender.firstName, sender.lastName].filter(Boolean).join(' ') || (sender.company ?? '');

/** CN22 on 4x6 in stock, to be stuck beside the label: up to six lines of contents. */
export async function renderCn22({
  consignment,
  pack,
  carrierName,
  barcode,
  date,
}: CustomsDeclaration): Promise<Buffer> {
  const width = 288;
  const pen = new Pen(consignment.receiver.country, { title: `CN22 ${barcode.value}`, page: [width, 432] });
  const left = 12;
  const inner = width - 2 * left;
  pen.addPage();
  pen.box(left, 12, inner, 408, 1);
  pen.line('CUSTOMS DECLARATION', left + 6, 17, { size: 12, weight: 'bold' });
  pen.line('CN 22', left + 6, 17, { size: 12, weight: 'bold', width: inner - 12, align: 'right' });
  pen.line(`${carrierName}  ·  May be opened officially`, left + 6, 33, { size: 7.5, width: inner - 12 });
  pen.line(`Item ${barcodeText(barcode)}`, left + 6, 44, { size: 7.5, width: inner - 12 });
  pen.rule(left, 56, left + inner, 56);

  CATEGORIES.forEach((category, index) => {
    const x = left + 6 + (index % 3) * (inner / 3);
    const y = 61 + Math.floor(index / 3) * 13;
    pen.box(x, y, 7, 7, 0.6);
    if (category === CATEGORY) pen.line('X', x + 1.2, y - 0.6, { size: 7, weight: 'bold' });
    pen.line(category, x + 11, y - 0.6, { size: 7, width: inner / 3 - 16 });
  });
  pen.rule(left, 88, left + inner, 88);

  const columns = [
    { title: 'Quantity and description', width: 0.4 },
    { title: 'HS code', width: 0.16 },
    { title: 'Origin', width: 0.1 },
    { title: 'Weight', width: 0.15 },
    { title: 'Value', width: 0.19 },
  ];
  const row = (cells: readonly string[], y: number, weight: 'regular' | 'bold', size: number) => {
    let x = left + 4;
    let height = 0;
    cells.forEach((words, index) => {
      const room = columns[index]!.width * (inner - 8);
      const right = index >= 3;
      height = Math.max(
        height,
        pen.block(words, x, y, {
          size,
          weight,
          width: room - 3,
          ...(right ? { align: 'right' as const } : {}),
        }),
      );
      x += room;
    });
    return height;
  };
  let y = 92;
  y +=
    row(
      columns.map(({ title }) => title),
      y,
      'bold',
      6.5,
    ) + 3;
  // The size at which all lines leave room for totals, declaration and signature.
  const cellsOf = pack.items.map((item) => [
    `${item.quantity} x ${item.description}`,
    item.hsCode ?? '',
    item.countryOfOrigin ?? '',
    kilograms(itemWeight(item)),
    amount(lineValue(item)),
  ]);
  let size = 8;
  const heightAt = (at: number) =>
    cellsOf.reduce(
      (sum, cells) =>
        sum +
        3 +
        Math.max(
          ...cells.map((words, index) =>
            pen.blockHeight(words, { size: at, width: columns[index]!.width * (inner - 8) - 3 }),
          ),
        ),
      0,
    );
  while (size > 4 && y + heightAt(size) > 322) size -= 0.5;
  for (const cells of cellsOf) y += row(cells, y, 'regular', size) + 3;

  pen.rule(left, 326, left + inner, 326);
  row(
    ['Total', '', '', kilograms(pack.grossWeightGrams), amount(contentsValue([pack], consignment.currency))],
    330,
    'bold',
    7.5,
  );
  pen.rule(left, 350, left + inner, 350);
  pen.block(DECLARATION, left + 4, 353, { size: 6, width: inner - 8 });
  const ids = [...partyLines({ ...consignment.sender }), ...partyLines({ ...consignment.receiver })].filter(
    (line) => /^(VAT|EORI|IOSS|PCCC|ABN)/.test(line),
  );
  if (ids.length > 0) pen.line(ids.join('  ·  '), left + 4, 385, { size: 6.5, width: inner - 8 });
  pen.line(`Date ${date}   Sender’s signature: ${signer(consignment)}`, left + 4, 403, {
    size: 8,
    weight: 'bold',
    width: inner - 8,
  });
  return await pen.finish();
}

const A5_LANDSCAPE = { page: [mm(210), mm(148)], margin: mm(8), titleSize: 12, textSize: 7.5 } as const;

/** CN23 on A5, for the pouch on the parcel: contents of any length, on as many pages as they take. */
export async function renderCn23({
  consignment,
  pack,
  carrierName,
  barcode,
  date,
}: CustomsDeclaration): Promise<Buffer> {
  const { sender, receiver, reference } = consignment;
  const netGrams = pack.items.reduce((sum, item) => sum + itemWeight(item), 0);
  const symbol = encodeBarcode(barcode);
  return await renderSheet(
    receiver.country,
    {
      title: 'CUSTOMS DECLARATION  CN 23',
      columns: [
        { title: 'Detailed description of contents', share: 0.4 },
        { title: 'Quantity', share: 0.1, align: 'right' },
        { title: 'Net weight', share: 0.13, align: 'right' },
        { title: 'Value', share: 0.15, align: 'right' },
        { title: 'HS tariff number', share: 0.13, align: 'right' },
        { title: 'Origin', share: 0.09, align: 'right' },
      ],
      rows: pack.items.map((item) => [
        item.description,
        String(item.quantity),
        kilograms(itemWeight(item)),
        amount(lineValue(item)),
        item.hsCode ?? '',
        item.countryOfOrigin ?? '',
      ]),
      totals: [
        ['Net weight', kilograms(netGrams)],
        ['Gross weight', kilograms(pack.grossWeightGrams)],
        ['Total value', amount(contentsValue([pack], consignment.currency))],
      ],
      head: (pen, area) => {
        const parties = boxes(
          pen,
          area,
          [
            { title: 'FROM', lines: partyLines(sender), share: 0.31 },
            { title: 'TO', lines: partyLines(receiver), share: 0.31 },
            {
              title: `${carrierName} · ITEM`,
              // The blank lines are where the bars stand.
              lines: ['', '', '', '', '', barcodeText(barcode), `Reference ${reference}`],
              share: 0.38,
            },
          ],
          7.5,
        );
        const module = Math.min(mm(0.38), (area.width * 0.38 - 26) / symbol.modules);
        return stacked(
          {
            height: parties.height,
            draw(top) {
              parties.draw(top);
              const middle = area.x + 12 + (area.width - 12) * 0.81;
              let x = middle - (symbol.modules * module) / 2;
              pen.doc.fillColor('#000000');
              symbol.widths.forEach((modules, index) => {
                if (index % 2 === 0) pen.doc.rect(x, top + 14, modules * module, 40);
                x += modules * module;
              });
              pen.doc.fill();
            },
          },
          paragraphs(
            pen,
            area,
            [
              CATEGORIES.map((category) => `[${category === CATEGORY ? 'X' : '  '}] ${category}`).join(
                '    ',
              ),
            ],
            7.5,
          ),
        );
      },
      foot: (pen, area) =>
        paragraphs(
          pen,
          area,
          [DECLARATION, `Date ${date}     Sender’s signature: ${signer(consignment)}`],
          6.5,
        ),
      footer: `CN23 ${barcodeText(barcode)}`,
    },
    A5_LANDSCAPE,
  );
}
