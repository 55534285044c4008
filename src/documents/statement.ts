import { formatMinor } from '../platform/domain/money';
import type { EInvoice, InvoiceParty } from './e-invoice';
import type { EmbeddedInvoice } from './pdf-drawing';
import { a4, boxes, paragraphs, renderSheet, stacked } from './sheet';

/** What a statement shows beside its invoice: the rows of its table. Amounts are integer minor units, and negative for refunds. */
export interface StatementRow {
  readonly name: string;
  /** Numbers of the first and the last receipt, and how many there are. */
  readonly receipts: string;
  readonly rate: number;
  readonly netMinor: number;
  readonly taxMinor: number;
}

const percent = (rate: number) => `${Number((rate * 100).toFixed(3))} %`;

const partyOf = (party: InvoiceParty): string[] =>
  [
    party.name,
    party.addressLine1,
    party.addressLine2,
    [party.postCode, party.city].filter(Boolean).join(' '),
    party.country,
    party.vatNumber && `VAT ${party.vatNumber}`,
    party.companyNumber && `Company number ${party.companyNumber}`,
    party.email,
  ].filter((line): line is string => Boolean(line));

/** Renders a statement on A4. @param embedded its electronic invoice, with which it is a PDF/A-3 */
export async function renderStatement(
  invoice: EInvoice,
  rows: readonly StatementRow[],
  embedded: EmbeddedInvoice | null,
): Promise<Buffer> {
  const { seller, buyer, isCreditNote, number } = invoice;
  const money = (minor: number) => formatMinor(minor, invoice.currency);
  const sum = (name: 'netMinor' | 'taxMinor') => rows.reduce((total, row) => total + row[name], 0);
  const [net, tax] = [sum('netMinor'), sum('taxMinor')];
  const title = `${isCreditNote ? 'Credit note' : 'Statement'} ${number}`;
  const payment = isCreditNote
    ? `We owe you ${money(-(net + tax))}.`
    : `Please pay ${money(net + tax)} by ${invoice.due} to ${seller.iban}${seller.bic ? ` (${seller.bic})` : ''}, reference ${number}.`;
  return await renderSheet(
    buyer.country,
    {
      title,
      columns: [
        { title: 'Charges and refunds', share: 0.3 },
        { title: 'Receipts', share: 0.25 },
        { title: 'VAT rate', share: 0.09, align: 'right' },
        { title: 'Net', share: 0.12, align: 'right' },
        { title: 'VAT', share: 0.12, align: 'right' },
        { title: 'Gross', share: 0.12, align: 'right' },
      ],
      rows: rows.map(({ name, receipts, rate, netMinor, taxMinor }) => [
        name,
        receipts,
        percent(rate),
        ...[netMinor, taxMinor, netMinor + taxMinor].map(money),
      ]),
      totals: [
        ['Net', money(net)],
        ['VAT', money(tax)],
        ['Total', money(net + tax)],
      ],
      head: stacked(
        boxes(
          [
            { title: 'FROM', lines: partyOf(seller), share: 0.5 },
            { title: 'TO', lines: partyOf(buyer), share: 0.5 },
          ],
          9,
        ),
        paragraphs([`Issued ${invoice.issued}     Receipts of ${invoice.from} to ${invoice.to} (UTC)`], 9),
      ),
      foot: paragraphs([payment], 8.5),
      footer: title,
      ...(embedded === null ? {} : { invoice: embedded }),
    },
    a4(16),
  );
}
