import { formatMinor } from '../platform/domain/money';
import { type Party, partyLines } from './customs-text';
import { a4, boxes, paragraphs, renderSheet, stacked } from './sheet';

/** The invoice that accompanies the goods of an order. Amounts are integer minor units of `currency`. */
export interface CustomerInvoice {
  readonly number: string;
  /** YYYY-MM-DD. */
  readonly date: string;
  readonly currency: string;
  /** Decimal fraction, e.g. `0.19`. */
  readonly vatRate: string;
  readonly seller: Party;
  readonly buyer: Party;
  readonly orderReference: string;
  readonly lines: readonly {
    readonly title: string;
    readonly reference: string;
    readonly quantity: number;
    readonly unitMinor: number;
    readonly discountMinor: number;
    readonly netMinor: number;
    readonly vatMinor: number;
    readonly grossMinor: number;
  }[];
  readonly totals: { readonly netMinor: number; readonly vatMinor: number; readonly grossMinor: number };
}

/** Formats a rate: `0.19` becomes `19 %`, `0.081` becomes `8.1 %`. */
const percent = (rate: string) => `${Number((Number(rate) * 100).toFixed(3))} %`;

/** Renders an invoice on A4, with page numbers and with the totals on the last page. */
export async function renderCustomerInvoice(invoice: CustomerInvoice): Promise<Buffer> {
  const money = (minor: number) => formatMinor(minor, invoice.currency);
  const exempt = Number(invoice.vatRate) === 0;
  return await renderSheet(
    invoice.buyer.country,
    {
      title: `Invoice ${invoice.number}`,
      columns: [
        { title: 'Item', share: 0.36 },
        { title: 'Reference', share: 0.16 },
        { title: 'Qty', share: 0.06, align: 'right' },
        { title: 'Unit price', share: 0.14, align: 'right' },
        { title: 'Discount', share: 0.14, align: 'right' },
        { title: 'Net', share: 0.14, align: 'right' },
      ],
      rows: invoice.lines.map((line) => [
        line.title,
        line.reference,
        String(line.quantity),
        money(line.unitMinor),
        line.discountMinor === 0 ? '' : money(line.discountMinor),
        money(line.netMinor),
      ]),
      totals: [
        ['Net', money(invoice.totals.netMinor)],
        [`VAT ${percent(invoice.vatRate)}`, money(invoice.totals.vatMinor)],
        ['Total', money(invoice.totals.grossMinor)],
      ],
      head: stacked(
        boxes(
          [
            { title: 'FROM', lines: partyLines(invoice.seller), share: 0.5 },
            { title: 'TO', lines: partyLines(invoice.buyer), share: 0.5 },
          ],
          9,
        ),
        paragraphs([`Date ${invoice.date}     Order ${invoice.orderReference}`], 9),
      ),
      foot: paragraphs(exempt ? ['Export of goods: no VAT charged.'] : [], 8.5),
      footer: `Invoice ${invoice.number} · Order ${invoice.orderReference}`,
    },
    a4(16),
  );
}
