import type { Party } from '../consignments/domain/consignment';
import { formatMinor } from '../platform/domain/money';
import { partyLines } from './customs-declaration';
import { a4, boxes, paragraphs, renderSheet, stacked } from './sheet';

/** The shop's invoice to its customer for the contents of a parcel, in which it travels. Amounts are integer minor units of `currency`. */
export interface CustomerInvoice {
  readonly number: string;
  /** YYYY-MM-DD. */
  readonly date: string;
  readonly currency: string;
  readonly treatment: 'taxed' | 'export' | 'ioss' | 'reverse_charge';
  readonly seller: Party;
  readonly buyer: Party;
  readonly orderReference: string;
  readonly lines: readonly {
    readonly title: string;
    readonly reference: string;
    readonly quantity: number;
    readonly unitMinor: number;
    readonly netMinor: number;
    /** Decimal fraction, e.g. `0.19`. */
    readonly vatRate: string;
    readonly vatMinor: number;
  }[];
}

/** Why an invoice charges no VAT, or which. */
const NOTES = {
  taxed: [],
  export: ['Export of goods: no VAT charged.'],
  ioss: ['The VAT of the country of delivery is paid through the import one-stop shop (IOSS).'],
  reverse_charge: [
    'Reverse charge: the recipient accounts for the VAT (Directive 2006/112/EC, articles 138, 196 and 200).',
  ],
} as const;

/** Formats a rate: `0.19` becomes `19 %`, `0.081` becomes `8.1 %`. */
const percent = (rate: number) => `${Number((rate * 100).toFixed(3))} %`;

/** Renders an invoice on A4, with page numbers and with the totals on the last page. */
export async function renderCustomerInvoice(invoice: CustomerInvoice): Promise<Buffer> {
  const money = (minor: number) => formatMinor(minor, invoice.currency);
  const sumOf = (lines: CustomerInvoice['lines'], key: 'netMinor' | 'vatMinor') =>
    lines.reduce((sum, line) => sum + line[key], 0);
  const net = sumOf(invoice.lines, 'netMinor');
  const byRate = [...Map.groupBy(invoice.lines, ({ vatRate }) => Number(vatRate))].sort(([a], [b]) => b - a);
  return await renderSheet(
    invoice.buyer.country,
    {
      title: `Invoice ${invoice.number}`,
      columns: [
        { title: 'Item', share: 0.48 },
        { title: 'Reference', share: 0.18 },
        { title: 'Qty', share: 0.06, align: 'right' },
        { title: 'Unit price', share: 0.14, align: 'right' },
        { title: 'Net', share: 0.14, align: 'right' },
      ],
      rows: invoice.lines.map((line) => [
        line.title,
        line.reference,
        String(line.quantity),
        money(line.unitMinor),
        money(line.netMinor),
      ]),
      totals: [
        ['Net', money(net)],
        ...byRate.map(([rate, lines]): [string, string] => [
          byRate.length === 1 ? `VAT ${percent(rate)}` : `VAT ${percent(rate)} on ${money(sumOf(lines, 'netMinor'))}`,
          money(sumOf(lines, 'vatMinor')),
        ]),
        ['Total', money(net + sumOf(invoice.lines, 'vatMinor'))],
      ],
      head: stacked(
        boxes(
          [
            { title: 'FROM', lines: partyLines(invoice.seller, 'Seller'), share: 0.5 },
            { title: 'TO', lines: partyLines(invoice.buyer, 'Buyer'), share: 0.5 },
          ],
          9,
        ),
        paragraphs([`Date ${invoice.date}     Order ${invoice.orderReference}`], 9),
      ),
      foot: paragraphs(NOTES[invoice.treatment], 8.5),
      footer: `Invoice ${invoice.number} · Order ${invoice.orderReference}`,
    },
    a4(16),
  );
}
