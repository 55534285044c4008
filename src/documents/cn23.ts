import { contentsValue, lineGrams, lineValue, netWeightGrams } from '../consignments/domain/customs';
import { barcodeText, drawBars, encodeBarcode } from './barcode';
import {
  amount,
  CATEGORIES,
  CATEGORY,
  type CustomsDeclaration,
  DECLARATION,
  kilograms,
  partyLines,
  signerOf,
} from './customs-declaration';
import { mm } from './pdf-drawing';
import { type Block, boxes, paragraphs, renderSheet, stacked } from './sheet';

const A5_LANDSCAPE = { page: [mm(210), mm(148)], margin: mm(8), titleSize: 12, textSize: 7.5 } as const;
/** Shares of the three boxes at the top: sender, receiver, barcode. */
const PARTY_SHARE = 0.31;
const BARCODE_SHARE = 0.38;
const BAR_HEIGHT = 40;
const CATEGORY_BOXES = CATEGORIES.map((category) => `[${category === CATEGORY ? 'X' : '  '}] ${category}`).join('    ');

/** Renders a CN23 on A5 for the document pouch, with as many pages as the contents need. */
export async function renderCn23(declaration: CustomsDeclaration): Promise<Buffer> {
  const { consignment, pack, barcode, date, rates } = declaration;
  const grams = lineGrams(pack.items);
  return await renderSheet(
    consignment.receiver.country,
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
      rows: pack.items.map((item, index) => [
        item.description,
        String(item.quantity),
        kilograms(grams[index]!),
        amount(lineValue(item)),
        item.hsCode ?? '',
        item.countryOfOrigin ?? '',
      ]),
      totals: [
        ['Net weight', kilograms(netWeightGrams(pack))],
        ['Gross weight', kilograms(pack.grossWeightGrams)],
        ['Total value', amount(contentsValue([pack], consignment.currency, rates))],
      ],
      head: stacked(partiesAndBarcode(declaration), paragraphs([CATEGORY_BOXES], 7.5)),
      foot: paragraphs([DECLARATION, `Date ${date}     Sender’s signature: ${signerOf(consignment)}`], 6.5),
      footer: `CN23 ${barcodeText(barcode)}`,
    },
    A5_LANDSCAPE,
  );
}

function partiesAndBarcode({ consignment, carrierName, barcode, pack }: CustomsDeclaration): Block {
  const symbol = encodeBarcode(barcode);
  const parties = boxes(
    [
      { title: 'FROM', lines: partyLines(consignment.sender, 'Sender'), share: PARTY_SHARE },
      { title: 'TO', lines: partyLines(consignment.receiver, 'Receiver'), share: PARTY_SHARE },
      {
        title: `${carrierName} · ITEM`,
        // The blank lines leave room for the bars.
        lines: [
          ...['', '', '', '', '', barcodeText(barcode), `Reference ${consignment.reference}`],
          ...(pack.boxType === undefined ? [] : [`Packaging: ${pack.boxType}`]),
        ],
        share: BARCODE_SHARE,
      },
    ],
    7.5,
  );
  return (pdf, area) => {
    const { height, draw } = parties(pdf, area);
    const moduleWidth = Math.min(mm(0.38), (area.width * BARCODE_SHARE - 26) / symbol.modules);
    const center = area.x + 12 + (area.width - 12) * (1 - BARCODE_SHARE / 2);
    return {
      height,
      draw(top) {
        draw(top);
        const x = center - (symbol.modules * moduleWidth) / 2;
        drawBars(pdf, symbol, { x, y: top + 14, height: BAR_HEIGHT, moduleWidth });
      },
    };
  };
}
