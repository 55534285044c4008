import type { Consignment } from '../consignments/domain/consignment';
import { contentsValue, lineValue, netWeightGrams } from '../consignments/domain/customs';
import type { RateTable } from '../platform/domain/money';
import { amount, itemWeight, kilograms, partyLines, signerOf } from './customs-declaration';
import { a4, boxes, paragraphs, renderSheet, stacked } from './sheet';

export interface CommercialInvoice {
  readonly consignment: Consignment;
  readonly carrierName: string;
  readonly trackingNumbers: readonly string[];
  /** YYYY-MM-DD. */
  readonly date: string;
  /** Exchange rates of the date, for the total of items in several currencies. */
  readonly rates: RateTable;
}

/** Renders the commercial invoice of a shipment by courier: every item with tariff number, origin, weight and value. */
export async function renderCommercialInvoice(invoice: CommercialInvoice): Promise<Buffer> {
  const { consignment, carrierName, trackingNumbers, date, rates } = invoice;
  const { sender, receiver, packages, reference } = consignment;
  const value = contentsValue(packages, consignment.currency, rates);
  const netGrams = packages.reduce((sum, pack) => sum + netWeightGrams(pack), 0);
  const boxTypes = [...new Set(packages.flatMap(({ boxType }) => boxType ?? []))];
  const grossGrams = packages.reduce((sum, pack) => sum + pack.grossWeightGrams, 0);
  const rows = packages.flatMap((pack, index) =>
    pack.items.map((item) => [
      String(index + 1),
      item.description,
      item.hsCode ?? '',
      item.countryOfOrigin ?? '',
      String(item.quantity),
      kilograms(itemWeight(item)),
      amount(item.unitValue),
      amount(lineValue(item)),
    ]),
  );
  return await renderSheet(
    receiver.country,
    {
      title: 'Commercial Invoice',
      columns: [
        { title: 'Pkg', share: 0.05 },
        { title: 'Description of goods', share: 0.33 },
        { title: 'HS code', share: 0.11 },
        { title: 'Origin', share: 0.07 },
        { title: 'Qty', share: 0.06, align: 'right' },
        { title: 'Net weight', share: 0.12, align: 'right' },
        { title: 'Unit value', share: 0.13, align: 'right' },
        { title: 'Total value', share: 0.13, align: 'right' },
      ],
      rows,
      totals: [
        ['Net weight', kilograms(netGrams)],
        [`Gross weight, ${packages.length} package${packages.length === 1 ? '' : 's'}`, kilograms(grossGrams)],
        ['Total value', amount(value)],
      ],
      head: stacked(
        boxes(
          [
            { title: 'EXPORTER / SENDER', lines: partyLines(sender), share: 0.5 },
            { title: 'CONSIGNEE / RECEIVER', lines: partyLines(receiver), share: 0.5 },
          ],
          9,
        ),
        boxes(
          [
            {
              title: 'INVOICE',
              lines: [`Reference ${reference}`, `Date ${date}`, 'Reason for export: sale'],
              share: 0.34,
            },
            {
              title: 'TERMS',
              lines: [
                `Currency ${value.currency}`,
                receiver.taxIds?.iossNumber || sender.taxIds?.iossNumber ? 'DAP, VAT paid by IOSS' : 'DAP',
              ],
              share: 0.26,
            },
            {
              title: 'CARRIER',
              lines: [
                carrierName,
                trackingNumbers.join(', '),
                ...(boxTypes.length === 0 ? [] : [`Packaging: ${boxTypes.join(', ')}`]),
              ],
              share: 0.4,
            },
          ],
          8.5,
        ),
      ),
      foot: paragraphs(
        [
          'I declare that the information in this invoice is true and correct, and that the goods are of the origin stated.',
          `Date ${date}     Name ${signerOf(consignment)}     Signature ______________________________`,
        ],
        8.5,
      ),
      footer: `Commercial invoice ${reference}`,
    },
    a4(14),
  );
}
